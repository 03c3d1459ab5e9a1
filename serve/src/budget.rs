//! A memory budget for buffered bytes, with a share per caller, and estimates of JSON's memory.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// The most bytes that are buffered for all requests together: bodies and what is read from them,
/// replies of an endpoint, and answers until their clients have read them. Half of it, which is a
/// caller's share, is enough for the longest body.
pub(crate) const BUFFERED_BYTES_MAX: usize = 72 << 20;
/// The unit in which memory is counted, in bytes.
const UNIT_BYTES: usize = 1 << 10;

/// Bytes that all callers share. Clones are the same budget.
#[derive(Clone)]
pub(crate) struct Budget {
    units: Arc<Semaphore>,
    /// Wakes those who wait whenever something was given back.
    freed: Arc<Notify>,
    bytes: usize,
}

/// One caller's share of a budget. Clones are the same share.
#[derive(Clone)]
pub(crate) struct Share {
    all: Arc<Semaphore>,
    own: Arc<Semaphore>,
    freed: Arc<Notify>,
    /// Units held by those who wait for more.
    waiting: Arc<AtomicUsize>,
    bytes: usize,
}

/// Bytes of a share that are reserved until this is dropped: the most that were asked for.
pub(crate) struct Reservation {
    share: Share,
    units: usize,
    /// Permits of the caller's share and of the whole budget.
    taken: Vec<[OwnedSemaphorePermit; 2]>,
}

/// The reason why bytes cannot be reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReserveError {
    /// The share never holds so many.
    ExceedsShare,
    /// Others hold them at the moment.
    Exhausted,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Self::of(BUFFERED_BYTES_MAX)
    }

    fn of(bytes: usize) -> Self {
        Self {
            units: Arc::new(Semaphore::new(bytes / UNIT_BYTES)),
            freed: Arc::default(),
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
            freed: Arc::clone(&self.freed),
            waiting: Arc::default(),
            bytes,
        }
    }
}

impl Share {
    /// Holds nothing yet.
    pub(crate) fn held(&self) -> Reservation {
        Reservation {
            share: self.clone(),
            units: 0,
            taken: Vec::new(),
        }
    }
}

impl Reservation {
    /// Holds `bytes` in all, or more where more was held before. It does not wait.
    pub(crate) fn hold(&mut self, bytes: usize) -> Result<(), ReserveError> {
        let Some(units) = self.further(bytes)? else {
            return Ok(());
        };
        let Share { own, all, .. } = &self.share;
        let take = |room: &Arc<Semaphore>| {
            let taken = room.clone().try_acquire_many_owned(units);
            taken.map_err(|_| ReserveError::Exhausted)
        };
        let taken = [take(own)?, take(all)?];
        self.add(units, taken);
        Ok(())
    }

    /// As [`hold`](Self::hold), but waits for room. A reservation that holds something goes before
    /// those that hold nothing. It is refused if only others that wait themselves could make room
    /// for it. Callers limit the time.
    pub(crate) async fn wait(&mut self, bytes: usize) -> Result<(), ReserveError> {
        let share = self.share.clone();
        let mut waiting = None;
        loop {
            let mut freed = pin!(share.freed.notified());
            freed.as_mut().enable();
            let is_behind = self.units == 0 && share.waiting.load(Ordering::SeqCst) > 0;
            if !is_behind {
                match self.hold(bytes) {
                    Err(ReserveError::Exhausted) => {}
                    done => return done,
                }
            }
            if waiting.is_none() {
                let all = Waiting::new(&share, self.units);
                if self.units > 0
                    && all.units_with_others + bytes / UNIT_BYTES
                        > share.bytes / UNIT_BYTES + self.units
                {
                    return Err(ReserveError::Exhausted);
                }
                waiting = Some(all);
            }
            freed.await;
        }
    }

    /// True if nothing was counted.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.units == 0
    }

    /// The number of units that are missing until `bytes` are held.
    fn further(&self, bytes: usize) -> Result<Option<u32>, ReserveError> {
        if bytes > self.share.bytes {
            return Err(ReserveError::ExceedsShare);
        }
        let further = (bytes / UNIT_BYTES).saturating_sub(self.units);
        let further = u32::try_from(further).map_err(|_| ReserveError::ExceedsShare)?;
        Ok((further > 0).then_some(further))
    }

    fn add(&mut self, units: u32, taken: [OwnedSemaphorePermit; 2]) {
        self.units += units as usize;
        self.taken.push(taken);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.taken.clear();
        self.share.freed.notify_waiters();
    }
}

/// Somebody who waits for more than it holds.
struct Waiting<'a> {
    share: &'a Share,
    units: usize,
    /// The units that it and the others who wait hold.
    units_with_others: usize,
}

