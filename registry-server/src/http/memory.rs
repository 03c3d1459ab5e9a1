//! A memory budget that connections share, for bodies or for answers, with waiting for room.
//!
//! Each of them has a limit of its own, but thousands of connections times that limit would exhaust
//! the memory.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::Refusal;

/// Memory is acquired in steps of this size, so that a short body needs only one.
const STEP_BYTES: usize = 16 << 10;

/// Memory that connections share. Cloning gives another handle to the same.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    free: Arc<Semaphore>,
    bytes_max: usize,
    /// The longest wait of a request for memory that others hold, all its waits together.
    wait_max: Duration,
}

/// Acquired memory, released on drop.
#[derive(Debug, Default)]
pub(crate) struct Reservation {
    permit: Option<OwnedSemaphorePermit>,
    /// The time that the request has waited for it.
    waited: Duration,
}

impl Reservation {
    pub(crate) const NOTHING: Self = Self {
        permit: None,
        waited: Duration::ZERO,
    };

    pub(crate) fn bytes(&self) -> usize {
        let permit = self.permit.as_ref();
        permit.map_or(0, OwnedSemaphorePermit::num_permits)
    }

    fn add(&mut self, more: OwnedSemaphorePermit) {
        match &mut self.permit {
            Some(permit) => permit.merge(more),
            None => self.permit = Some(more),
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

    /// Makes sure that `held` holds at least `bytes`, or all there is. Waits for a while if the
    /// budget is used up, then refuses.
    ///
    /// Requests that take more and more wait for each other with what they have. So the time is for
    /// all waits of a request together: with as much for each, a few dozen of them keep all the
    /// memory for minutes.
    pub(crate) async fn hold(&self, held: &mut Reservation, bytes: usize) -> Result<(), Refusal> {
        let wanted = bytes.next_multiple_of(STEP_BYTES).min(self.bytes_max);
        let more = match wanted.checked_sub(held.bytes()) {
            None | Some(0) => return Ok(()),
            Some(more) => u32::try_from(more).unwrap_or(u32::MAX),
        };
        if let Ok(permit) = Arc::clone(&self.free).try_acquire_many_owned(more) {
            held.add(permit);
            return Ok(());
        }
        let start = Instant::now();
        let left = self.wait_max.saturating_sub(held.waited);
        let taking = Arc::clone(&self.free).acquire_many_owned(more);
        let taken = tokio::time::timeout(left, taking).await;
        held.waited += start.elapsed();
        match taken {
            Ok(Ok(permit)) => {
                held.add(permit);
                Ok(())
            }
            _ => Err(overloaded()),
        }
    }

    /// Acquires memory for optional use, if half of the budget stays free.
    pub(crate) fn try_hold(&self, bytes: usize) -> Option<Reservation> {
        if self.free.available_permits() < self.bytes_max / 2 + bytes {
            return None;
        }
        let bytes = u32::try_from(bytes).ok()?;
        let mut held = Reservation::NOTHING;
        held.add(Arc::clone(&self.free).try_acquire_many_owned(bytes).ok()?);
        Some(held)
    }

    /// True if less than half of the budget is free.
    pub(crate) fn is_low(&self) -> bool {
        self.free.available_permits() < self.bytes_max / 2
    }
}

/// The refusal for who has waited too long.
pub(super) fn overloaded() -> Refusal {
    Refusal::try_again("the registry is overloaded; try again")
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
        let [mut second, mut third] = <[Reservation; 2]>::default();
        assert!(memory.hold(&mut second, 10 << 10).await.is_err());
        assert!(memory.try_hold(10 << 10).is_none());
        drop(first);
        memory.hold(&mut second, 10 << 10).await.unwrap();
        let beside = memory.try_hold(20 << 10).unwrap();
        assert!(memory.try_hold(20 << 10).is_none());
        drop(beside);
        // A body that is longer than the budget has all of it.
        drop(second);
        memory.hold(&mut third, 1 << 20).await.unwrap();
        assert_eq!(third.bytes(), 100 << 10);
    }

    #[tokio::test(start_paused = true)]
    async fn all_waits_of_a_request_together_are_bounded() {
        let memory = Memory::new(2 * STEP_BYTES, Duration::from_secs(5));
        let mut growing = Reservation::default();
        memory.hold(&mut growing, STEP_BYTES).await.unwrap();
        let mut other = Reservation::default();
        memory.hold(&mut other, STEP_BYTES).await.unwrap();
        let leaving = async {
            tokio::time::sleep(Duration::from_secs(4)).await;
            drop(other);
        };
        let wanted = 2 * STEP_BYTES;
        let (grown, ()) = tokio::join!(memory.hold(&mut growing, wanted), leaving);
        grown.unwrap();
        drop(growing.permit.as_mut().unwrap().split(STEP_BYTES));
        let mut other = Reservation::default();
        memory.hold(&mut other, STEP_BYTES).await.unwrap();
        let start = Instant::now();
        assert!(memory.hold(&mut growing, wanted).await.is_err());
        assert!(start.elapsed() < Duration::from_secs(2));
    }
}
