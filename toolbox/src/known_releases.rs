//! The `KnownReleases`, `known_releases.toml`: what repos of tools said last of their versions.
//! So a yanked version is told of where nobody asks the registry.

use std::path::PathBuf;

use tool_hub_manifest::{LockedTool, Releases, RepoId, Severity, Source, Version, Yank};
use tool_hub_registry_client::Client;
use url::Url;

use crate::error::Error;
use crate::logged_version::LoggedVersion;
use crate::remembered::Remembered;
use crate::settings::Settings;

const FILE: &str = "known_releases.toml";

/// The most yanks that are looked up at a time, because they are gone.
const GONE_MAX: usize = 20;

/// The releases, by registry and repo. Repos that said nothing are not in it.
#[derive(Debug, Default)]
pub struct KnownReleases(Remembered<Releases>);

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

    /// The last word of `repo`.
    pub fn of(&self, endpoint: &Url, repo: &RepoId) -> Option<&Releases> {
        self.0.of(endpoint, repo)
    }

    /// The yank of the version that is locked, if it was yanked.
    pub fn yank_of(&self, locked: &LockedTool) -> Option<&Yank> {
        let Source::Registry { endpoint, repo, .. } = &locked.source else {
            return None;
        };
        self.of(endpoint, repo)?.yanked.get(&locked.version)
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
        Self::note_yank(settings, locked, yank.clone())
    }

    /// Notes that the log of its registry has a yank of a version, which the registry does not say.
    ///
    /// # Errors
    /// If the file cannot be read or changed.
    pub(crate) fn note_logged(
        settings: &Settings,
        locked: &LockedTool,
        severity: Severity,
    ) -> Result<(), Error> {
        let reason = "the registry's log says so, and the registry keeps it back";
        let yank = Yank {
            severity,
            reason: reason.parse().expect("a reason"),
            replaced_by: None,
        };
        Self::note_yank(settings, locked, yank)
    }

    fn note_yank(settings: &Settings, locked: &LockedTool, yank: Yank) -> Result<(), Error> {
        let Source::Registry { endpoint, repo, .. } = &locked.source else {
            return Ok(());
        };
        let mut releases = Self::read(settings)?
            .of(endpoint, repo)
            .cloned()
            .unwrap_or_default();
        releases
            .yanked
            .entry(locked.version.clone())
            .or_insert(yank);
        Remembered::note(&Self::file(settings), endpoint, repo, Some(&releases))
    }

    /// Notes what `repo` says now. A yank that was known and is gone has to be taken back in the
    /// log of the registry of `client`, if that keeps one.
    ///
    /// # Errors
    /// [`Error::Log`], and if the file cannot be read or changed.
    pub async fn note(
        settings: &Settings,
        client: &Client,
        repo: &RepoId,
        releases: &Releases,
    ) -> Result<(), Error> {
        let endpoint = client.endpoint();
        if let Some(before) = Self::read(settings)?.of(endpoint, repo) {
            let is_there = |version: &&Version| releases.yanked.contains_key(version);
            let gone = before.yanked.keys().filter(|version| !is_there(version));
            for version in gone.take(GONE_MAX) {
                LoggedVersion::check_unyanked(repo, version, client, settings).await?;
            }
        }
        let said = (!releases.is_empty()).then_some(releases);
        Remembered::note(&Self::file(settings), endpoint, repo, said)
    }
}
