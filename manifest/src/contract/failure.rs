//! A failed call: its kind, what went wrong, and how to call again.

use std::fmt;

use serde::{Serialize, Serializer};

use super::question::Question;

/// A failure written for the agent that made the call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// The cause, in one sentence.
    pub message: String,
    /// A change that makes the next call succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// The argument at fault, as a path: `items[2].price`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// True if the same call, unchanged, may succeed later.
    pub retryable: bool,
}

impl Failure {
    /// A failure that names neither an argument nor a fix and will not go away by itself.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            fix: None,
            argument: None,
            retryable: false,
        }
    }

    /// Says what to change.
    pub fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// Says which argument is at fault.
    pub fn with_argument(mut self, path: impl Into<String>) -> Self {
        self.argument = Some(path.into());
        self
    }

    /// Says that the same call may succeed later.
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.fix {
            Some(fix) => write!(f, "; {fix}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

/// The kind of a failure: the kinds of the contract, then those that only the host
/// can find.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FailureKind {
    /// The arguments are wrong, as the tool says.
    InvalidArgument,
    /// Something that the arguments name does not exist.
    NotFound,
    /// The tool says that it may not do this.
    PermissionDenied,
    /// Something that the call would change has changed meanwhile, or exists already.
    Conflict,
    /// The tool says that a limit of its own or of a service behind it was reached.
    LimitReached,
    /// A service behind the tool did not answer, or the host is busy.
    Unavailable,
    /// A fault of the tool itself.
    Internal,
    /// The tool failed and did not say of what kind the failure is.
    Failed,
    /// The arguments do not fit the function's schema; the tool did not run. It has the name
    /// of [`FailureKind::InvalidArgument`], since an agent mends both alike.
    MalformedArgument,
    /// The tool has no function of that name.
    UnknownFunction,
    /// The host refused something that was not granted; `capability` reads like
    /// `network https://example.com`.
    Denied {
        /// The capability that was not granted.
        capability: String,
    },
    /// The call reached one of the host's limits.
    HostLimit {
        /// The limit: the name of a field of [`Limits`](crate::Limits).
        limit: &'static str,
        /// Its value, in the unit that ends the name.
        value: u64,
    },
    /// The tool's code trapped.
    Trapped,
    /// The tool asked a question that has to travel to the person with this failure:
    /// answer it and make the whole call again.
    InputRequired(Box<Question>),
}

impl FailureKind {
    /// The kind in kebab-case: `invalid-argument`, `host-limit`, …
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::InvalidArgument | Self::MalformedArgument => "invalid-argument",
            Self::NotFound => "not-found",
            Self::PermissionDenied => "permission-denied",
            Self::Conflict => "conflict",
            Self::LimitReached => "limit-reached",
            Self::Unavailable => "unavailable",
            Self::Internal => "internal",
            Self::Failed => "failed",
            Self::UnknownFunction => "unknown-function",
            Self::Denied { .. } => "denied",
            Self::HostLimit { .. } => "host-limit",
            Self::Trapped => "trapped",
            Self::InputRequired(_) => "input-required",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for FailureKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
