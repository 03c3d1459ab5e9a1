//! Answers that are too long to be handed over at once, kept for the agent to read in pieces.

mod hold;
mod passages;
mod read;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use passages::Passages;

/// How long an answer is kept.
const LIFETIME: Duration = Duration::from_secs(30 * 60);
/// The most answers that are kept; the oldest one makes room.
const ANSWERS_MAX: usize = 64;
/// The most bytes of all answers together.
const BYTES_MAX: usize = 64 << 20;
/// What the address of an answer begins with.
const URI: &str = "tool-hub://answers/";

/// The answers that one toolset keeps. What its functions said is for those that may call
/// them, so toolsets share no shelf.
pub(crate) struct Shelf {
    /// Tells the answers of this run from those of one before, which an agent may remember.
    run: u32,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// The oldest first.
    answers: VecDeque<Arc<KeptAnswer>>,
    bytes: usize,
    /// How many there have been.
    count: u64,
}

/// A long answer.
pub(crate) struct KeptAnswer {
    pub(crate) id: String,
    /// The function that gave it, by the name agents see.
    pub(crate) function: String,
    pub(crate) media_type: &'static str,
    pub(crate) text: String,
    pub(crate) passages: Passages,
    until: Instant,
}

impl Shelf {
    pub(crate) fn new() -> Self {
        Self {
            run: RandomState::new().hash_one(()) as u32,
            kept: Mutex::default(),
        }
    }

    /// Keeps `text`, unless it is longer than the whole shelf.
    fn keep(
        &self,
        function: &str,
        media_type: &'static str,
        text: String,
        bytes_max: usize,
    ) -> Option<Arc<KeptAnswer>> {
        if text.len() > BYTES_MAX {
            return None;
        }
        let passages = Passages::of(&text, bytes_max);
        let mut kept = self.lock();
        kept.count += 1;
        kept.bytes += text.len();
        let answer = Arc::new(KeptAnswer {
            id: format!("{:08x}-{}", self.run, kept.count),
            function: function.to_owned(),
            media_type,
            passages,
            text,
            until: Instant::now() + LIFETIME,
        });
        kept.answers.push_back(answer.clone());
        while kept.answers.len() > ANSWERS_MAX || kept.bytes > BYTES_MAX {
            kept.drop_oldest();
        }
        Some(answer)
    }

    /// The answer that agents know by `id`, or by its address.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<KeptAnswer>> {
        let id = id.strip_prefix(URI).unwrap_or(id);
        let kept = self.lock();
        let mut answers = kept.answers.iter();
        answers.find(|answer| answer.id == id).cloned()
    }

    /// What is kept, without what has been kept long enough.
    fn lock(&self) -> MutexGuard<'_, Kept> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        while kept
            .answers
            .front()
            .is_some_and(|oldest| oldest.until <= now)
        {
            kept.drop_oldest();
        }
        kept
    }
}

impl Kept {
    fn drop_oldest(&mut self) {
        if let Some(oldest) = self.answers.pop_front() {
            self.bytes -= oldest.text.len();
        }
    }
}

impl KeptAnswer {
    /// Where it can be read as a resource.
    pub(crate) fn uri(&self) -> String {
        format!("{URI}{}", self.id)
    }
}
