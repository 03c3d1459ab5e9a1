//! The `AdvisoryError` of reading a source of advisories, and the `Fault` of a single advisory.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tool_hub_agent::characters::escape_line;
use url::Url;

/// The most characters of a reason that are kept.
const REASON_CHARS_MAX: usize = 300;

/// A source of advisories cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdvisoryError {
    /// The text names no source.
    #[error("`{text}` names no source of advisories: {rule}")]
    NotASource {
        /// The text.
        text: String,
        /// The rule that it breaks.
        rule: String,
    },
    /// A file or directory cannot be read.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The copy that is kept is damaged.
    #[error("{} cannot be read", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: serde_json::Error,
    },
    /// The URL cannot be asked.
    #[error("{url} cannot be read")]
    Unreachable {
        /// The URL.
        url: Box<Url>,
        /// The cause.
        source: reqwest::Error,
    },
    /// The URL answers with something else than what was asked for.
    #[error("{url} answers with status {status}")]
    Refused {
        /// The URL.
        url: Box<Url>,
        /// The status.
        status: u16,
    },
    /// There is more than is read.
    #[error("{file} has more than {max} {of}, the limit")]
    TooMuch {
        /// The file or source.
        file: String,
        /// The limit.
        max: u64,
        /// The unit.
        of: &'static str,
    },
    /// The bytes are no archive.
    #[error("{file} is not a zip archive that can be read: {reason}")]
    NotAnArchive {
        /// The file.
        file: String,
        /// The reason.
        reason: String,
    },
    /// The archive is a bundle.
    #[error(
        "{file} is a bundle of tools: to read the advisories in it, name a path that ends in .tools"
    )]
    ABundle {
        /// The file.
        file: String,
    },
    /// The bytes are not JSON.
    #[error("{file} is neither JSON nor a zip archive: {reason}")]
    NotJson {
        /// The file.
        file: String,
        /// The reason.
        reason: String,
    },
}

/// A part of an advisory, or a whole one, that cannot be read. The rest of it and the others of its
/// source count nevertheless.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The file.
    pub file: String,
    /// The place in it, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// The mistake.
    pub reason: String,
}

impl Fault {
    /// A mistake at `pointer` of `file`. Both may hold strangers' text.
    pub fn new(file: &str, pointer: impl Into<String>, reason: impl fmt::Display) -> Self {
        let reason = reason.to_string();
        Self {
            file: file.to_owned(),
            pointer: pointer.into(),
            reason: reason.chars().take(REASON_CHARS_MAX).collect(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", escape_line(&self.file))?;
        if !self.pointer.is_empty() {
            write!(f, " at {}", escape_line(&self.pointer))?;
        }
        write!(f, ": {}", escape_line(&self.reason))
    }
}
