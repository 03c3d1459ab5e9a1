//! The common memory budget of incoming request bodies.
//!
//! Each body has a limit of its own, but thousands of connections times that limit would exhaust
//! the memory.

use std::sync::Arc;
use std::time::Duration;

use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Refusal;

/// Memory is acquired in steps of this size, so that a short body needs only one.
const STEP_BYTES: usize = 16 << 10;

/// Memory that all connections share: for bodies, or for answers.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    free: Arc<Semaphore>,
    bytes_max: usize,
    /// The longest wait for memory that other requests hold.
    wait_max: Duration,
}

/// Acquired memory, released on drop.
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

    /// Makes sure that `held` holds at least `bytes`. Waits for a while if the budget is used up,
    /// then refuses.
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
            _ => Err(overloaded()),
        }
    }

    /// Acquires memory if it is free at once.
    pub(crate) fn try_hold(&self, bytes: usize) -> Option<Reservation> {
        let bytes = u32::try_from(bytes).ok()?;
        let permit = Arc::clone(&self.free).try_acquire_many_owned(bytes).ok()?;
        Some(Reservation(Some(permit)))
    }

    /// True if less than half of the budget is free.
    pub(crate) fn is_low(&self) -> bool {
        self.free.available_permits() < self.bytes_max / 2
    }
}

/// The refusal for a temporary overload.
pub(crate) fn overloaded() -> Refusal {
    Refusal::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "the registry is overloaded; try again",
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
        assert!(!memory.is_low());
        memory.hold(&mut first, 90 << 10).await.unwrap();
        assert!(memory.is_low());
        let mut second = Reservation::default();
        assert!(memory.hold(&mut second, 10 << 10).await.is_err());
        assert!(memory.try_hold(10 << 10).is_none());
        drop(first);
        memory.hold(&mut second, 10 << 10).await.unwrap();
        assert!(memory.try_hold(10 << 10).is_some());
    }
}
