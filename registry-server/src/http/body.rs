//! Reading request bodies with a bound on their length and on the client's slowness.

use std::time::Instant;

use axum::body::{Body, BodyDataStream};
use bytes::Bytes;
use futures::StreamExt as _;
use http::StatusCode;

use super::Refusal;
use super::pace::Pace;
use crate::limits::Limits;

/// A body read piece by piece.
pub(crate) struct BodyReader<'a> {
    stream: BodyDataStream,
    limits: &'a Limits,
    left: u64,
    bytes_max: u64,
    pace: Pace,
}

impl<'a> BodyReader<'a> {
    pub(crate) fn new(body: Body, limits: &'a Limits, bytes_max: u64) -> Self {
        Self {
            stream: body.into_data_stream(),
            limits,
            left: bytes_max,
            bytes_max,
            pace: Pace::new(limits.body_stall_max, limits.stall_bytes_min),
        }
    }

    /// The next piece; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        let asked = Instant::now();
        let piece = tokio::time::timeout(self.pace.left(), self.stream.next())
            .await
            .map_err(|_| {
                Refusal::new(
                    StatusCode::REQUEST_TIMEOUT,
                    "the client sent nothing, or next to nothing, for too long",
                )
            })?;
        match piece {
            None => Ok(None),
            Some(Err(_)) => Err(Refusal::bad_request("the body broke off")),
            Some(Ok(bytes)) => {
                self.pace.moved(bytes.len() as u64, asked.elapsed());
                self.left = self
                    .left
                    .checked_sub(bytes.len() as u64)
                    .ok_or_else(|| Refusal::too_large("the body", self.bytes_max))?;
                Ok(Some(bytes))
            }
        }
    }

    /// Reads on without keeping anything, so that a client that writes before it reads hears the refusal.
    pub(crate) async fn drain(mut self) {
        self.left = self.left.min(self.limits.refused_body_drain_bytes_max);
        while let Ok(Some(_)) = self.next().await {}
    }
}

/// A whole body of at most `bytes_max` bytes.
pub(crate) async fn read_bounded(
    body: Body,
    limits: &Limits,
    bytes_max: usize,
) -> Result<Vec<u8>, Refusal> {
    let mut reader = BodyReader::new(body, limits, bytes_max as u64);
    let mut bytes = Vec::new();
    while let Some(piece) = reader.next().await? {
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// Throws a body away, as far as the limits allow.
pub(crate) async fn drain(body: Body, limits: &Limits) {
    BodyReader::new(body, limits, limits.refused_body_drain_bytes_max)
        .drain()
        .await;
}
