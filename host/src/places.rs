//! Places for calls: so many run at once, so many wait, and the next one is told that the
//! host is busy.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{Failure, FailureKind};

/// The places of a host.
#[derive(Debug)]
pub(crate) struct Places {
    free: Arc<Semaphore>,
    in_flight_max: u32,
    waiting: AtomicU32,
    waiting_max: u32,
}

impl Places {
    pub(crate) fn new(in_flight_max: u32, waiting_max: u32) -> Self {
        Self {
            free: Arc::new(Semaphore::new(in_flight_max as usize)),
            in_flight_max,
            waiting: AtomicU32::new(0),
            waiting_max,
        }
    }

    /// Waits for a place, at most `patience`. It is taken until the permit is dropped, which
    /// is when the guest is gone.
    pub(crate) async fn enter(&self, patience: Duration) -> Result<OwnedSemaphorePermit, Failure> {
        if let Ok(permit) = self.free.clone().try_acquire_owned() {
            return Ok(permit);
        }
        let _waiting = Waiting::enter(&self.waiting, self.waiting_max)
            .ok_or_else(|| self.busy(format!("{} wait", self.waiting_max)))?;
        let permit = tokio::time::timeout(patience, self.free.clone().acquire_owned()).await;
        match permit {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => {
                let waited = format!("this one waited for {} ms", patience.as_millis());
                Err(self.busy(waited))
            }
        }
    }

    fn busy(&self, why: String) -> Failure {
        let (in_flight, waiting) = (self.in_flight_max, self.waiting_max);
        Failure::new(
            FailureKind::Unavailable,
            format!(
                "the host is busy: {in_flight} calls run and {why} (limits \
                 calls_in_flight_max = {in_flight}, calls_waiting_max = {waiting})"
            ),
        )
        .with_fix("call again in a few seconds")
        .retryable()
    }
}

/// A place in the queue.
struct Waiting<'a>(&'a AtomicU32);

impl<'a> Waiting<'a> {
    fn enter(waiting: &'a AtomicU32, max: u32) -> Option<Self> {
        let entered = waiting.fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| {
            (count < max).then(|| count + 1)
        });
        entered.ok().map(|_| Self(waiting))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn those_beyond_the_places_wait_and_those_beyond_the_queue_are_told() {
        let places = Places::new(1, 1);
        let patience = Duration::from_millis(20);
        let inside = places.enter(patience).await.unwrap();
        let (waited, refused) = tokio::join!(places.enter(patience), places.enter(patience));
        assert_eq!(
            waited.unwrap_err().message,
            "the host is busy: 1 calls run and this one waited for 20 ms (limits \
             calls_in_flight_max = 1, calls_waiting_max = 1)"
        );
        assert_eq!(
            refused.unwrap_err().message,
            "the host is busy: 1 calls run and 1 wait (limits calls_in_flight_max = 1, \
             calls_waiting_max = 1)"
        );
        drop(inside);
        assert!(places.enter(patience).await.is_ok());
    }
}
