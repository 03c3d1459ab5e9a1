//! The error for a client's configuration that cannot be read, or cannot be changed safely.

use std::fmt;

/// The reason why a text cannot be read, or cannot be changed without changing other parts of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unreadable {
    /// The line that is to be mended, where there is one.
    pub(super) line: Option<usize>,
    pub(super) reason: String,
}

impl Unreadable {
    /// A fault of the text as a whole.
    pub(super) fn as_a_whole(reason: impl Into<String>) -> Self {
        Self {
            line: None,
            reason: reason.into(),
        }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for Unreadable {}
