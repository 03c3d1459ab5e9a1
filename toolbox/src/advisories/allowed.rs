//! The `AllowedAdvisories` of a user, in spite of which a version is taken that they would refuse.

use std::collections::BTreeSet;

use tool_hub_manifest::{AdvisoryId, RepoId, Version};
use url::Url;

use super::advisory::RefusedVersion;
use super::known::KnownAdvisories;
use crate::error::Error;
use crate::notices::{Notice, Notices};

/// The advisories in spite of which a version is taken that they would refuse.
#[derive(Debug, Clone, Default)]
pub enum AllowedAdvisories {
    /// None.
    #[default]
    None,
    /// All, for a look at the version.
    All,
    /// These.
    Named(BTreeSet<AdvisoryId>),
    /// These for this version only, which was approved so.
    OfVersion(Version, BTreeSet<AdvisoryId>),
}

impl AllowedAdvisories {
    /// Tells of the advisories about the `version` that was fetched, and refuses it where one says
    /// so and is not allowed. Returns those that would refuse it and are allowed.
    pub(crate) fn check(
        &self,
        known: &KnownAdvisories,
        (endpoint, repo): (&Url, &RepoId),
        version: &Version,
        notices: &dyn Notices,
    ) -> Result<BTreeSet<AdvisoryId>, Error> {
        let mut in_spite_of = BTreeSet::new();
        for found in known.about(endpoint, repo, version) {
            let advisory = found.advisory;
            let fixed = advisory.fixed_after(endpoint, repo, version);
            let refuses = advisory.severity.refuses();
            if refuses && !self.allow(&advisory.id, version) {
                return Err(Error::Advised(Box::new(RefusedVersion {
                    key: None,
                    called_by: None,
                    origin: repo.to_string(),
                    version: version.clone(),
                    id: advisory.id.clone(),
                    severity: advisory.severity,
                    fixed: fixed.cloned(),
                    source: found.source.clone(),
                })));
            }
            if refuses {
                in_spite_of.insert(advisory.id.clone());
            }
            if found.ignored.is_none() {
                notices.notice(&Notice::Advised {
                    tool: repo.as_str(),
                    version,
                    advisory,
                    fixed,
                    source: found.source,
                });
            }
        }
        Ok(in_spite_of)
    }

    fn allow(&self, id: &AdvisoryId, version: &Version) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Named(ids) => ids.contains(id),
            Self::OfVersion(of, ids) => of == version && ids.contains(id),
        }
    }
}
