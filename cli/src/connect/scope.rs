//! The scopes of clients' configurations: user and project.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// The scope of a configuration: the user's or a project's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    /// You, in every project
    User,
    /// Whoever works in this project
    Project,
}

impl Scope {
    /// The word for it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}
