//! The checks that a state of a registry's log has to pass: it is there, its key and witnesses.

use time::OffsetDateTime;
use tool_hub_transparency::{Checkpoint, LogKey, WitnessPolicy};
use url::Url;

use crate::error::Error;
use crate::known_logs::{KnownLog, KnownLogs};
use crate::log_times::{CHECKPOINT_AGE_MAX, CLOCKS_DIFFER_MAX, time_of};
use crate::logged_version::error::LogError;
use crate::settings::Settings;

/// The most questions until a state goes on from what other processes noted meanwhile.
pub(crate) const QUESTIONS_MAX: usize = 20;

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
