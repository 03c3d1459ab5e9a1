//! The `PlacedRecord`: a record of a log with its place.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tool_hub_manifest::{RepoId, Version};
use tool_hub_transparency::{JobIdentity, LogRecord};

/// A record with its place, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedRecord {
    /// The place.
    pub index: u64,
    /// The record.
    pub record: LogRecord,
}

impl PlacedRecord {
    /// Repo, version and time, by the registry's clock; none of a hidden record, nor of one of a
    /// kind that is not known.
    pub fn subject(&self) -> Option<(&RepoId, &Version, OffsetDateTime)> {
        let record = &self.record;
        Some((record.repo()?, record.version()?, record.at()?))
    }

    /// The event in words. `before` is the repository that the version before was built from,
    /// as far as that is known.
    pub fn in_words(&self, before: Option<Option<String>>) -> String {
        let LogRecord::Version {
            commit, publisher, ..
        } = &self.record
        else {
            return match &self.record {
                LogRecord::Yank { severity, .. } => format!("yanked as {severity}"),
                LogRecord::Unyank { .. } => "given back".to_owned(),
                _ => "something that this version does not know".to_owned(),
            };
        };
        let source = publisher.as_deref().map(JobIdentity::source);
        let words = |source: Option<String>| match source {
            Some(source) => source,
            None => "no build service".to_owned(),
        };
        let built = match (source, before) {
            (source, Some(before)) if before != source => {
                let (source, before) = (words(source), words(before));
                format!(", built from {source}, and the version before from {before}")
            }
            (None, _) => String::new(),
            (source, _) => format!(", built from {}", words(source)),
        };
        format!("published, commit {commit}{built}")
    }
}
