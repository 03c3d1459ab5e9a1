//! The report of a scrub: what was hashed, and each fault that was found.

use std::fmt;

use crate::error::LogFault;

/// Most faults that are listed; all are counted.
const FAULTS_MAX: usize = 1_000;

/// The results of a scrub.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScrubReport {
    /// Objects of the content store that were hashed.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Git trees and commits that were hashed.
    pub git_objects: u64,
    /// Records of the log that were hashed.
    pub log_records: u64,
    /// The first thousand faults.
    pub faults: Vec<ScrubFault>,
    /// The number of faults.
    pub fault_count: u64,
}

/// Something that is not as it was stored. `{}` says it in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScrubFault {
    /// The bytes of a file are other bytes.
    ContentAltered {
        /// The digest they should have.
        sha256: String,
        /// The digest they have.
        found: String,
        /// `kind owner/name` of repositories with this file, at most ten.
        repositories: Vec<String>,
    },
    /// The bytes of a file cannot be read.
    ContentUnreadable {
        /// The digest they should have.
        sha256: String,
        /// The error of the store.
        reason: String,
        /// The same.
        repositories: Vec<String>,
    },
    /// A commit refers to bytes that are not there.
    ContentMissing {
        /// Their digest.
        sha256: String,
        /// The same.
        repositories: Vec<String>,
    },
    /// A tree or a commit in the database does not have its id.
    GitObjectAltered {
        /// `tree` or `commit`.
        kind: &'static str,
        /// The id it should have.
        oid: String,
        /// The id of its repository in the database.
        repository: String,
    },
    /// The log is not as it was written.
    Log(LogFault),
}

impl ScrubReport {
    /// True if everything is as it was stored. A command ends with failure when it is not.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.fault_count == 0
    }

    pub(super) fn add(&mut self, fault: ScrubFault) {
        tracing::error!(%fault, "the registry is damaged");
        self.fault_count += 1;
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(fault);
        }
    }
}

impl fmt::Display for ScrubFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ContentAltered {
                sha256,
                found,
                repositories,
            } => {
                write!(
                    f,
                    "content {sha256} is altered, it hashes to {found}{}",
                    Holders(repositories)
                )
            }
            Self::ContentUnreadable {
                sha256,
                reason,
                repositories,
            } => {
                write!(
                    f,
                    "content {sha256} cannot be read: {reason}{}",
                    Holders(repositories)
                )
            }
            Self::ContentMissing {
                sha256,
                repositories,
            } => {
                write!(f, "content {sha256} is missing{}", Holders(repositories))
            }
            Self::GitObjectAltered {
                kind,
                oid,
                repository,
            } => {
                write!(f, "{kind} {oid} of repository {repository} is altered")
            }
            Self::Log(fault) => fault.fmt(f),
        }
    }
}

struct Holders<'a>(&'a [String]);

impl fmt::Display for Holders<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("; no repository holds it"),
            holders => write!(f, "; held by {}", holders.join(", ")),
        }
    }
}
