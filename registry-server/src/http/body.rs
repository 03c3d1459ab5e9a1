//! Reads request bodies with a bound on their length and on the client's slowness.

use std::time::{Duration, Instant};

use axum::body::{Body, BodyDataStream, HttpBody as _};
use bytes::Bytes;
use futures::StreamExt as _;
use http::StatusCode;

use super::Refusal;
use super::memory::{Memory, Reservation};
use super::pace::{PRESSURE_CHECK_INTERVAL, Pace};
use crate::registry::Registry;

/// A body read piece by piece.
pub(crate) struct BodyReader<'a> {
    stream: BodyDataStream,
    registry: &'a Registry,
    /// Its length, or 0 if the client did not say it.
    announced: u64,
    left: u64,
    bytes_max: u64,
    pace: Pace,
}

impl<'a> BodyReader<'a> {
    pub(crate) fn new(body: Body, registry: &'a Registry, bytes_max: u64) -> Self {
        let limits = registry.limits();
        Self {
            announced: body.size_hint().exact().unwrap_or_default(),
            stream: body.into_data_stream(),
            registry,
            left: bytes_max,
            bytes_max,
            pace: Pace::new(limits.body_stall_max, limits.stall_bytes_min),
        }
    }

    /// The next piece; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        let asked = Instant::now();
        let piece = loop {
            let left = self.patience().saturating_sub(asked.elapsed());
            if left.is_zero() {
                // Uses the time up, so that draining the rest does not wait again.
                self.pace.moved(0, self.pace.left());
                return Err(Refusal::new(
                    StatusCode::REQUEST_TIMEOUT,
                    "the client sent nothing, or next to nothing, for too long",
                ));
            }
            if let Ok(piece) =
                tokio::time::timeout(left.min(PRESSURE_CHECK_INTERVAL), self.stream.next()).await
            {
                break piece;
            }
        };
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

    /// The remaining time to wait for this client. It is shorter while others have to wait for it.
    fn patience(&self) -> Duration {
        let limits = self.registry.limits();
        match self.registry.is_under_pressure() {
            true => self.pace.left_of(limits.pressed_stall_max),
            false => self.pace.left(),
        }
    }

    /// The whole body, whose memory `held` accounts for. A refused body is read on for a while,
    /// because clients send it all before they read the answer.
    pub(crate) async fn whole(
        mut self,
        memory: &Memory,
        held: &mut Reservation,
    ) -> Result<Vec<u8>, Refusal> {
        let read = self.read_whole(memory, held).await;
        if read.is_err() {
            *held = Reservation::NOTHING;
            self.drain().await;
        }
        read
    }

    async fn read_whole(
        &mut self,
        memory: &Memory,
        held: &mut Reservation,
    ) -> Result<Vec<u8>, Refusal> {
        if self.announced > self.bytes_max {
            return Err(Refusal::too_large("the body", self.bytes_max));
        }
        // Asks for the whole announced length at once, while nothing is held: bodies that each hold
        // a part would wait for each other.
        let announced = usize::try_from(self.announced).unwrap_or(usize::MAX);
        memory.hold(held, announced).await?;
        let mut bytes = Vec::with_capacity(announced);
        while let Some(piece) = self.next().await? {
            let length = bytes.len() + piece.len();
            if length > bytes.capacity() {
                // In growing steps, so that the bytes are not moved for each piece.
                memory.hold(held, length.max(bytes.len() / 4 * 5)).await?;
                bytes.reserve_exact(held.bytes().max(length) - bytes.len());
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }

    /// Reads on without keeping anything, so that a client that writes before it reads hears the
    /// refusal.
    pub(crate) async fn drain(mut self) {
        self.left = self.registry.limits().refused_body_drain_bytes_max;
        while let Ok(Some(_)) = self.next().await {}
    }
}

/// Throws a body away, as far as the limits allow.
pub(crate) async fn drain(body: Body, registry: &Registry) {
    let drained_max = registry.limits().refused_body_drain_bytes_max;
    BodyReader::new(body, registry, drained_max).drain().await;
}
