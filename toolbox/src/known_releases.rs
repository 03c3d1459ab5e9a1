//! The `KnownReleases`, `known_releases.toml`: what repos of tools said last of their versions.
//! So a yanked version is told of where nobody asks the registry.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{LockedTool, Releases, RepoId, Source, Yank};
use url::Url;

use crate::error::Error;
use crate::files;
use crate::settings::Settings;

const FILE: &str = "known_releases.toml";
/// The file that a process locks while it changes the other one.
const GUARD_FILE: &str = ".known_releases.guard";

/// What is known, by registry and repo. Repos that said nothing are not in it.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KnownReleases {
    registries: BTreeMap<Url, BTreeMap<RepoId, Releases>>,
}

impl KnownReleases {
    /// The file in which they are written, if there are any.
    pub fn file(settings: &Settings) -> PathBuf {
        settings.user.join(FILE)
    }

    /// Reads the file.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Settings`].
    pub fn read(settings: &Settings) -> Result<Self, Error> {
        Ok(files::read_toml(&Self::file(settings))?.unwrap_or_default())
    }

    /// What `repo` said last.
    pub fn of(&self, endpoint: &Url, repo: &RepoId) -> Option<&Releases> {
        self.registries.get(endpoint)?.get(repo)
    }

    /// The yank of the version that is locked, if it was yanked.
    pub fn yank_of(&self, locked: &LockedTool) -> Option<&Yank> {
        let Source::Registry { endpoint, repo, .. } = &locked.source else {
            return None;
        };
        self.of(endpoint, repo)?.yanked.get(&locked.version)
    }

    /// Notes what `repo` says now.
    ///
    /// # Errors
    /// If the file cannot be read or changed.
    pub fn note(
        settings: &Settings,
        endpoint: &Url,
        repo: &RepoId,
        releases: &Releases,
    ) -> Result<(), Error> {
        let nothing = Releases::default();
        let is_known = |known: &Self| known.of(endpoint, repo).unwrap_or(&nothing) == releases;
        if is_known(&Self::read(settings)?) {
            return Ok(());
        }
        let _guard = files::Guard::take(&settings.user, GUARD_FILE)?;
        let mut known = Self::read(settings)?;
        let repos = known.registries.entry(endpoint.clone()).or_default();
        match releases.is_empty() {
            true => repos.remove(repo),
            false => repos.insert(repo.clone(), releases.clone()),
        };
        known.registries.retain(|_, repos| !repos.is_empty());
        let path = Self::file(settings);
        files::write(&path, files::toml_text(&path, &known)?.as_bytes())
    }
}
