//! What an error means to the person in front of the terminal: the exit code, and what to
//! do next.

use std::fmt;
use std::process::ExitCode;

use tool_hub_host::HostError;
use tool_hub_manifest::{DocumentError, GrantError, VerifyError};
use tool_hub_registry_client::{ClientError, StoreError};

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The user can mend it.
    User = 1,
    /// Nobody expected it.
    Unexpected = 2,
    /// A policy refused it: a digest, an approval, a limit.
    Refused = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// What is known about an error beyond its text.
#[derive(Debug)]
pub(crate) struct Diagnosis {
    pub(crate) exit: Exit,
    pub(crate) hints: Vec<String>,
}

/// Looks through the chain of causes for the first one that somebody understands.
pub(crate) fn of(error: &anyhow::Error) -> Diagnosis {
    for cause in error.chain() {
        let known = None
            .or_else(|| cause.downcast_ref::<Problem>().map(Hint::diagnosis))
            .or_else(|| cause.downcast_ref::<ClientError>().map(Hint::diagnosis))
            .or_else(|| cause.downcast_ref::<StoreError>().map(Hint::diagnosis))
            .or_else(|| cause.downcast_ref::<VerifyError>().map(Hint::diagnosis))
            .or_else(|| cause.downcast_ref::<HostError>().map(Hint::diagnosis))
            .or_else(|| cause.downcast_ref::<GrantError>().map(Hint::diagnosis))
            .or_else(|| cause.downcast_ref::<DocumentError>().map(Hint::diagnosis));
        if let Some(diagnosis) = known {
            return diagnosis;
        }
    }
    let user_can_mend = error.chain().any(|cause| {
        cause.is::<std::io::Error>() || cause.is::<url::ParseError>() || cause.is::<toml_edit::de::Error>()
    });
    Diagnosis {
        exit: if user_can_mend { Exit::User } else { Exit::Unexpected },
        hints: Vec::new(),
    }
}

/// Advice, kept apart from the errors that it is about.
trait Hint {
    fn exit(&self) -> Exit;
    fn hints(&self) -> Vec<String>;

    fn diagnosis(&self) -> Diagnosis {
        Diagnosis { exit: self.exit(), hints: self.hints() }
    }
}

/// A failure that a command found out itself.
#[derive(Debug)]
pub(crate) struct Problem {
    message: String,
    exit: Exit,
    hints: Vec<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Problem {
    /// Something the user can mend.
    pub(crate) fn user(message: impl Into<String>) -> Self {
        Self::new(Exit::User, message)
    }

    /// Something that a policy refused.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::new(Exit::Refused, message)
    }

    fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { message: message.into(), exit, hints: Vec::new(), source: None }
    }

    /// Adds what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds why it happened.
    pub(crate) fn caused_by(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl Hint for Problem {
    fn exit(&self) -> Exit {
        self.exit
    }

    fn hints(&self) -> Vec<String> {
        self.hints.clone()
    }
}

impl Hint for DocumentError {
    fn exit(&self) -> Exit {
        Exit::User
    }

    fn hints(&self) -> Vec<String> {
        let nearest = self.nearest.as_ref();
        nearest.map(|key| format!("did you mean `{key}`?")).into_iter().collect()
    }
}

impl Hint for GrantError {
    fn exit(&self) -> Exit {
        Exit::Refused
    }

    fn hints(&self) -> Vec<String> {
        vec!["leave the flag out: a tool is never granted more than its manifest asks for".to_owned()]
    }
}

impl Hint for VerifyError {
    fn exit(&self) -> Exit {
        match self {
            Self::Manifest(_) | Self::NotText | Self::NoComponentClaim => Exit::User,
            _ => Exit::Refused,
        }
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::DigestMismatch { .. } | Self::SizeMismatch { .. } => vec![
                "the bytes were changed on their way or in their place; nothing of them was used"
                    .to_owned(),
            ],
            Self::NoComponentClaim => vec!["run: tool build".to_owned()],
            Self::Manifest(error) => error.hints(),
            _ => Vec::new(),
        }
    }
}
