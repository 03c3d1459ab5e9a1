//! Memory that requests share: a budget of bytes, and each caller's share of it, so that one
//! caller never takes all.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The unit in which memory is counted, in bytes.
const UNIT_BYTES: usize = 1 << 10;

/// Bytes that all callers share. Clones are the same budget.
#[derive(Clone)]
pub(crate) struct Budget {
    units: Arc<Semaphore>,
    bytes: usize,
}

/// One caller's share of a budget. Clones are the same share.
#[derive(Clone)]
pub(crate) struct Share {
    all: Arc<Semaphore>,
    own: Arc<Semaphore>,
    bytes: usize,
}

/// Bytes that are taken until this is dropped.
pub(crate) struct Taken {
    _own: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

/// Why bytes are not to be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoRoom {
    /// It is more than the share ever holds.
    Ever,
    /// Others hold them.
    Now,
}

/// Memory that grows: as much is taken as there ever was of it, until this is dropped.
pub(crate) struct Growing {
    share: Share,
    taken: Vec<Taken>,
    units: usize,
}

impl Budget {
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            units: Arc::new(Semaphore::new(bytes / UNIT_BYTES)),
            bytes,
        }
    }

    /// The share of one of `callers` callers: half of the budget if there are several.
    pub(crate) fn share(&self, callers: usize) -> Share {
        let bytes = match callers {
            0 | 1 => self.bytes,
            _ => self.bytes / 2,
        };
        Share {
            all: Arc::clone(&self.units),
            own: Arc::new(Semaphore::new(bytes / UNIT_BYTES)),
            bytes,
        }
    }
}

impl Share {
    /// True if the share can hold as much when nothing else is taken of it.
    pub(crate) fn can_hold(&self, bytes: usize) -> bool {
        bytes <= self.bytes
    }

    /// Waits for `bytes` of the share and then of the whole budget. Requests are served in order of
    /// arrival. It never returns `None`: nobody closes a budget.
    pub(crate) async fn take(&self, bytes: usize) -> Option<Taken> {
        let units = units(bytes);
        // While a request waits for its caller's share, it takes nothing of the common one.
        let own = self.own.clone().acquire_many_owned(units).await.ok()?;
        let of_all = self.all.clone().acquire_many_owned(units).await.ok()?;
        Some(Taken {
            _own: own,
            _of_all: of_all,
        })
    }

    /// Takes nothing yet.
    pub(crate) fn growing(&self) -> Growing {
        Growing {
            share: self.clone(),
            taken: Vec::new(),
            units: 0,
        }
    }

    fn try_take(&self, units: u32) -> Option<Taken> {
        let own = self.own.clone().try_acquire_many_owned(units).ok()?;
        let of_all = self.all.clone().try_acquire_many_owned(units).ok()?;
        Some(Taken {
            _own: own,
            _of_all: of_all,
        })
    }
}

impl Growing {
    /// Holds `bytes` in all, or more where more was needed before. It does not wait: who waits for
    /// more while holding some keeps others waiting who do the same.
    pub(crate) fn hold(&mut self, bytes: usize) -> Result<(), NoRoom> {
        if !self.share.can_hold(bytes) {
            return Err(NoRoom::Ever);
        }
        let further = (bytes / UNIT_BYTES).saturating_sub(self.units);
        if further == 0 {
            return Ok(());
        }
        let units = u32::try_from(further).map_err(|_| NoRoom::Ever)?;
        let taken = self.share.try_take(units).ok_or(NoRoom::Now)?;
        self.taken.push(taken);
        self.units += further;
        Ok(())
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX)
}

/// Estimates the memory of the values in the JSON `text` from its separators: `each` bytes for a
/// value, and three times as many for an object.
pub(crate) fn value_bytes(text: &[u8], each: usize) -> usize {
    let (mut bytes, mut is_string, mut is_escaped) = (0, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            _ if is_string => {}
            b'{' => bytes += 3 * each,
            b'[' | b',' | b':' => bytes += each,
            _ => {}
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_takes_as_much_as_there_ever_was() {
        let budget = Budget::new(8 * UNIT_BYTES);
        let (ann, robin) = (budget.share(2), budget.share(2));
        let mut reply = ann.growing();
        assert_eq!(reply.hold(3 * UNIT_BYTES), Ok(()));
        assert_eq!(reply.hold(UNIT_BYTES), Ok(()));
        let mut other = ann.growing();
        assert_eq!(other.hold(2 * UNIT_BYTES), Err(NoRoom::Now));
        assert_eq!(other.hold(UNIT_BYTES), Ok(()));
        assert_eq!(reply.hold(5 * UNIT_BYTES), Err(NoRoom::Ever));
        assert_eq!(robin.growing().hold(4 * UNIT_BYTES), Ok(()));
        drop(reply);
        assert_eq!(other.hold(4 * UNIT_BYTES), Ok(()));
    }
}
