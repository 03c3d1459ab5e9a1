//! The `LoggedRepo`: the versions, signers and yanks of one repo as a log has them.

use std::collections::BTreeMap;

use tool_hub_manifest::{ClaimedSigner, CommitId, Digest, Severity, Version};
use tool_hub_registry_client::RepoIndex;
use tool_hub_transparency::LogRecord;

/// One repo in a log.
#[derive(Debug, Default)]
pub(super) struct LoggedRepo {
    pub(super) versions: BTreeMap<Version, KnownVersion>,
    /// The signer by its last record; none where that is of a version that is not signed.
    pub(super) signer: Option<ClaimedSigner>,
    /// The places of its records.
    pub(super) index: RepoIndex,
}

/// One version in a log.
#[derive(Debug)]
pub(super) struct KnownVersion {
    /// The commits that had it.
    pub(super) commits: Vec<CommitId>,
    pub(super) manifest: Digest,
    pub(super) component: Option<Digest>,
    pub(super) yanked: Option<Severity>,
}

impl LoggedRepo {
    /// All repos of a log, by their names in lower case.
    pub(super) fn all(records: &[Vec<u8>]) -> BTreeMap<String, Self> {
        let mut repos: BTreeMap<String, Self> = BTreeMap::new();
        for (place, bytes) in (0..).zip(records) {
            // A record of a later version is kept and not understood.
            let Ok(record) = LogRecord::from_bytes(bytes) else {
                continue;
            };
            if let Some(repo) = record.repo() {
                let repo = repos.entry(repo.as_str().to_ascii_lowercase()).or_default();
                repo.note(place, &record);
            }
        }
        repos
    }

    /// Notes the record in this place, which is of this repo.
    pub(super) fn note(&mut self, place: u64, record: &LogRecord) {
        if let Some(version) = record.version() {
            self.index.entry(version.clone()).or_default().push(place);
        }
        match record {
            LogRecord::Version {
                version,
                commit,
                manifest,
                component,
                ..
            } => {
                let known = self.versions.entry(version.clone());
                let known = known.or_insert_with(|| KnownVersion {
                    commits: Vec::new(),
                    manifest: *manifest,
                    component: *component,
                    yanked: None,
                });
                known.commits.push(commit.clone());
            }
            LogRecord::Signer { signer, .. } => self.signer.clone_from(signer),
            LogRecord::Yank {
                version, severity, ..
            } => self.set_yank(version, Some(*severity)),
            LogRecord::Unyank { version, .. } => self.set_yank(version, None),
            LogRecord::Hidden { .. } | LogRecord::Unknown => {}
        }
    }

    fn set_yank(&mut self, version: &Version, yanked: Option<Severity>) {
        if let Some(known) = self.versions.get_mut(version) {
            known.yanked = yanked;
        }
    }
}
