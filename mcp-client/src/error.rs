//! The `ServerError`: a server was not started, not reached, or not understood.

use std::path::PathBuf;
use std::time::Duration;

use tool_hub_cage::CageError;
use tool_hub_manifest::{Digest, VariableName};

use crate::tree::TreeError;

/// A server could not be started, reached or understood. Texts of the server in it are escaped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The cage did not start it.
    #[error(transparent)]
    Cage(#[from] CageError),
    /// A file or directory that belongs to it is not what was approved.
    #[error("{} has digest {actual}, and {expected} was approved", path.display())]
    Changed {
        /// The file or directory.
        path: PathBuf,
        /// The digest of what was approved.
        expected: Digest,
        /// The digest of what is there.
        actual: Digest,
    },
    /// Its files were not compared with what was approved, because the comparison ended early.
    #[error("the server's files could not be compared with what was approved")]
    Unchecked,
    /// A file or directory that belongs to it cannot be read.
    #[error(transparent)]
    Unreadable(#[from] TreeError),
    /// A credential that was granted has no value.
    #[error("the credential {name} has no value")]
    NoCredential {
        /// The credential.
        name: VariableName,
    },
    /// A credential cannot be sent as it is asked for.
    #[error("the credential {name} cannot be sent: {reason}")]
    Credential {
        /// The credential.
        name: VariableName,
        /// The reason.
        reason: &'static str,
    },
    /// It did not answer in time.
    #[error("the server did not answer `{what}` within {} s", time.as_secs())]
    Silent {
        /// The request.
        what: &'static str,
        /// The time that it had.
        time: Duration,
    },
    /// It ended, or the connection did, before it answered.
    #[error("the server ended before it answered `{what}`: {how}")]
    Ended {
        /// The request.
        what: &'static str,
        /// The reason of the end, as far as it is known.
        how: String,
    },
    /// It answered something else than the protocol says, or with an error.
    #[error("the server did not answer `{what}`: {reason}")]
    Protocol {
        /// The request.
        what: &'static str,
        /// The reason.
        reason: String,
    },
    /// It lists more than is read.
    #[error("the server lists more than {max} {what}")]
    TooMuch {
        /// The kind of thing that was counted.
        what: &'static str,
        /// The most that is read.
        max: usize,
    },
    /// The client for a remote server cannot be made.
    #[error("the client for the server cannot be made")]
    Client(#[source] reqwest::Error),
    /// It ended too often.
    #[error("the server ended {times} times in a row; it is started again in {} s", wait.as_secs())]
    TooOften {
        /// The number of starts.
        times: u32,
        /// The time until the next one.
        wait: Duration,
    },
}

impl ServerError {
    /// True if what is there is not what was approved.
    pub(crate) fn is_change(&self) -> bool {
        matches!(self, Self::Changed { .. } | Self::Unreadable(_))
    }
}
