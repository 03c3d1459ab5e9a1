//! The `MaliciousVersion`: an approved version that attacks its users, as its owner says.

use std::fmt;

use tool_hub_manifest::{Grants, ToolKey, Version, Yank};

/// A version that was approved and then yanked as malicious, of a tool or of one that it calls.
#[derive(Debug, Clone)]
pub struct MaliciousVersion {
    /// The toolbox's name of the tool.
    pub key: ToolKey,
    /// The place that the toolbox takes the tool from.
    pub origin: String,
    /// The place of the version, where it is of a tool that this one calls.
    pub called: Option<String>,
    /// The version.
    pub version: Version,
    /// The rights that it had.
    pub grants: Grants,
    /// The owner's words.
    pub yank: Yank,
}

impl fmt::Display for MaliciousVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            key,
            origin,
            called,
            version,
            yank,
            ..
        } = self;
        match called {
            None => write!(f, "`{key}` {version} of {origin} was yanked as {yank}"),
            Some(place) => {
                write!(
                    f,
                    "{place} {version}, which `{key}` calls, was yanked as {yank}"
                )
            }
        }
    }
}
