//! The `KnownSigners`, `known_signers.toml`: the keys that signed what the user approved.
//! So a pin outlives the lock: a tool that is removed, or that another toolbox gets, has it too.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{KeyFingerprint, LockedTool, RepoId, Source};
use url::Url;

use crate::error::Error;
use crate::files;
use crate::settings::Settings;

const FILE: &str = "known_signers.toml";
/// The file that a process locks while it changes the other one.
const GUARD_FILE: &str = ".known_signers.guard";

/// The signers, by registry and repo. Repos whose tools were approved unsigned are not in it.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KnownSigners {
    registries: BTreeMap<Url, BTreeMap<RepoId, KeyFingerprint>>,
}

impl KnownSigners {
    /// Reads the file.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Settings`].
    pub fn read(settings: &Settings) -> Result<Self, Error> {
        Ok(files::read_toml(&Self::file(settings))?.unwrap_or_default())
    }

    /// The key that signed the version from this repo that the user approved last.
    pub fn of(&self, source: &Source) -> Option<KeyFingerprint> {
        let Source::Registry { endpoint, repo, .. } = source else {
            return None;
        };
        self.registries.get(endpoint)?.get(repo).copied()
    }

    /// Notes the signer of what the user approved.
    ///
    /// # Errors
    /// If the file cannot be read or changed.
    pub(crate) fn note(settings: &Settings, approved: &LockedTool) -> Result<(), Error> {
        let Source::Registry { endpoint, repo, .. } = &approved.source else {
            return Ok(());
        };
        if Self::read(settings)?.of(&approved.source) == approved.signer {
            return Ok(());
        }
        let _guard = files::Guard::take(&settings.user, GUARD_FILE)?;
        let mut known = Self::read(settings)?;
        let repos = known.registries.entry(endpoint.clone()).or_default();
        match approved.signer {
            Some(signer) => repos.insert(repo.clone(), signer),
            None => repos.remove(repo),
        };
        known.registries.retain(|_, repos| !repos.is_empty());
        let path = Self::file(settings);
        files::write(&path, files::toml_text(&path, &known)?.as_bytes())
    }

    fn file(settings: &Settings) -> PathBuf {
        settings.user.join(FILE)
    }
}
