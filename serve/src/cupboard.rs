//! What is kept until somebody comes back for it: long answers, and turns that a client did not
//! see. All callers share one cupboard; where it is full, whoever keeps the most makes room.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a thing is kept.
pub(crate) const LIFETIME: Duration = Duration::from_secs(60 * 60);
/// The most things that one caller keeps; the oldest one makes room.
pub(crate) const THINGS_MAX: usize = 1_000;
/// The most bytes of all things together.
pub(crate) const BYTES_MAX: usize = 20 << 20;
/// The memory of a thing beside its own bytes.
const THING_BYTES: usize = 256;

/// The things of all callers. Clones are the same cupboard.
#[derive(Clone, Default)]
pub(crate) struct Cupboard(Arc<Mutex<Boards>>);

/// One caller's part of a cupboard, where no other caller finds anything. Clones are the same part.
#[derive(Clone)]
pub(crate) struct Board {
    all: Cupboard,
    /// Its place among the others.
    index: usize,
}

#[derive(Default)]
struct Boards(Vec<Things>);

/// The things of one caller, the oldest first.
#[derive(Default)]
struct Things {
    things: VecDeque<Thing>,
    bytes: usize,
}

struct Thing {
    name: String,
    what: Arc<dyn Any + Send + Sync>,
    bytes: usize,
    until: Instant,
}

impl Cupboard {
    /// A board for another caller.
    pub(crate) fn board(&self) -> Board {
        let mut boards = self.lock();
        boards.0.push(Things::default());
        Board {
            all: self.clone(),
            index: boards.0.len() - 1,
        }
    }

    /// What is kept, without what has been kept long enough.
    fn lock(&self) -> MutexGuard<'_, Boards> {
        let mut boards = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        for things in &mut boards.0 {
            while things
                .things
                .front()
                .is_some_and(|oldest| oldest.until <= now)
            {
                things.drop_oldest();
            }
        }
        boards
    }
}

impl Board {
    /// Keeps `what`, of `bytes`, under `name`, instead of what had that name. Returns false if there
    /// is no room for it.
    pub(crate) fn keep<T: Any + Send + Sync>(
        &self,
        name: &str,
        what: Arc<T>,
        bytes: usize,
    ) -> bool {
        let bytes = bytes.saturating_add(name.len() + THING_BYTES);
        if bytes > BYTES_MAX {
            return false;
        }
        let mut boards = self.all.lock();
        let own = &mut boards.0[self.index];
        own.forget(name);
        own.bytes += bytes;
        own.things.push_back(Thing {
            name: name.to_owned(),
            what,
            bytes,
            until: Instant::now() + LIFETIME,
        });
        if own.things.len() > THINGS_MAX {
            own.drop_oldest();
        }
        boards.make_room(self.index)
    }

    /// The thing of this name. It stays.
    pub(crate) fn get<T: Any + Send + Sync>(&self, name: &str) -> Option<Arc<T>> {
        let boards = self.all.lock();
        let mut own = boards.0[self.index].things.iter();
        let found = own.find(|thing| thing.name == name)?;
        found.what.clone().downcast().ok()
    }
}

impl Boards {
    /// Drops things until all have room. Returns false if the newest of `own` was among them: its
    /// caller would keep more than any other.
    fn make_room(&mut self, own: usize) -> bool {
        while self.0.iter().map(|things| things.bytes).sum::<usize>() > BYTES_MAX {
            let by_bytes = self.0.iter_mut().enumerate();
            let most = by_bytes.max_by_key(|(index, things)| (things.bytes, *index != own));
            let Some((index, most)) = most else {
                break;
            };
            most.drop_oldest();
            if index == own && most.things.is_empty() {
                return false;
            }
        }
        true
    }
}

impl Things {
    fn drop_oldest(&mut self) {
        if let Some(oldest) = self.things.pop_front() {
            self.bytes -= oldest.bytes;
        }
    }

    fn forget(&mut self, name: &str) {
        let at = self.things.iter().position(|thing| thing.name == name);
        if let Some(thing) = at.and_then(|at| self.things.remove(at)) {
            self.bytes -= thing.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Board {
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
        let board = Cupboard::default().board();
        for number in 0..=THINGS_MAX {
            assert!(board.keeps(&number.to_string(), 1));
        }
        assert!(!board.has("0") && board.has("1"));
        let half = BYTES_MAX / 2 - 2 * THING_BYTES;
        assert!(board.keeps("long", half) && board.keeps("longer", half));
        assert!(!board.has("1") && board.has("long") && board.has("longer"));
        assert!(!board.keeps("longest", BYTES_MAX));
        assert!(board.has("long") && !board.has("longest"));
    }

    #[test]
    fn the_last_of_a_name_counts() {
        let board = Cupboard::default().board();
        assert!(board.keep("a", Arc::new(1), 5) && board.keep("a", Arc::new(2), 5));
        assert_eq!(board.get("a"), Some(Arc::new(2)));
        let boards = board.all.lock();
        assert_eq!(boards.0[0].things.len(), 1);
        assert_eq!(boards.0[0].bytes, 5 + 1 + THING_BYTES);
    }

    #[test]
    fn who_keeps_the_most_makes_room() {
        let cupboard = Cupboard::default();
        let [ann, robin] = [cupboard.board(), cupboard.board()];
        let quarter = BYTES_MAX / 4 - 2 * THING_BYTES;
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
