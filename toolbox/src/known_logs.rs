//! The `KnownLogs`, `known_logs.toml`: the last states that were seen of each registry's log.
//! So a registry that shows another history than before is found out, and one that backdates.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};
use tool_hub_transparency::{Checkpoint, CheckpointError, LogKey};
use url::Url;

use crate::error::Error;
use crate::files;
use crate::log_times::{SeenState, time_of};
use crate::registry_address::canonical;
use crate::settings::Settings;

const FILE: &str = "known_logs.toml";
/// The time for which earlier states are kept. It is longer than versions wait anywhere.
const EARLIER_AGE_MAX: Duration = Duration::days(30);
/// The least time between two of them.
const EARLIER_APART: Duration = Duration::hours(1);

/// The logs, by registry. A registry that never showed one is not in it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KnownLogs(BTreeMap<Url, KnownLog>);

/// One log, as it was seen last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownLog {
    /// The key that signs it. It is believed at first sight and never changes.
    pub key: LogKey,
    /// The checkpoint as it was signed, which proves to others what the registry showed.
    pub checkpoint: String,
    /// Smaller states before it, of the last weeks: a record is no older than a state without it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<SeenState>,
}

/// A known log whose checkpoint was read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SeenLog {
    pub(crate) key: LogKey,
    pub(crate) newest: Checkpoint,
    /// All states in which it was seen, but for those of the future.
    pub(crate) states: Vec<SeenState>,
}

impl KnownLog {
    /// The log that `key` signs, as it was seen for the first time.
    pub(crate) fn new(key: LogKey, checkpoint: String) -> Self {
        Self {
            key,
            checkpoint,
            earlier: Vec::new(),
        }
    }

    /// Reads the checkpoint. `now` says which states are of the future: the clock of the registry
    /// was wrong, or it lied.
    ///
    /// # Errors
    /// If the key did not sign it.
    pub(crate) fn seen(&self, now: OffsetDateTime) -> Result<SeenLog, CheckpointError> {
        let newest = self.key.open(&self.checkpoint)?;
        let states = self.earlier.iter().copied();
        let states = states.chain([SeenState::of(&newest)]);
        Ok(SeenLog {
            key: self.key.clone(),
            states: states.filter(|state| !state.is_ahead(now)).collect(),
            newest,
        })
    }

    /// This log with the state `last`, after which the state `newest` of `next` was seen, that goes
    /// on from it. The times that were seen before are kept.
    fn followed_by(
        &self,
        next: Self,
        [last, newest]: [&Checkpoint; 2],
        now: OffsetDateTime,
    ) -> Self {
        let state = SeenState::of(last);
        let mut log = Self {
            earlier: self.earlier.clone(),
            ..next
        };
        log.earlier.retain(|state| !state.is_ahead(now));
        if state.is_ahead(now) {
            return log;
        }
        if last.size() == newest.size() {
            if last.seconds() > newest.seconds() {
                log.checkpoint.clone_from(&self.checkpoint);
            }
            return log;
        }
        let at = time_of(state.seconds);
        let apart = |before: &SeenState| at - time_of(before.seconds) >= EARLIER_APART;
        if log.earlier.last().is_none_or(apart) {
            log.earlier.push(state);
        }
        log.earlier
            .retain(|state| now - time_of(state.seconds) <= EARLIER_AGE_MAX);
        log
    }
}

impl SeenLog {
    /// True for two states with the same records. They may have been signed at different times.
    fn has_records_of(&self, other: &Self) -> bool {
        let of = |log: &Self| (log.newest.size(), log.newest.root());
        self.key == other.key && of(self) == of(other)
    }
}

impl KnownLog {
    /// The number of its records; none if the checkpoint is not of its key.
    fn records(&self) -> Option<u64> {
        let checkpoint = self.key.open(&self.checkpoint).ok()?;
        Some(checkpoint.size())
    }
}

impl KnownLogs {
    /// The file in which they are written.
    pub fn file(settings: &Settings) -> PathBuf {
        settings.user.join(FILE)
    }

    /// Reads the file, if there is one.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Settings`].
    pub fn read(settings: &Settings) -> Result<Self, Error> {
        let Self(known) = files::read_toml(&Self::file(settings))?.unwrap_or_default();
        // An older file may have a registry twice. What is under its own address counts.
        let (own, others): (BTreeMap<_, _>, BTreeMap<_, _>) = known
            .into_iter()
            .partition(|(endpoint, _)| *endpoint == canonical(endpoint));
        let mut known = own;
        for (endpoint, log) in others {
            known.entry(canonical(&endpoint)).or_insert(log);
        }
        Ok(Self(known))
    }

    /// The log of the registry at `endpoint`.
    pub fn of(&self, endpoint: &Url) -> Option<&KnownLog> {
        self.0.get(&canonical(endpoint))
    }

