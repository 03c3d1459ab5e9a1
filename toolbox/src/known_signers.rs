//! The `KnownSigners`, `known_signers.toml`: the signers of what the user approved.
//! So a pin outlives the lock: a tool that is removed, or that another toolbox gets, has it too.

use std::path::PathBuf;

use tool_hub_manifest::{LockedTool, PackageSigner, RepoId, Source};
use url::Url;

use crate::error::Error;
use crate::remembered::Remembered;
use crate::settings::Settings;

const FILE: &str = "known_signers.toml";

/// The signers, by registry and repo. Repos whose tools were approved unsigned are not in it.
#[derive(Debug, Default)]
pub struct KnownSigners(Remembered<PackageSigner>);

impl KnownSigners {
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

    /// The signer of the version from this repo that the user approved last.
    pub(crate) fn of(&self, source: &Source) -> Option<&PackageSigner> {
        let (endpoint, repo) = source.repo()?;
        self.0.of(endpoint, repo)
    }

    /// Notes the signer of what the user approved.
    ///
    /// # Errors
    /// If the file cannot be read or changed.
    pub(crate) fn note(settings: &Settings, approved: &LockedTool) -> Result<(), Error> {
        let Some((endpoint, repo)) = approved.source.repo() else {
            return Ok(());
        };
        let signer = approved.signer.as_ref();
        Remembered::note(&Self::file(settings), endpoint, repo, signer)
    }

    fn file(settings: &Settings) -> PathBuf {
        settings.user.join(FILE)
    }
}
