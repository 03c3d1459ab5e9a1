//! Decides if a repository is private, from a request's members `visibility` and `private`.
//! Older clients send the latter.

use crate::http::Refusal;

/// Older clients send `private`, newer ones `visibility`, which goes before it.
pub(super) struct Visibility {
    visibility: Option<String>,
    private: Option<bool>,
}

impl Visibility {
    pub(super) fn new(visibility: Option<String>, private: Option<bool>) -> Self {
        Self {
            visibility,
            private,
        }
    }

    /// True if only those with a right in the repository may see it; `None` when the body does not
    /// say.
    pub(super) fn private(&self) -> Result<Option<bool>, Refusal> {
        match self.visibility.as_deref() {
            None => Ok(self.private),
            Some("private") => Ok(Some(true)),
            Some("public") => Ok(Some(false)),
            Some(other) => Err(Refusal::bad_request(format!(
                "\"visibility\" must be \"public\" or \"private\", not {other:?}"
            ))),
        }
    }
}
