//! A reason why a directory is dangerous to grant, and whether the user can override it.

use std::path::PathBuf;

/// The strength of a refusal: final, or one that the user can override by insisting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Nobody can grant it.
    Always,
    /// The user can accept the danger.
    UnlessInsisted,
}

/// A reason why a directory is dangerous to grant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The dangerous place: the directory itself, one above it or something in it.
    pub place: PathBuf,
    /// The strength of the refusal.
    pub refusal: Refusal,
    pub(super) says: String,
}

impl Finding {
    /// The reason in words: `it holds /home/ada/bin, which holds programs and their settings`.
    pub fn says(&self) -> &str {
        &self.says
    }
}
