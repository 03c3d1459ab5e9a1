//! The `KnownReleases`, `known_releases.toml`: what repos of tools said last of their versions.
//! So a yanked version is told of where nobody asks the registry.

pub(crate) mod known_repo;
mod told_yank;

use std::path::PathBuf;

use tool_hub_manifest::{Deprecation, LockedTool, Releases, RepoId, Severity, Version, Yank};
use tool_hub_registry_client::Client;
use url::Url;

use self::known_repo::KnownRepo;
use crate::error::Error;
use crate::remembered::Remembered;
use crate::settings::Settings;

const FILE: &str = "known_releases.toml";

/// The releases, by registry and repo. Repos that said nothing are not in it.
#[derive(Debug, Default)]
pub struct KnownReleases(Remembered<KnownRepo>);

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
        Remembered::read(&Self::file(settings)).map(Self)
    }

    /// The yank of a version, if it was yanked.
    pub fn yank(&self, endpoint: &Url, repo: &RepoId, version: &Version) -> Option<&Yank> {
        self.0.of(endpoint, repo)?.yanked.get(version)
    }

    /// The deprecation of a repo, if nobody should begin to use it.
    pub(crate) fn deprecation(&self, endpoint: &Url, repo: &RepoId) -> Option<&Deprecation> {
        self.0.of(endpoint, repo)?.deprecated.as_ref()
    }

    /// The yank of the version that is locked, if it was yanked.
    pub(crate) fn yank_of(&self, locked: &LockedTool) -> Option<&Yank> {
        let (endpoint, repo) = locked.source.repo()?;
        self.yank(endpoint, repo, &locked.version)
    }

    /// Notes the `yank` of a version that the user took nevertheless from a bundle. What a bundle
    /// says of other versions is not kept: a stranger may have made it.
    ///
    /// # Errors
    /// If the file cannot be read or changed.
    pub fn note_bundled(
        settings: &Settings,
        locked: &LockedTool,
        yank: &Yank,
    ) -> Result<(), Error> {
        Self::learn(settings, locked, yank, None)
    }

    /// Notes that the log of its registry, of this number of records, has a yank of a version,
    /// which the registry does not say.
    ///
    /// # Errors
    /// If the file cannot be read or changed.
    pub(crate) fn note_logged(
        settings: &Settings,
        locked: &LockedTool,
        severity: Severity,
        records: u64,
    ) -> Result<(), Error> {
        let reason = "the registry's log says so, and the registry keeps it back";
        let yank = Yank {
            severity,
            reason: reason.parse().expect("a reason"),
            replaced_by: None,
        };
        Self::learn(settings, locked, &yank, Some(records))
    }

    fn learn(
        settings: &Settings,
        locked: &LockedTool,
        yank: &Yank,
        records: Option<u64>,
    ) -> Result<(), Error> {
        let Some((endpoint, repo)) = locked.source.repo() else {
            return Ok(());
        };
        let mut known = Self::known(settings, endpoint, repo)?;
        known.learn(&locked.version, yank, records);
        Remembered::note(&Self::file(settings), endpoint, repo, Some(&known))
    }

    /// Notes what `repo` says now, and returns what holds: a yank that was known and is gone, or is
    /// milder now, holds until the log of the registry of `client` says the same, if there is one.
    ///
    /// # Errors
    /// [`Error::Log`] where the log says otherwise, and if the file cannot be read or changed. What
    /// is worse than before is noted also then.
    pub async fn note(
        settings: &Settings,
        client: &Client,
        repo: &RepoId,
        releases: &Releases,
    ) -> Result<Releases, Error> {
        let endpoint = client.endpoint();
        let mut before = Self::known(settings, endpoint, repo)?;
        let settled = before.after(releases, repo, client, settings).await;
        let now = match &settled {
            Ok(now) => now,
            Err(_) => {
                for (version, yank) in &releases.yanked {
                    before.learn(version, yank, None);
                }
                &before
            }
        };
        let kept = (!now.is_empty()).then_some(now);
        Remembered::note(&Self::file(settings), endpoint, repo, kept)?;
        settled.map(Releases::from)
    }

    fn known(settings: &Settings, endpoint: &Url, repo: &RepoId) -> Result<KnownRepo, Error> {
        let known = Self::read(settings)?;
        Ok(known.0.of(endpoint, repo).cloned().unwrap_or_default())
    }
}
