//! Builds JSON answers; a long one holds reserved memory until its client has read it.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};
use serde::{Serialize, Serializer};

use super::{Memory, Refusal, Reservation};
use crate::error::RegistryError;

/// An answer up to this length is not counted.
const FREE_BYTES: u64 = 64 << 10;
/// Bytes of a piece of an answer. Each is free again when it is sent.
const PIECE_BYTES: usize = 16 << 10;

/// A JSON answer.
pub(crate) fn json(value: impl Serialize) -> Response {
    let mut pieces = Pieces::default();
    match serde_json::to_writer(&mut pieces, &value) {
        Ok(()) => {
            let kind = HeaderValue::from_static("application/json");
            ([(CONTENT_TYPE, kind)], pieces.into_body()).into_response()
        }
        Err(error) => {
            Refusal::from(RegistryError::Damaged(format!("an answer: {error}"))).into_response()
        }
    }
}

/// A list whose rows are made while it is written: none of them is kept.
pub(crate) struct Rows<F>(pub(crate) F);

impl<F, I> Serialize for Rows<F>
where
    F: Fn() -> I,
    I: Iterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Text in pieces: one that grew as a whole would take twice its length.
#[derive(Default)]
struct Pieces {
    full: VecDeque<Bytes>,
    last: Vec<u8>,
    bytes: u64,
}

impl Pieces {
    fn into_body(mut self) -> Body {
        if self.full.is_empty() {
            return Body::from(self.last);
        }
        self.full.push_back(self.last.into());
        Body::new(PiecesBody {
            pieces: self.full,
            bytes: self.bytes,
        })
    }
}

impl io::Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.last.len() + bytes.len() > PIECE_BYTES && !self.last.is_empty() {
            let next = Vec::with_capacity(PIECE_BYTES);
            let full = std::mem::replace(&mut self.last, next);
            self.full.push_back(full.into());
        }
        self.last.extend_from_slice(bytes);
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The rest of an answer.
struct PiecesBody {
    pieces: VecDeque<Bytes>,
    bytes: u64,
}

impl HttpBody for PiecesBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = self.pieces.pop_front();
        self.bytes -= piece.as_ref().map_or(0, Bytes::len) as u64;
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes)
    }
}

/// Reserves memory for a long answer until its client has taken all but the last of it, or refuses
/// it when there is no room. A body that is read from a file has no known length here, and passes.
pub(crate) async fn within(memory: &Memory, answer: Response) -> Response {
    let bytes = answer.body().size_hint().exact().unwrap_or_default();
    if bytes <= FREE_BYTES {
        return answer;
    }
    let mut held = Reservation::default();
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    match memory.hold(&mut held, bytes).await {
        Ok(()) => keeping(answer, held),
        Err(refusal) => refusal.into_response(),
    }
}

/// Keeps a value until the answer is sent, or its client has gone.
pub(crate) fn keeping<T: Send + 'static>(answer: Response, value: T) -> Response {
    answer.map(|body| {
        Body::new(body.inspect_frame(move |_| {
            let _ = &value;
        }))
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_long_answer_comes_in_pieces_and_counts_until_it_is_taken() {
        let memory = Memory::new(1 << 20, Duration::from_secs(5));
        let rows = vec!["x".repeat(1_000); 600];
        let long = || json(Rows(|| rows.iter()));
        let mut answer = within(&memory, long()).await;
        let length = answer.body().size_hint().exact().unwrap();
        assert!(memory.is_low());
        assert_eq!(within(&memory, long()).await.status(), 503);
        assert_eq!(within(&memory, json("short")).await.status(), 200);
        let mut text = Vec::new();
        while let Some(frame) = answer.body_mut().frame().await {
            let piece = frame.unwrap().into_data().unwrap();
            assert!(piece.len() <= PIECE_BYTES);
            text.extend_from_slice(&piece);
        }
        assert_eq!(text.len() as u64, length);
        assert_eq!(serde_json::from_slice::<Vec<String>>(&text).unwrap(), rows);
        drop(answer);
        assert!(!memory.is_low());
        assert_eq!(within(&memory, long()).await.status(), 200);
    }
}
