//! Wraps a response body to hold a value until it has been sent or its client leaves.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

/// The same body, which drops `held` at its end, or when its client leaves.
pub(super) fn hold_until_sent(body: Body, held: impl Send + Unpin + 'static) -> Body {
    Body::new(HoldingBody { body, _held: held })
}

struct HoldingBody<T> {
    body: Body,
    _held: T,
}

impl<T: Unpin> HttpBody for HoldingBody<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
