//! Turns for work whose memory grows with a list, and which no bound on bodies bounds: a short
//! question can have a long answer.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::Limits;

/// Limits on how much of such work is done at once.
#[derive(Debug)]
pub(crate) struct Turns {
    lists: Arc<Semaphore>,
    listings: Arc<Semaphore>,
}

/// A turn, over when this is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    _permit: Option<OwnedSemaphorePermit>,
}

impl Turns {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            lists: Arc::new(Semaphore::new(limits.long_lists_max.max(1))),
            listings: Arc::new(Semaphore::new(limits.listings_max.max(1))),
        }
    }

    /// Waits for a turn to work on a long list that a client sent.
    pub(crate) async fn list(&self) -> Turn {
        take(&self.lists).await
    }

    /// Waits for a turn to list the files of a repository.
    pub(crate) async fn listing(&self) -> Turn {
        take(&self.listings).await
    }
}

async fn take(turns: &Arc<Semaphore>) -> Turn {
    // Nobody closes it.
    let permit = Arc::clone(turns).acquire_owned().await.ok();
    Turn { _permit: permit }
}
