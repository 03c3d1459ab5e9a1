//! What a client does not carry from one request to the next: rounds that it never saw, kept
//! until it comes back with the answers to calls of its own.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Turns that are kept at once; the oldest go first.
const TURNS_MAX: usize = 1_000;
/// Bytes of JSON that are kept at once.
const BYTES_MAX: usize = 64 << 20;
/// How long a client may take to answer.
const LIFETIME: Duration = Duration::from_secs(60 * 60);

/// Turns by a name that only the client they belong to was told.
#[derive(Default)]
pub(super) struct Memory(Mutex<Turns>);

/// A turn that a client will go on with.
pub(super) struct Turn {
    /// What it is called by whom the client talks with, where that differs.
    pub(super) id: Option<String>,
    /// Messages or items that belong before what the client brings.
    pub(super) hidden: Vec<Value>,
}

#[derive(Default)]
struct Turns {
    by_name: HashMap<String, Kept>,
    /// Names in the order in which they were kept.
    order: VecDeque<String>,
    bytes_total: usize,
}

struct Kept {
    turn: Arc<Turn>,
    bytes: usize,
    since: Instant,
}

impl Memory {
    /// Keeps a turn. What is longer than everything that may be kept is not.
    pub(super) fn keep(&self, name: String, turn: Turn) {
        let bytes = turn.hidden.iter().map(|item| item.to_string().len()).sum();
        if bytes > BYTES_MAX {
            tracing::warn!(
                bytes,
                "a turn is too long to be kept; its client goes on without it"
            );
            return;
        }
        let kept = Kept {
            turn: Arc::new(turn),
            bytes,
            since: Instant::now(),
        };
        let mut turns = self.turns();
        turns.forget(&name);
        turns.bytes_total += bytes;
        turns.order.push_back(name.clone());
        turns.by_name.insert(name, kept);
        while turns.is_too_full()
            && let Some(oldest) = turns.order.front().cloned()
        {
            turns.forget(&oldest);
        }
    }

    /// The turn of this name. It stays: a client may go on from it more than once.
    pub(super) fn turn(&self, name: &str) -> Option<Arc<Turn>> {
        let turns = self.turns();
        let kept = turns.by_name.get(name)?;
        (kept.since.elapsed() < LIFETIME).then(|| Arc::clone(&kept.turn))
    }

    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turns {
    fn is_too_full(&self) -> bool {
        let oldest = self.order.front().and_then(|name| self.by_name.get(name));
        self.by_name.len() > TURNS_MAX
            || self.bytes_total > BYTES_MAX
            || oldest.is_some_and(|oldest| oldest.since.elapsed() >= LIFETIME)
    }

    fn forget(&mut self, name: &str) {
        if let Some(kept) = self.by_name.remove(name) {
            self.bytes_total -= kept.bytes;
            self.order.retain(|other| other != name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(text: &str) -> Turn {
        Turn {
            id: None,
            hidden: vec![text.into()],
        }
    }

    #[test]
    fn the_oldest_turns_go_first() {
        let memory = Memory::default();
        for number in 0..=TURNS_MAX {
            memory.keep(number.to_string(), turn("a"));
        }
        assert!(memory.turn("0").is_none());
        assert_eq!(memory.turn("1").unwrap().hidden, ["a"]);
        let half = "x".repeat(BYTES_MAX / 2 - 2);
        memory.keep("long".into(), turn(&half));
        memory.keep("longer".into(), turn(&half));
        assert!(memory.turn("1").is_none());
        assert!(memory.turn("long").is_some() && memory.turn("longer").is_some());
        memory.keep("longest".into(), turn(&"x".repeat(BYTES_MAX)));
        assert!(memory.turn("longest").is_none() && memory.turn("long").is_some());
    }

    #[test]
    fn the_last_turn_of_a_name_counts() {
        let memory = Memory::default();
        memory.keep("a".into(), turn("old"));
        memory.keep("a".into(), turn("new"));
        assert_eq!(memory.turn("a").unwrap().hidden, ["new"]);
        let turns = memory.turns();
        assert_eq!((turns.order.len(), turns.bytes_total), (1, 5));
    }
}
