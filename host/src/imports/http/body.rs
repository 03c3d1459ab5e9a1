//! The `BoundedBody` of a response, which fails when it is too long, or silent for too long.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep};
use wasmtime_wasi_http::Error;

/// A body that ends with an error when it is longer than allowed, or silent for too long.
/// It holds its request's place among those in flight.
pub(crate) struct BoundedBody {
    incoming: Incoming,
    bytes_max: u64,
    left: u64,
    silence_max: Duration,
    silence: Pin<Box<Sleep>>,
    _permit: OwnedSemaphorePermit,
}

impl BoundedBody {
    pub(crate) fn new(
        incoming: Incoming,
        bytes_max: u64,
        silence_max: Duration,
        permit: OwnedSemaphorePermit,
    ) -> Self {
        Self {
            incoming,
            bytes_max,
            left: bytes_max,
            silence_max,
            silence: Box::pin(tokio::time::sleep(silence_max)),
            _permit: permit,
        }
    }
}

impl Body for BoundedBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        match Pin::new(&mut self.incoming).poll_frame(context) {
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(error.into()))),
            Poll::Ready(Some(Ok(frame))) => {
                let length = frame.data_ref().map_or(0, |data| data.len() as u64);
                match self.left.checked_sub(length) {
                    Some(left) => self.left = left,
                    None => {
                        let max = Some(self.bytes_max);
                        return Poll::Ready(Some(Err(Error::HttpResponseBodySize(max))));
                    }
                }
                let next = Instant::now() + self.silence_max;
                self.silence.as_mut().reset(next);
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Pending => self
                .silence
                .as_mut()
                .poll(context)
                .map(|()| Some(Err(Error::ConnectionReadTimeout))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}
