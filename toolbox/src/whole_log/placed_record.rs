//! The `PlacedRecord`: a record of a log with its place.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tool_hub_manifest::{ClaimedSigner, RepoId, Version};
use tool_hub_transparency::{JobIdentity, LogRecord};

use crate::package_signature::claim_in_words;

/// A record with its place, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedRecord {
    /// The place.
    pub index: u64,
    /// The record.
    pub record: LogRecord,
}

/// The state of a repo before a record, as far as that was read.
#[derive(Debug)]
pub struct RepoBefore<'a> {
    /// The repository that the version before was built from, if a build service published it; none
    /// where there is no version before.
    pub built_from: Option<Option<String>>,
    /// The signer, if versions were signed; none where no record says so.
    pub signer: Option<Option<&'a ClaimedSigner>>,
}

impl PlacedRecord {
    /// Repo, version and time, by the registry's clock; none of a hidden record, nor of one of a
    /// kind that is not known.
    pub fn subject(&self) -> Option<(&RepoId, &Version, OffsetDateTime)> {
        let record = &self.record;
        Some((record.repo()?, record.version()?, record.at()?))
    }

    /// The event in words, after what was `before`.
    pub fn in_words(&self, before: RepoBefore<'_>) -> String {
        let LogRecord::Version {
            commit, publisher, ..
        } = &self.record
        else {
            return match &self.record {
                LogRecord::Signer { signer, .. } => {
                    let signed = claim_in_words(signer.as_ref());
                    match before.signer {
                        Some(before) => format!("{signed}, and before {}", claim_in_words(before)),
                        None => signed,
                    }
                }
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
        let built = match (source, before.built_from) {
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
