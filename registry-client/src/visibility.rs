//! The visibility of a repo: public or private.

use std::fmt;

/// The visibility of a repo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// Everybody can see a repo that the push creates. A repo that exists stays as it is.
    Public,
    /// Only its owners can see it. A push to a repo that everybody can see is refused.
    Private,
}

impl fmt::Display for Visibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Public => "public",
            Self::Private => "private",
        })
    }
}
