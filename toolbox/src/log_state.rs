//! The checks that a state of a registry's log has to pass: its key, age and witnesses.

use time::{Duration, OffsetDateTime};
use tool_hub_transparency::{Checkpoint, LogKey, LogRecord, WitnessPolicy};
use url::Url;

use crate::error::Error;
use crate::known_logs::{KnownLog, KnownLogs};
use crate::logged_version::error::LogError;
use crate::settings::Settings;

/// The age at which the state that a registry shows of its log is too old to be believed.
pub(crate) const CHECKPOINT_AGE_MAX: Duration = Duration::days(7);

/// The most by which the clocks of a registry and its clients may differ.
const CLOCKS_DIFFER_MAX: Duration = Duration::hours(1);

/// The error of the log of the registry at `endpoint`.
pub(crate) fn not_trusted(endpoint: &Url, settings: &Settings, source: LogError) -> Error {
    Error::Log {
        endpoint: Box::new(endpoint.clone()),
        file: KnownLogs::file(settings),
        source: Box::new(source),
    }
}

/// Refuses a registry that shows no log, although it did before, or the user named witnesses of it.
pub(crate) fn no_log(
    endpoint: &Url,
    known: Option<&KnownLog>,
    settings: &Settings,
) -> Result<(), Error> {
    let missed = match (known, settings.witnesses_of(endpoint)) {
        (Some(_), _) => LogError::Vanished,
        (None, Some(_)) => LogError::Absent,
        (None, None) => return Ok(()),
    };
    Err(not_trusted(endpoint, settings, missed))
}

/// Refuses a checkpoint that too few of the user's witnesses cosigned in the days before `now`.
pub(crate) fn check_witnesses(
    policy: Option<&WitnessPolicy>,
    checkpoint: &str,
    now: OffsetDateTime,
) -> Result<(), LogError> {
    let counts = |seconds| {
        let age = now - time_of(seconds);
        age <= CHECKPOINT_AGE_MAX && age >= -CLOCKS_DIFFER_MAX
    };
    match policy {
        Some(policy) => Ok(policy.check(checkpoint, counts)?),
        None => Ok(()),
    }
}

/// The state of a log that `key` signed, which has to be the one that was `known` before.
pub(crate) fn opened_state(
    key: &LogKey,
    checkpoint: &str,
    known: Option<&LogKey>,
) -> Result<Checkpoint, LogError> {
    match known.filter(|known| *known != key) {
        None => Ok(key.open(checkpoint)?),
        Some(known) => Err(LogError::OtherKey {
            before: Box::new(known.clone()),
            now: Box::new(key.clone()),
        }),
    }
}

/// Refuses a state that is too old to be believed.
pub(crate) fn check_age(checkpoint: &Checkpoint, now: OffsetDateTime) -> Result<(), LogError> {
    let at = time_of(checkpoint.seconds());
    match now - at > CHECKPOINT_AGE_MAX {
        true => Err(LogError::Stale { at }),
        false => Ok(()),
    }
}

/// Refuses a record with a time from before the log had come to its place. `older` is the log as it
/// was seen before.
pub(crate) fn check_time(
    index: u64,
    record: &LogRecord,
    older: Option<&Checkpoint>,
) -> Result<(), LogError> {
    if let (Some(at), Some(older)) = (record.at(), older) {
        let seen = time_of(older.seconds());
        if index >= older.size() && at < seen - CLOCKS_DIFFER_MAX {
            return Err(LogError::Backdated { index, at, seen });
        }
    }
    Ok(())
}

/// The time that a checkpoint names in `seconds` since 1970.
pub(crate) fn time_of(seconds: u64) -> OffsetDateTime {
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}
