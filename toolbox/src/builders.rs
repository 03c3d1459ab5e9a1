//! The `Builders` of a version: whoever attests to it, and the repository that it was built from.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{LockedTool, LogEntry, PackageSigner};

use crate::fetched::Fetched;
use crate::package_attestations::PackageAttestations;
use crate::provenance::Provenance;
use crate::remembered::Remember;

/// The build service and the repository that a version comes from, where either is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Builders {
    /// Whoever attested to it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub attested_by: BTreeSet<PackageSigner>,
    /// The repository that it was built from, by the log of its registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub built_from: Option<String>,
}

impl Remember for Builders {}

impl From<&LockedTool> for Builders {
    fn from(locked: &LockedTool) -> Self {
        let logged = locked.logged.as_ref();
        Self {
            attested_by: locked.attested_by.clone(),
            built_from: logged.and_then(|it| it.built_from.clone()),
        }
    }
}

impl From<&Fetched> for Builders {
    fn from(fetched: &Fetched) -> Self {
        Self::of(&fetched.attestations, fetched.logged.as_ref())
    }
}

impl From<&Provenance> for Builders {
    fn from(from: &Provenance) -> Self {
        Self::of(&from.attestations, from.logged.as_ref())
    }
}

impl Builders {
    /// The repository, as the end of a line.
    pub fn repository_in_words(&self) -> String {
        match &self.built_from {
            Some(repository) => format!("built from {repository}"),
            None => "built from no repository that its registry names".to_owned(),
        }
    }

    fn of(attestations: &PackageAttestations, logged: Option<&LogEntry>) -> Self {
        Self {
            attested_by: attestations.publishers(),
            built_from: logged.and_then(|it| it.built_from.clone()),
        }
    }
}
