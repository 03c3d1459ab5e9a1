//! The outcome of a call: a reply or a failure.

use super::{failure::Failure, reply::Reply};

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The function answered.
    Reply(Reply),
    /// It did not; the failure says why and how to call again.
    Failure(Failure),
}

impl Outcome {
    /// The reply, or the failure as an error.
    ///
    /// # Errors
    /// When the outcome is a failure.
    pub fn into_result(self) -> Result<Reply, Failure> {
        match self {
            Self::Reply(reply) => Ok(reply),
            Self::Failure(failure) => Err(failure),
        }
    }
}

impl From<Result<Reply, Failure>> for Outcome {
    fn from(result: Result<Reply, Failure>) -> Self {
        match result {
            Ok(reply) => Self::Reply(reply),
            Err(failure) => Self::Failure(failure),
        }
    }
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}