    /// The number of records of the log of the registry at `endpoint`, as it was seen last.
    pub(crate) fn records_of(&self, endpoint: &Url) -> Option<u64> {
        self.of(endpoint)?.records()
    }

    /// Remembers `next`, which was checked to go on from what was known `before`. False where
    /// another process has noted another state meanwhile: nobody has held the two together, so
    /// nothing is changed, and the registry has to be asked again.
    ///
    /// # Errors
    /// If the file cannot be read or changed.
    pub(crate) fn note(
        settings: &Settings,
        endpoint: &Url,
        next: KnownLog,
        before: Option<&SeenLog>,
    ) -> Result<bool, Error> {
        let path = Self::file(settings);
        let now = OffsetDateTime::now_utc();
        let _guard = files::Guard::take(&settings.user, ".known_logs.guard")?;
        let mut known = Self::read(settings)?;
        let next = match known.of(endpoint) {
            None => next,
            Some(stored) => {
                let (Ok(seen), Ok(new)) = (stored.seen(now), next.seen(now)) else {
                    return Ok(false);
                };
                let is_before = before.is_some_and(|before| seen.has_records_of(before));
                if !is_before && !seen.has_records_of(&new) {
                    return Ok(false);
                }
                let next = stored.followed_by(next, [&seen.newest, &new.newest], now);
                if next == *stored {
                    return Ok(true);
                }
                next
            }
        };
        known.0.insert(canonical(endpoint), next);
        files::write_toml(&path, &known)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use tool_hub_transparency::{LogSigner, Tree};

    use super::*;

    const START: u64 = 1_800_000_000;
    const HOUR: u64 = 3600;

    /// A log of so many records, as it was signed so many seconds after the start.
    fn known(records: u64, seconds: u64) -> KnownLog {
        let (root, seconds) = (Tree::default().root(), START + seconds);
        let signer = LogSigner::from_seed("tools.example", &[7; 32]).unwrap();
        let note = signer.sign(records, root, seconds).unwrap();
        KnownLog::new(signer.key(), note)
    }

    /// The log after its next state, with that state and those before it.
    fn after(log: &KnownLog, records: u64, seconds: u64) -> (KnownLog, Vec<(u64, u64)>) {
        let (next, now) = (known(records, seconds), time_of(START + seconds));
        let [last, newest] = [log, &next].map(|log| log.seen(now).unwrap().newest);
        let log = log.followed_by(next, [&last, &newest], now);
        let states = log.seen(now).unwrap().states;
        let state = |state: SeenState| (state.size, state.seconds - START);
        (log, states.into_iter().map(state).collect())
    }

    #[test]
    fn the_later_time_of_a_state_is_kept() {
        let log = known(1, 9 * HOUR);
        let (log, states) = after(&log, 1, 9 * HOUR - 10);
        assert_eq!(states, [(1, 9 * HOUR)]);
        let (_, states) = after(&log, 1, 9 * HOUR + 10);
        assert_eq!(states, [(1, 9 * HOUR + 10)]);
    }

    #[test]
    fn smaller_states_are_kept_an_hour_apart_for_a_month() {
        let (log, states) = after(&known(1, 0), 2, 10);
        assert_eq!(states, [(1, 0), (2, 10)]);
        let (log, states) = after(&log, 3, HOUR);
        assert_eq!(states, [(1, 0), (3, HOUR)]);
        let (log, states) = after(&log, 4, HOUR + 10);
        assert_eq!(states, [(1, 0), (3, HOUR), (4, HOUR + 10)]);
        let month = 30 * 24 * HOUR;
        let (_, states) = after(&log, 5, HOUR + month);
        assert_eq!(states, [(3, HOUR), (5, HOUR + month)]);
        let mut log = known(1, 0);
        for hour in 1..800 {
            (log, _) = after(&log, 1 + hour, hour * HOUR);
        }
        assert_eq!(log.earlier.len(), 30 * 24);
    }

    #[test]
    fn a_state_of_the_future_counts_for_nothing() {
        let log = known(1, 9 * HOUR);
        for records in [1, 2] {
            assert_eq!(after(&log, records, 0).1, [(records, 0)]);
        }
        let (log, _) = after(&known(1, 0), 2, 9 * HOUR);
        let log = KnownLog {
            earlier: vec![SeenState::of(&log.seen(time_of(START)).unwrap().newest)],
            ..log
        };
        assert_eq!(after(&log, 3, HOUR).1, [(3, HOUR)]);
    }

    #[test]
    fn the_file_of_an_earlier_version_is_read() {
        let log = known(1, 0);
        let (key, note) = (&log.key, &log.checkpoint);
        let text =
            format!("[\"https://tools.example/\"]\nkey = \"{key}\"\ncheckpoint = '''\n{note}'''\n");
        let known: KnownLogs = toml_edit::de::from_str(&text).unwrap();
        let endpoint = "https://tools.example/".parse().unwrap();
        assert_eq!(known.of(&endpoint), Some(&log));
    }
}