impl<'a> Waiting<'a> {
    fn new(share: &'a Share, units: usize) -> Self {
        Self {
            share,
            units,
            units_with_others: units + share.waiting.fetch_add(units, Ordering::SeqCst),
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.share.waiting.fetch_sub(self.units, Ordering::SeqCst);
        // Wakes those who stood back for it.
        self.share.freed.notify_waiters();
    }
}

/// Estimates the memory of the values in a JSON text from its separators, piece by piece.
#[derive(Default)]
pub(crate) struct Values {
    /// The separators. The brace of an object counts three times, because a small object takes the
    /// memory of three plain values.
    count: usize,
    /// The length of the text so far.
    length: usize,
    /// The length of the strings with escapes that have ended. Such a string cannot be borrowed
    /// from the text: whoever reads it copies it.
    escaped_bytes: usize,
    /// The place in the text at which the last string begins.
    string_start: usize,
    has_escapes: bool,
    is_string: bool,
    is_escaped: bool,
}

impl Values {
    pub(crate) fn add(&mut self, text: &[u8]) {
        for (place, byte) in (self.length..).zip(text) {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.is_string => (self.is_escaped, self.has_escapes) = (true, true),
                b'"' => {
                    self.escaped_bytes += self.open_escaped_bytes(place);
                    (self.string_start, self.has_escapes) = (place, false);
                    self.is_string = !self.is_string;
                }
                _ if self.is_string => {}
                b'{' => self.count += 3,
                b'[' | b',' | b':' => self.count += 1,
                _ => {}
            }
        }
        self.length += text.len();
    }

    /// Their memory where each takes `bytes`.
    pub(crate) fn bytes(&self, each: usize) -> usize {
        self.count.saturating_mul(each)
    }

    /// The length of the strings in which something is escaped, as they stand in the text.
    pub(crate) fn escaped_bytes(&self) -> usize {
        self.escaped_bytes + self.open_escaped_bytes(self.length)
    }

    /// The same of the string that reaches to `end`, if there is one.
    fn open_escaped_bytes(&self, end: usize) -> usize {
        match self.has_escapes {
            true => end - self.string_start,
            false => 0,
        }
    }
}

/// The memory of the values in the JSON `text`, where each takes `each` bytes.
pub(crate) fn value_bytes(text: &[u8], each: usize) -> usize {
    let mut values = Values::default();
    values.add(text);
    values.bytes(each)
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn what_grows_takes_as_much_as_there_ever_was() {
        let budget = Budget::of(8 * UNIT_BYTES);
        let (ann, robin) = (budget.share(2), budget.share(2));
        let mut reply = ann.held();
        assert_eq!(reply.hold(3 * UNIT_BYTES), Ok(()));
        assert_eq!(reply.hold(UNIT_BYTES), Ok(()));
        let mut other = ann.held();
        assert_eq!(other.hold(2 * UNIT_BYTES), Err(ReserveError::Exhausted));
        assert_eq!(other.hold(UNIT_BYTES), Ok(()));
        assert_eq!(reply.hold(5 * UNIT_BYTES), Err(ReserveError::ExceedsShare));
        assert_eq!(robin.held().hold(4 * UNIT_BYTES), Ok(()));
        drop(reply);
        assert_eq!(other.hold(4 * UNIT_BYTES), Ok(()));
    }

    #[test]
    fn strings_with_escapes_are_measured_across_pieces() {
        let text = r#"["plain", "a\"b", "\\", {"k": "a\nb"}, "open\"#;
        // With the quote before each.
        let whole = 1 + r#"a\"b"#.len() + 1 + r"\\".len() + 1 + r"a\nb".len() + 1 + r"open\".len();
        for length in 1..text.len() {
            let mut values = Values::default();
            text.as_bytes()
                .chunks(length)
                .for_each(|piece| values.add(piece));
            assert_eq!(values.escaped_bytes(), whole, "in pieces of {length}");
        }
    }

    #[tokio::test]
    async fn who_waits_for_more_goes_first_and_never_for_another_who_does() {
        let share = Budget::of(10 * UNIT_BYTES).share(1);
        let [mut done, mut one, mut other, mut new] = [(); 4].map(|()| share.held());
        done.hold(4 * UNIT_BYTES).unwrap();
        one.hold(3 * UNIT_BYTES).unwrap();
        other.hold(3 * UNIT_BYTES).unwrap();
        let mut one = Box::pin(one.wait(5 * UNIT_BYTES));
        let mut new = Box::pin(new.wait(UNIT_BYTES));
        assert!(one.as_mut().now_or_never().is_none());
        assert!(new.as_mut().now_or_never().is_none());
        // Both could wait for each other for ever.
        assert_eq!(
            other.wait(8 * UNIT_BYTES).await,
            Err(ReserveError::Exhausted)
        );
        drop(done);
        assert_eq!(one.await, Ok(()));
        assert_eq!(new.await, Ok(()));
        assert_eq!(
            other.wait(11 * UNIT_BYTES).await,
            Err(ReserveError::ExceedsShare)
        );
    }
}
