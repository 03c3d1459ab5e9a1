//! The `LogWriterError`: a log in a data set cannot be gone on with.

use std::path::PathBuf;

use tool_hub_manifest::RepoId;
use tool_hub_transparency::{CheckpointError, KeyError, ProofError};

/// A log in a data set cannot be gone on with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LogWriterError {
    /// There is no key of the log.
    #[error("there is no key of the log in {}", path.display())]
    NoKey {
        /// The file.
        path: PathBuf,
    },
    /// A file holds no private key of a log.
    #[error("{} holds no private key of a log, PRIVATE+KEY+name+number+key", path.display())]
    NotAKey {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: KeyError,
    },
    /// The key cannot sign.
    #[error("the name of the log's key is none for a log")]
    Unsignable(#[source] KeyError),
    /// The system has no random bytes for a key.
    #[error("the system gives no random bytes for a key")]
    NoRandomness,
    /// The data set has no log.
    #[error("the data set {dataset} has no log")]
    NoLog {
        /// The data set.
        dataset: RepoId,
    },
    /// The data set has a log already.
    #[error("the data set {dataset} has a log already")]
    Exists {
        /// The data set.
        dataset: RepoId,
    },
    /// The data set had a log that was signed here, and has none now.
    #[error("the data set {dataset} had a log, and has none now")]
    Vanished {
        /// The data set.
        dataset: RepoId,
    },
    /// The data set has no log, and the key signs that of another one.
    #[error("the data set {dataset} has no log, and the key is that of {log}")]
    OtherLog {
        /// The data set.
        dataset: RepoId,
        /// The name of the log that the key signs.
        log: String,
    },
    /// The key did not sign the state that the data set shows.
    #[error("the log in the data set {dataset} cannot be gone on with")]
    Checkpoint {
        /// The data set.
        dataset: RepoId,
        /// The reason.
        source: CheckpointError,
    },
    /// The records are not those that were signed.
    #[error("the data set {dataset} is no log: {what}")]
    Damaged {
        /// The data set.
        dataset: RepoId,
        /// The fault.
        what: String,
    },
    /// The data set does not go on from what was signed here before.
    #[error("the log in the data set {dataset} is not the one that was signed here before")]
    NotContinued {
        /// The data set.
        dataset: RepoId,
        /// The reason.
        source: ProofError,
    },
}

impl LogWriterError {
    /// True if signing would be wrong.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Vanished { .. }
                | Self::Checkpoint { .. }
                | Self::Damaged { .. }
                | Self::NotContinued { .. }
        )
    }
}
