//! The times in a registry's log: neither a state nor a record is older than what was seen before.

use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime, UtcDateTime, UtcOffset};
use tool_hub_transparency::{Checkpoint, LogRecord};

use crate::logged_version::error::LogError;

/// The age at which the state that a registry shows of its log is too old to be believed.
pub(crate) const CHECKPOINT_AGE_MAX: Duration = Duration::days(7);

/// The most by which the clocks of a registry and its clients may differ.
pub(crate) const CLOCKS_DIFFER_MAX: Duration = Duration::hours(1);

/// A state of a log: it had so many records at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeenState {
    /// The number of its records.
    pub size: u64,
    /// The time by the registry's clock, in seconds since 1970.
    pub seconds: u64,
}

impl SeenState {
    /// The state that a checkpoint is of. TOML has no number that is greater than `i64::MAX`.
    pub(crate) fn of(checkpoint: &Checkpoint) -> Self {
        Self {
            size: checkpoint.size().min(i64::MAX.unsigned_abs()),
            seconds: checkpoint.seconds(),
        }
    }

    /// The state in which `record`, which is in place `index`, came to the log; none where it does
    /// not say when.
    pub(crate) fn before(index: u64, record: &LogRecord) -> Option<Self> {
        let seconds = u64::try_from(record.at()?.unix_timestamp()).ok()?;
        Some(Self {
            size: index,
            seconds,
        })
    }

    /// True for a state of the future, by which nothing is measured.
    pub(crate) fn is_ahead(&self, now: OffsetDateTime) -> bool {
        time_of(self.seconds) > now + CLOCKS_DIFFER_MAX
    }

    /// The time of this state, if that is later than `at` by more than clocks differ.
    fn time_if_later_than(&self, at: OffsetDateTime) -> Option<OffsetDateTime> {
        let seen = time_of(self.seconds);
        (at < seen - CLOCKS_DIFFER_MAX).then_some(seen)
    }
}

/// Refuses a state that is too old to be believed, of the future, or of a time at which the log was
/// `seen` with fewer records.
pub(crate) fn check_state(
    checkpoint: &Checkpoint,
    seen: &[SeenState],
    now: OffsetDateTime,
) -> Result<(), LogError> {
    let at = time_of(checkpoint.seconds());
    if SeenState::of(checkpoint).is_ahead(now) {
        return Err(LogError::Ahead { at });
    }
    if now - at > CHECKPOINT_AGE_MAX {
        return Err(LogError::Stale { at });
    }
    let records = checkpoint.size();
    let smaller = seen.iter().filter(|state| state.size < records);
    let later = smaller.filter_map(|state| Some((state.time_if_later_than(at)?, state.size)));
    match later.max() {
        None => Ok(()),
        Some((seen, seen_records)) => Err(LogError::StateBackdated {
            records,
            at,
            seen_records,
            seen,
        }),
    }
}

/// Refuses a record with a time from before the log had come to its place, by any state in which
/// the log was `seen`.
pub(crate) fn check_record(
    index: u64,
    record: &LogRecord,
    seen: &[SeenState],
) -> Result<(), LogError> {
    let Some(at) = record.at() else {
        return Ok(());
    };
    let without = seen.iter().filter(|state| index >= state.size);
    match without
        .filter_map(|state| state.time_if_later_than(at))
        .max()
    {
        None => Ok(()),
        Some(seen) => Err(LogError::Backdated { index, at, seen }),
    }
}

/// The time that a checkpoint names in `seconds` since 1970. One that no calendar has is the last.
pub(crate) fn time_of(seconds: u64) -> OffsetDateTime {
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    let latest = UtcDateTime::MAX.to_offset(UtcOffset::UTC);
    OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(latest)
}
