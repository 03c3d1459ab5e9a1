//! The `BundleOrigin` of a tool: the bundle that it came in, and what that could not prove.

use std::fmt;
use std::path::PathBuf;

use time::{Date, OffsetDateTime};
use tool_hub_transparency::LogKey;

/// The end of a bundle's name, by which it is told apart from other files.
pub const EXTENSION: &str = ".tools";

/// The bundle that a tool came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleOrigin {
    /// The file.
    pub path: PathBuf,
    /// True if the log that this machine knows has the version, by the key that it knows.
    pub is_proved: bool,
    /// The things that cannot be known without the registry.
    pub doubts: Vec<Doubt>,
}

impl BundleOrigin {
    /// Adds what could not be proved of a tool that this one depends on, each doubt once.
    pub(crate) fn add_doubts_of(&mut self, dependency: &Self) {
        self.is_proved &= dependency.is_proved;
        for doubt in &dependency.doubts {
            if !self.doubts.contains(doubt) {
                self.doubts.push(doubt.clone());
            }
        }
    }
}

/// Something that a bundle cannot prove and the registry could.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// It has no record of a log.
    NoRecord,
    /// It may lack records of the version: each that it has is proved, but not that these are all.
    RecordsLeftOut,
    /// Nobody on this machine has seen the log.
    UnknownLog {
        /// The key that signs it, as the bundle says.
        key: Box<LogKey>,
    },
    /// The state of the log is older than the one that was seen here.
    OlderState {
        /// The number of its records.
        records: u64,
        /// The number of records that were seen.
        seen: u64,
    },
    /// The state of the log is newer than the one that was seen here.
    NewerState {
        /// The number of its records.
        records: u64,
        /// The number of records that were seen.
        seen: u64,
    },
    /// The state of the log is more than a week old.
    StaleState {
        /// The time by the registry's clock.
        at: OffsetDateTime,
    },
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRecord => f.write_str(
                "the bundle has no record of a log: that the registry published this is the word of \
                 whoever made the bundle",
            ),
            Self::RecordsLeftOut => f.write_str(
                "the log may have more records of this version than the bundle, such as a yank or \
                 another signer: only the registry can show them, when `verify --log` asks it",
            ),
            Self::UnknownLog { key } => write!(
                f,
                "this machine has not seen the log of the registry, whose key the bundle gives as \
                 {key}: that it is so, and that the registry published this, is the word of whoever \
                 made the bundle"
            ),
            Self::OlderState { records, seen } => write!(
                f,
                "the bundle shows the log at {records} records, and {seen} were seen here: what was \
                 yanked since is not in it"
            ),
            Self::NewerState { records, seen } => write!(
                f,
                "the bundle shows the log at {records} records, and {seen} were seen here: only the \
                 registry can show that it begins with those, when `verify --log` asks it"
            ),
            Self::StaleState { at } => {
                let day: Date = at.date();
                write!(
                    f,
                    "the bundle shows the log as of {day}, more than 7 days ago: what was yanked \
                     since is not in it"
                )
            }
        }
    }
}
