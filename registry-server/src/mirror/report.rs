//! The `MirrorReport`: what a run of a mirror took, and what it did not.

use std::fmt;

/// The results of a run of a mirror.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorReport {
    /// The records of the log that is served now; none where the upstream keeps none.
    pub records: Option<u64>,
    /// Those of them that are new.
    pub new_records: u64,
    /// The versions that are new here.
    pub versions: u64,
    /// The files that were fetched.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Versions that the upstream does not show any more.
    pub missing: Vec<Untaken>,
    /// Versions and branches that contradict the log or their manifest, or cannot be copied.
    pub refused: Vec<Untaken>,
}

/// A version or a branch that was not taken. `{}` says it in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Untaken {
    /// The version or branch: `owner/name v1.2.0`.
    pub subject: String,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for Untaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.subject, self.reason)
    }
}
