//! An in-memory cache with a part for each caller, for long results and unseen turns.
//! All parts share a limit in bytes: an entry expires after an hour, and a full cache evicts from
//! the caller that keeps the most.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time for which an entry is kept.
pub(crate) const LIFETIME: Duration = Duration::from_secs(60 * 60);
/// The most entries that one caller keeps; the oldest one makes room.
pub(crate) const ENTRIES_MAX: usize = 1_000;
/// The most bytes of all entries together.
pub(crate) const BYTES_MAX: usize = 20 << 20;
/// The memory of an entry beside its own bytes.
const ENTRY_BYTES: usize = 256;

/// The entries of all callers. Clones are the same cache.
#[derive(Clone, Default)]
pub(crate) struct SharedCache(Arc<Mutex<Callers>>);

/// One caller's part of a cache, where no other caller finds anything. Clones are the same part.
#[derive(Clone)]
pub(crate) struct CallerCache {
    all: SharedCache,
    /// Its place among the others.
    index: usize,
}

#[derive(Default)]
struct Callers(Vec<Entries>);

/// The entries of one caller, the oldest first.
#[derive(Default)]
struct Entries {
    entries: VecDeque<Entry>,
    bytes: usize,
}

struct Entry {
    name: String,
    what: Arc<dyn Any + Send + Sync>,
    bytes: usize,
    until: Instant,
}

impl SharedCache {
    /// The cache of another caller.
    pub(crate) fn for_caller(&self) -> CallerCache {
        let mut callers = self.lock();
        callers.0.push(Entries::default());
        CallerCache {
            all: self.clone(),
            index: callers.0.len() - 1,
        }
    }

    /// Locks the entries and drops those that were kept long enough.
    fn lock(&self) -> MutexGuard<'_, Callers> {
        let mut callers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        for entries in &mut callers.0 {
            while entries
                .entries
                .front()
                .is_some_and(|oldest| oldest.until <= now)
            {
                entries.drop_oldest();
            }
        }
        callers
    }
}

impl CallerCache {
    /// Keeps `what`, of `bytes`, under `name`, instead of what had that name. Returns false if
    /// there is no room for it.
    pub(crate) fn keep<T: Any + Send + Sync>(
        &self,
        name: &str,
        what: Arc<T>,
        bytes: usize,
    ) -> bool {
        let bytes = bytes.saturating_add(name.len() + ENTRY_BYTES);
        if bytes > BYTES_MAX {
            return false;
        }
        let mut callers = self.all.lock();
        let own = &mut callers.0[self.index];
        own.forget(name);
        own.bytes += bytes;
        own.entries.push_back(Entry {
            name: name.to_owned(),
            what,
            bytes,
            until: Instant::now() + LIFETIME,
        });
        if own.entries.len() > ENTRIES_MAX {
            own.drop_oldest();
        }
        callers.make_room(self.index)
    }

    /// The entry of this name. It stays.
    pub(crate) fn get<T: Any + Send + Sync>(&self, name: &str) -> Option<Arc<T>> {
        let callers = self.all.lock();
        let mut own = callers.0[self.index].entries.iter();
        let found = own.find(|entry| entry.name == name)?;
        found.what.clone().downcast().ok()
    }
}

impl Callers {
    /// Drops entries until all have room. Returns false if the newest of `own` was among them: its
    /// caller would keep more than any other.
    fn make_room(&mut self, own: usize) -> bool {
        while self.0.iter().map(|entries| entries.bytes).sum::<usize>() > BYTES_MAX {
            let by_bytes = self.0.iter_mut().enumerate();
            let most = by_bytes.max_by_key(|(index, entries)| (entries.bytes, *index != own));
            let Some((index, most)) = most else {
                break;
            };
            most.drop_oldest();
            if index == own && most.entries.is_empty() {
                return false;
            }
        }
        true
    }
}

impl Entries {
    fn drop_oldest(&mut self) {
        if let Some(oldest) = self.entries.pop_front() {
            self.bytes -= oldest.bytes;
        }
    }

    fn forget(&mut self, name: &str) {
        let at = self.entries.iter().position(|entry| entry.name == name);
        if let Some(entry) = at.and_then(|at| self.entries.remove(at)) {
            self.bytes -= entry.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl CallerCache {
        fn keeps(&self, name: &str, bytes: usize) -> bool {
            self.keep(name, Arc::new(name.to_owned()), bytes)
        }

        fn has(&self, name: &str) -> bool {
            let found = self.get::<String>(name);
            found.is_some_and(|found| *found == name)
        }
    }

    #[test]
    fn the_oldest_goes_first() {
        let cache = SharedCache::default().for_caller();
        for number in 0..=ENTRIES_MAX {
            assert!(cache.keeps(&number.to_string(), 1));
        }
        assert!(!cache.has("0") && cache.has("1"));
        let half = BYTES_MAX / 2 - 2 * ENTRY_BYTES;
        assert!(cache.keeps("long", half) && cache.keeps("longer", half));
        assert!(!cache.has("1") && cache.has("long") && cache.has("longer"));
        assert!(!cache.keeps("longest", BYTES_MAX));
        assert!(cache.has("long") && !cache.has("longest"));
    }

    #[test]
    fn the_last_of_a_name_counts() {
        let cache = SharedCache::default().for_caller();
        assert!(cache.keep("a", Arc::new(1), 5) && cache.keep("a", Arc::new(2), 5));
        assert_eq!(cache.get("a"), Some(Arc::new(2)));
        let callers = cache.all.lock();
        assert_eq!(callers.0[0].entries.len(), 1);
        assert_eq!(callers.0[0].bytes, 5 + 1 + ENTRY_BYTES);
    }

    #[test]
    fn who_keeps_the_most_makes_room() {
        let cache = SharedCache::default();
        let [ann, robin] = [cache.for_caller(), cache.for_caller()];
        let quarter = BYTES_MAX / 4 - 2 * ENTRY_BYTES;
        for name in ["1", "2", "3", "4"] {
            assert!(ann.keeps(name, quarter));
        }
        assert!(robin.keeps("a", quarter) && robin.keeps("b", quarter));
        assert!(!ann.has("1") && !ann.has("2") && ann.has("3") && ann.has("4"));
        // It makes room itself as soon as it keeps more than the other.
        assert!(robin.keeps("c", quarter));
        assert!(!robin.has("a") && robin.has("c") && ann.has("3"));
        assert!(!robin.has("3"), "it is another's");
        assert!(!robin.keeps("d", 3 * quarter));
        assert!(ann.has("3"));
    }
}
