//! Semaphores that limit how many requests work on long lists at once.
//!
//! The memory of such a request grows with the list. A bound on its body is not enough, because a
//! short request can have a long answer.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Refusal;
use super::memory::overloaded;

/// Limits on how much of such work is done at once.
#[derive(Debug, Clone)]
pub(crate) struct Turns {
    lists: Arc<Semaphore>,
    listings: Arc<Semaphore>,
    /// The longest wait for a turn.
    wait_max: Duration,
}

/// A turn, over when this is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    _permit: OwnedSemaphorePermit,
}

impl Turns {
    pub(crate) fn new(lists_max: usize, listings_max: usize, wait_max: Duration) -> Self {
        Self {
            lists: Arc::new(Semaphore::new(lists_max.max(1))),
            listings: Arc::new(Semaphore::new(listings_max.max(1))),
            wait_max,
        }
    }

    /// Waits for a turn to work on a long list that a client sent.
    pub(crate) async fn list(&self) -> Result<Turn, Refusal> {
        self.take(&self.lists).await
    }

    /// Waits for a turn to list the files of a repository.
    pub(crate) async fn listing(&self) -> Result<Turn, Refusal> {
        self.take(&self.listings).await
    }

    async fn take(&self, turns: &Arc<Semaphore>) -> Result<Turn, Refusal> {
        let taking = Arc::clone(turns).acquire_owned();
        match tokio::time::timeout(self.wait_max, taking).await {
            Ok(Ok(permit)) => Ok(Turn { _permit: permit }),
            _ => Err(overloaded()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_waits_too_long_for_a_turn_is_refused() {
        let turns = Turns::new(1, 0, Duration::from_secs(5));
        let first = turns.list().await.unwrap();
        assert!(turns.listing().await.is_ok());
        assert!(turns.list().await.is_err());
        drop(first);
        assert!(turns.list().await.is_ok());
    }
}
