//! The `CallerKey` type, which identifies a caller so that callers share a host's places fairly.

use std::fmt;
use std::sync::Arc;

/// Identifies a caller, so that each has a fair share of the host's places. The embedder chooses
/// the text; the host only compares it and never shows it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CallerKey(Arc<str>);

impl CallerKey {
    /// The same key for the same text.
    pub fn new(key: impl AsRef<str>) -> Self {
        Self(key.as_ref().into())
    }
}

/// Hides the text: an embedder may use a secret as the key.
impl fmt::Debug for CallerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallerKey")
    }
}
