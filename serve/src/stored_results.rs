//! Keeps in memory tool results too long for one answer, for the agent to read in pieces.

mod passages;
mod read;
mod shorten;
#[cfg(test)]
mod tests;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cache::{CallerCache, SharedCache};
use passages::Passages;

/// The beginning of an answer's address.
const URI: &str = "tool-hub://answers/";

/// The answers that one caller keeps. No other caller can read them.
pub(crate) struct StoredResults {
    /// Tells the answers of this run from those of one before, which an agent may remember.
    run: u32,
    /// The number of answers that were stored so far.
    count: AtomicU64,
    cache: CallerCache,
}

/// A long answer.
pub(crate) struct StoredResult {
    pub(crate) id: String,
    /// The function that gave it, by the name agents see.
    pub(crate) function: String,
    pub(crate) media_type: &'static str,
    pub(crate) text: String,
    pub(crate) passages: Passages,
}

impl StoredResults {
    /// Results in a cache of their own.
    pub(crate) fn new() -> Self {
        Self::on(SharedCache::default().for_caller())
    }

    /// Results in `cache`.
    pub(crate) fn on(cache: CallerCache) -> Self {
        Self {
            run: RandomState::new().hash_one(()) as u32,
            count: AtomicU64::new(0),
            cache,
        }
    }

    /// Returns true if nothing was ever stored.
    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Keeps `text`, if there is room for it.
    fn keep(
        &self,
        function: &str,
        media_type: &'static str,
        mut text: String,
        bytes_max: usize,
    ) -> Option<Arc<StoredResult>> {
        text.shrink_to_fit();
        let count = 1 + self.count.fetch_add(1, Ordering::Relaxed);
        let answer = Arc::new(StoredResult {
            id: format!("{:08x}-{count}", self.run),
            function: function.to_owned(),
            media_type,
            passages: Passages::of(&text, bytes_max),
            text,
        });
        let bytes = answer.text.len() + answer.passages.memory_bytes();
        let is_kept = self.cache.keep(&answer.id, answer.clone(), bytes);
        is_kept.then_some(answer)
    }

    /// The answer that agents know by `id`, or by its address.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<StoredResult>> {
        self.cache.get(id.strip_prefix(URI).unwrap_or(id))
    }
}

impl StoredResult {
    /// The address by which it can be read as a resource.
    pub(crate) fn uri(&self) -> String {
        format!("{URI}{}", self.id)
    }
}
