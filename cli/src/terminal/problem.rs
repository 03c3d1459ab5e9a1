//! The error type for failures that a command finds itself, with an exit code and hints.

use std::fmt;

use crate::terminal::exit::Exit;
use crate::terminal::hints::Hint;

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

    /// The user asked to stop.
    pub(crate) fn interrupted() -> Self {
        Self::new(Exit::Interrupted, "interrupted")
    }

    fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            exit,
            hints: Vec::new(),
            source: None,
        }
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
