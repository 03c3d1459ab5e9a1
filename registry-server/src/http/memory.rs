//! One budget for what requests keep in memory while they arrive.
//!
//! Each body has a bound of its own, and thousands of connections times that bound would be all
//! memory there is.

use std::sync::Arc;
use std::time::Duration;

use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Refusal;

/// Memory is taken in steps, so that a short body asks once.
const STEP_BYTES: usize = 16 << 10;

/// Memory that all connections share: for bodies, or for answers.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    free: Arc<Semaphore>,
    bytes_max: usize,
    /// Longest wait for memory that others hold.
    wait_max: Duration,
}

/// Memory that is taken until this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Reservation(Option<OwnedSemaphorePermit>);

impl Reservation {
    pub(crate) const NOTHING: Self = Self(None);

    pub(crate) fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits)
    }

    fn add(&mut self, more: OwnedSemaphorePermit) {
        match &mut self.0 {
            Some(permit) => permit.merge(more),
            None => self.0 = Some(more),
        }
    }
}

impl Memory {
    pub(crate) fn new(bytes_max: usize, wait_max: Duration) -> Self {
        Self {
            wait_max,
            free: Arc::new(Semaphore::new(bytes_max)),
            bytes_max,
        }
    }

    /// Makes sure that `bytes` are held; waits a while when there is no room, and then refuses.
    pub(crate) async fn hold(&self, held: &mut Reservation, bytes: usize) -> Result<(), Refusal> {
        let more = match bytes.checked_sub(held.bytes()) {
            None | Some(0) => return Ok(()),
            Some(more) => more.next_multiple_of(STEP_BYTES).min(self.bytes_max),
        };
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        let taking = Arc::clone(&self.free).acquire_many_owned(more);
        match tokio::time::timeout(self.wait_max, taking).await {
            Ok(Ok(permit)) => {
                held.add(permit);
                Ok(())
            }
            _ => Err(busy()),
        }
    }

    /// Takes memory if it is free at this moment.
    pub(crate) fn try_hold(&self, bytes: usize) -> Option<Reservation> {
        let bytes = u32::try_from(bytes).ok()?;
        let permit = Arc::clone(&self.free).try_acquire_many_owned(bytes).ok()?;
        Some(Reservation(Some(permit)))
    }

    /// Whether less than half is free.
    pub(crate) fn is_tight(&self) -> bool {
        self.free.available_permits() < self.bytes_max / 2
    }
}

/// Too much is under way; it will not last.
pub(crate) fn busy() -> Refusal {
    Refusal::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "the registry takes in as much as it can hold; try again",
    )
    .header(RETRY_AFTER, HeaderValue::from_static("2"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_held_is_bounded_and_comes_back() {
        let memory = Memory::new(100 << 10, Duration::from_secs(5));
        let mut first = Reservation::default();
        memory.hold(&mut first, 1).await.unwrap();
        memory.hold(&mut first, 10 << 10).await.unwrap();
        assert_eq!(first.bytes(), STEP_BYTES);
        assert!(!memory.is_tight());
        memory.hold(&mut first, 90 << 10).await.unwrap();
        assert!(memory.is_tight());
        let mut second = Reservation::default();
        assert!(memory.hold(&mut second, 10 << 10).await.is_err());
        assert!(memory.try_hold(10 << 10).is_none());
        drop(first);
        memory.hold(&mut second, 10 << 10).await.unwrap();
        assert!(memory.try_hold(10 << 10).is_some());
    }
}
