//! The roles of tokens and of members of an organisation.

use std::fmt;

/// The most that a token allows; the rights of its owner bound it further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenRole {
    /// Reading what its owner may read.
    Read,
    /// Reading and writing.
    Write,
}

impl TokenRole {
    /// `read` or `write`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

impl fmt::Display for TokenRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The rights of a member in an organisation's repositories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemberRole {
    /// See and download the private ones.
    Read,
    /// Also create and commit.
    Write,
    /// Also change settings, move and delete.
    Admin,
}

impl MemberRole {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}
