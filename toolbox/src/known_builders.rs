//! The `KnownBuilders`, `known_builders.toml`: what built the versions that the user approved.
//! So a build is remembered where the lock is gone, as a signer is.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{LockedTool, LogEntry, PackageSigner, RepoId, Source};
use url::Url;

use crate::error::Error;
use crate::fetched::Fetched;
use crate::package_attestations::PackageAttestations;
use crate::provenance::Provenance;
use crate::remembered::{Remember, Remembered};
use crate::settings::Settings;

const FILE: &str = "known_builders.toml";

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

/// The builders, by registry and repo. Repos of whose versions nobody said anything are not in it.
#[derive(Debug, Default)]
pub struct KnownBuilders(Remembered<Builders>);

impl KnownBuilders {
    /// Reads the file.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Settings`].
    pub fn read(settings: &Settings) -> Result<Self, Error> {
        Remembered::read(&Self::file(settings)).map(Self)
    }

    /// True if one is known of `repo` at `endpoint`.
    pub(crate) fn has(&self, endpoint: &Url, repo: &RepoId) -> bool {
        self.0.of(endpoint, repo).is_some()
    }

    /// What built the version from this place that the user approved last.
    pub(crate) fn of(&self, source: &Source) -> Option<&Builders> {
        let (endpoint, repo) = source.repo()?;
        self.0.of(endpoint, repo)
    }

    /// Notes what built the version that the user approved.
    ///
    /// # Errors
    /// If the file cannot be read or changed.
    pub(crate) fn note(settings: &Settings, approved: &LockedTool) -> Result<(), Error> {
        let Some((endpoint, repo)) = approved.source.repo() else {
            return Ok(());
        };
        let builders = Some(Builders::from(approved)).filter(|it| *it != Builders::default());
        Remembered::note(&Self::file(settings), endpoint, repo, builders.as_ref())
    }

    fn file(settings: &Settings) -> PathBuf {
        settings.user.join(FILE)
    }
}
