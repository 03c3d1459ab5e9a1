//! The `MirrorSource`: the registry to mirror, and the part of it.

use tool_hub_transparency::LogKey;
use url::Url;

use crate::names::RepositoryPattern;

/// The registry to mirror, and the part of it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MirrorSource {
    /// The URL of the registry.
    pub upstream: Url,
    /// The repositories; empty for all of which the log speaks.
    pub only: Vec<RepositoryPattern>,
    /// The key that signs the log, where it is known. Without it the first one that is seen is
    /// believed.
    pub log_key: Option<LogKey>,
}

impl MirrorSource {
    /// All of a registry.
    #[must_use]
    pub fn all(upstream: Url) -> Self {
        Self {
            upstream,
            only: Vec::new(),
            log_key: None,
        }
    }

    /// True if the repository `owner/name` is to be mirrored.
    pub(super) fn covers(&self, owner: &str, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only.covers(owner, name))
    }

    /// The patterns as they are stored.
    pub(super) fn patterns(&self) -> String {
        let patterns: Vec<String> = self.only.iter().map(ToString::to_string).collect();
        patterns.join(" ")
    }
}
