//! Memory limits for an endpoint's replies, reserved from the caller's share before they are read.
//! So no endpoint decides how much memory the server takes.

use serde_json::Value;

use super::refusal::Refusal;
use crate::budget::{Reservation, ReserveError, Share};

/// The most memory that reading one reply may take, in bytes.
const READING_BYTES_MAX: usize = 40 << 20;
/// The longest whole reply, and the most that the replies of all rounds of an answer may keep.
pub(super) const REPLY_BYTES_MAX: usize = 4 << 20;
/// A reply is kept as the model's message, in the calls that are read from it, in the next request,
/// and in that request as it is sent.
const COPIES: usize = 4;
/// The memory of a value beside its text, in bytes, in each of them.
const VALUE_BYTES: usize = 32;

/// The memory that one reply takes while it is read.
pub(super) struct ReplyReservation(Reservation);

/// The memory that the replies of all rounds take until the answer ends.
pub(super) struct KeptReplies {
    held: Reservation,
    /// The text of all replies, without its copies.
    bytes: usize,
}

impl ReplyReservation {
    pub(super) fn of(share: &Share) -> Self {
        Self(share.held())
    }

    /// Makes sure of room for `bytes` in all.
    pub(super) fn hold(&mut self, bytes: usize) -> Result<(), Refusal> {
        if bytes > READING_BYTES_MAX {
            return Err(refusal(ReserveError::ExceedsShare));
        }
        self.0.hold(bytes).map_err(refusal)
    }
}

impl KeptReplies {
    pub(super) fn of(share: &Share) -> Self {
        Self {
            held: share.held(),
            bytes: 0,
        }
    }

    /// Makes sure of room for `bytes` more.
    pub(super) fn add(&mut self, bytes: usize) -> Result<(), Refusal> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > REPLY_BYTES_MAX {
            return Err(Refusal::malformed(format!(
                "its replies have more than {REPLY_BYTES_MAX} bytes in all rounds"
            )));
        }
        self.held.hold(COPIES * self.bytes).map_err(refusal)
    }
}

fn refusal(why: ReserveError) -> Refusal {
    match why {
        ReserveError::ExceedsShare => {
            Refusal::malformed("its reply takes more memory than one may")
        }
        ReserveError::Exhausted => Refusal::Busy,
    }
}

/// The bytes that a part of a reply adds to what is kept.
pub(super) fn kept_bytes(part: &Value) -> usize {
    let inner = match part {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(kept_bytes).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| name.len() + kept_bytes(value))
            .sum(),
        _ => 0,
    };
    VALUE_BYTES + inner
}
