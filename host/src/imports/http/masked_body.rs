//! The `MaskedBody` of an answer, in which secrets are covered as it comes, whatever its pieces.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use wasmtime_wasi_http::{Error, WasiBody};

use crate::secret::Secrets;

/// A body with asterisks in place of secrets. Its length stays as it is. Bytes that may be the
/// beginning of a secret are held until it is known.
pub(super) struct MaskedBody {
    body: WasiBody,
    secrets: Secrets,
    held: BytesMut,
    /// What follows the last data.
    trailers: Option<Frame<Bytes>>,
}

impl MaskedBody {
    pub(super) fn new(body: WasiBody, secrets: Secrets) -> Self {
        Self {
            body,
            secrets,
            held: BytesMut::new(),
            trailers: None,
        }
    }

    /// The part of what is held that can be passed on; all of it at the body's `end`.
    fn released(&mut self, end: bool) -> Option<Frame<Bytes>> {
        let length = match end {
            true => self.held.len(),
            false => self.secrets.settled_length(&self.held),
        };
        if length == 0 {
            return None;
        }
        // All that is held is searched: a secret that ends in it may begin in what is released.
        let mut released = self.held.split_to(length);
        self.secrets.cover(&mut released);
        Some(Frame::data(released.freeze()))
    }
}

impl Body for MaskedBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        loop {
            if let Some(trailers) = self.trailers.take() {
                return Poll::Ready(Some(Ok(trailers)));
            }
            let frame = match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
                Poll::Ready(None) => return Poll::Ready(self.released(true).map(Ok)),
                Poll::Ready(Some(Ok(frame))) => frame,
            };
            let released = match frame.into_data() {
                Ok(data) => {
                    self.held.extend_from_slice(&data);
                    self.released(false)
                }
                Err(frame) => {
                    if let Ok(mut trailers) = frame.into_trailers() {
                        cover_headers(&mut trailers, &self.secrets);
                        self.trailers = Some(Frame::trailers(trailers));
                    }
                    self.released(true)
                }
            };
            if let Some(frame) = released {
                return Poll::Ready(Some(Ok(frame)));
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.held.is_empty() && self.trailers.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (hint, held) = (self.body.size_hint(), self.held.len() as u64);
        let mut all = SizeHint::new();
        all.set_lower(hint.lower() + held);
        if let Some(upper) = hint.upper() {
            all.set_upper(upper + held);
        }
        all
    }
}

/// Covers secrets in the values of `headers`.
pub(super) fn cover_headers(headers: &mut HeaderMap, secrets: &Secrets) {
    for value in headers.values_mut() {
        let mut bytes = value.as_bytes().to_vec();
        if secrets.cover(&mut bytes) {
            // Asterisks in place of what was a value make a value again.
            *value = http::HeaderValue::from_bytes(&bytes)
                .unwrap_or_else(|_| http::HeaderValue::from_static(""));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures::executor::block_on;
    use futures::stream;
    use http_body_util::{BodyExt as _, StreamBody};

    use super::*;
    use crate::secret::Secret;

    const SECRET: &str = "sk-canary-77aa01";

    /// The pieces that come of `pieces`.
    fn masked(pieces: &[&[u8]]) -> Vec<Vec<u8>> {
        let frames = pieces.iter().map(|piece| {
            let frame = Frame::data(Bytes::copy_from_slice(piece));
            Ok::<_, Infallible>(frame)
        });
        let body = StreamBody::new(stream::iter(frames.collect::<Vec<_>>()));
        let body = body.map_err(|never| match never {}).boxed_unsync();
        let mut body = MaskedBody::new(body, Secrets::new([Secret::new(SECRET.to_owned())]));
        let mut found = Vec::new();
        while let Some(frame) = block_on(body.frame()) {
            found.push(frame.unwrap().into_data().unwrap().to_vec());
        }
        found
    }

    #[test]
    fn a_secret_is_covered_wherever_it_is_cut() {
        let escaped = SECRET.replace('-', "\\u002d");
        let texts = [
            format!("it is {SECRET}, and {SECRET}{SECRET}"),
            format!("{{\"key\":\"{escaped}\"}}"),
            SECRET.to_owned(),
            SECRET[..SECRET.len() - 1].to_owned(),
        ];
        for text in texts {
            let whole = masked(&[text.as_bytes()]).concat();
            assert_eq!(whole.len(), text.len());
            let is_all = text.len() >= SECRET.len();
            let seen = String::from_utf8(whole.clone()).unwrap();
            assert_eq!(seen.contains("canary"), !is_all, "{seen}");
            for first in 0..text.len() {
                for second in first..text.len() {
                    let bytes = text.as_bytes();
                    let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                    let found = masked(&pieces).concat();
                    assert_eq!(found, whole, "cut at {first} and {second}");
                }
            }
        }
    }

    #[test]
    fn what_begins_no_secret_is_not_held() {
        let events = [&b"data: 1\n\n"[..], b"data: 2\n\n"];
        assert_eq!(masked(&events), events);
    }
}
