//! Divides memory and concurrency limits between callers with a token and callers without one.
//! The limits are the turns for requests with long lists.
//!
//! Strangers have a part of their own. They can fill it and stall, and callers with a token do not
//! wait for them.
//!
//! A request takes memory for its body, then a turn, then memory for its answer, and never in
//! another order, so requests cannot wait for each other in a circle. Each wait is bounded by
//! [`Limits::buffer_wait_max`] and ends in 503.

use super::{Memory, Turns};
use crate::limits::Limits;

/// Callers without a token share one part in this many of the memory.
const STRANGERS_PART: usize = 6;

/// The part of one kind of caller. Cloning gives another handle to the same one.
#[derive(Debug, Clone)]
pub(crate) struct Share {
    /// Longest body that is read as a whole.
    pub(crate) body_bytes_max: usize,
    pub(crate) bodies: Memory,
    pub(crate) answers: Memory,
    pub(crate) turns: Turns,
}

impl Share {
    pub(crate) fn of_strangers(limits: &Limits) -> Self {
        let memory = |bytes_max| Memory::new(bytes_max / STRANGERS_PART, limits.buffer_wait_max);
        Self {
            body_bytes_max: limits.anonymous_body_bytes_max.min(limits.json_bytes_max),
            bodies: memory(limits.buffered_bytes_max),
            answers: memory(limits.answer_bytes_max),
            turns: Turns::new(
                limits.long_lists_max / 2,
                limits.listings_max / 2,
                limits.buffer_wait_max,
            ),
        }
    }

    /// The rest, for callers with a token.
    pub(crate) fn of_known(limits: &Limits) -> Self {
        let rest = |bytes_max: usize| bytes_max - bytes_max / STRANGERS_PART;
        let memory = |bytes_max| Memory::new(rest(bytes_max), limits.buffer_wait_max);
        Self {
            body_bytes_max: limits.json_bytes_max,
            bodies: memory(limits.buffered_bytes_max),
            answers: memory(limits.answer_bytes_max),
            turns: Turns::new(
                limits.long_lists_max.div_ceil(2),
                limits.listings_max.div_ceil(2),
                limits.buffer_wait_max,
            ),
        }
    }

    /// True if less than half of its memory for bodies or for answers is free.
    pub(crate) fn is_low(&self) -> bool {
        self.bodies.is_low() || self.answers.is_low()
    }
}
