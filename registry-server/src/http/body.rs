//! Reading request bodies with a bound on their length and on the client's slowness.

use std::time::{Duration, Instant};

use axum::body::{Body, BodyDataStream, HttpBody as _};
use bytes::Bytes;
use futures::StreamExt as _;
use http::StatusCode;

use super::Refusal;
use super::memory::Reservation;
use super::pace::{PRESSURE_CHECK_INTERVAL, Pace};
use crate::registry::Registry;

/// A body from this length on takes the memory for all of it before it is read.
const LONG_BYTES: usize = 128 << 10;

/// A body read piece by piece.
pub(crate) struct BodyReader<'a> {
    stream: BodyDataStream,
    registry: &'a Registry,
    left: u64,
    bytes_max: u64,
    pace: Pace,
}

impl<'a> BodyReader<'a> {
    pub(crate) fn new(body: Body, registry: &'a Registry, bytes_max: u64) -> Self {
        let limits = registry.limits();
        Self {
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
                self.pace.moved(0, asked.elapsed());
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

    /// Reads on without keeping anything, so that a client that writes before it reads hears the refusal.
    pub(crate) async fn drain(mut self) {
        let drained_max = self.registry.limits().refused_body_drain_bytes_max;
        self.left = self.left.min(drained_max);
        while let Ok(Some(_)) = self.next().await {}
    }
}

/// Reads a whole body of at most `bytes_max` bytes, whose memory `held` accounts for. A refused
/// body is read on for a while, because clients send it all before they read the answer.
pub(crate) async fn read_bounded(
    body: Body,
    registry: &Registry,
    bytes_max: usize,
    held: &mut Reservation,
) -> Result<Vec<u8>, Refusal> {
    let announced = body.size_hint().exact().unwrap_or_default();
    let announced = usize::try_from(announced).unwrap_or(usize::MAX);
    let mut reader = BodyReader::new(body, registry, bytes_max as u64);
    let mut bytes = Vec::new();
    // Long ones take their memory at once, one after another: with a part each they would wait for
    // each other.
    if (LONG_BYTES..=bytes_max).contains(&announced)
        && let Err(refusal) = registry.memory().hold(held, announced).await
    {
        reader.drain().await;
        return Err(refusal);
    }
    let read = read_whole(&mut reader, registry, bytes_max, &mut bytes, held).await;
    if let Err(refusal) = read {
        drop((bytes, std::mem::take(held)));
        reader.drain().await;
        return Err(refusal);
    }
    Ok(bytes)
}

async fn read_whole(
    reader: &mut BodyReader<'_>,
    registry: &Registry,
    bytes_max: usize,
    bytes: &mut Vec<u8>,
    held: &mut Reservation,
) -> Result<(), Refusal> {
    while let Some(piece) = reader.next().await? {
        let length = bytes.len() + piece.len();
        if length > held.bytes() {
            // In growing steps, so that the bytes are not moved for each piece.
            let wanted = length.max(bytes.len() / 4 * 5).min(bytes_max.max(length));
            registry.memory().hold(held, wanted).await?;
            bytes.reserve_exact(held.bytes().max(length) - bytes.len());
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(())
}

/// Throws a body away, as far as the limits allow.
pub(crate) async fn drain(body: Body, registry: &Registry) {
    let drained_max = registry.limits().refused_body_drain_bytes_max;
    BodyReader::new(body, registry, drained_max).drain().await;
}
