//! The `KnownReleases`, `known_releases.toml`: what repos of tools said last of their versions.
//! So a yanked version is told of where nobody asks the registry.

pub(crate) mod known_repo;
mod told_yank;

use std::collections::BTreeSet;
use std::path::PathBuf;

use tool_hub_manifest::{Deprecation, Lock, LockedTool, Releases, RepoId, Severity, Version, Yank};
use tool_hub_registry_client::Client;
use url::Url;

use self::known_repo::KnownRepo;
use crate::approvals::Approvals;
use crate::error::Error;
use crate::registry_address::is_same;
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
        Self::change(settings, endpoint, repo, |stored| {
            let mut known = stored.clone();
            known.learn(&locked.version, yank, records);
            known
        })
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
        let before = Self::known(settings, endpoint, repo)?;
        let settled = before.after(releases, repo, client, settings).await;
        let (mut asked, failed) = match settled {
            Ok(now) => (now, None),
            Err(error) => (before.clone().with(releases), Some(error)),
        };
        let heard = asked.hear(releases, repo, client, settings).await;
        let mut now = KnownRepo::default();
        Self::change(settings, endpoint, repo, |stored| {
            now.clone_from(&asked);
            now.learn_since(&before, stored);
            now.clone()
        })?;
        match failed.or(heard.err()) {
            Some(error) => Err(error),
            None => Ok(now.into()),
        }
    }

    /// Stores what `change` makes of what is stored of a repo, and of too much the worst.
    fn change(
        settings: &Settings,
        endpoint: &Url,
        repo: &RepoId,
        mut change: impl FnMut(&KnownRepo) -> KnownRepo,
    ) -> Result<(), Error> {
        let path = Self::file(settings);
        Remembered::change(&path, endpoint, repo, |stored: Option<&KnownRepo>| {
            let known = match stored {
                Some(stored) => change(stored),
                None => change(&KnownRepo::default()),
            };
            let fits =
                |known: &KnownRepo| Remembered::check_length(&path, endpoint, repo, known).is_ok();
            let kept = known.fitted(|| versions_in_use(settings, endpoint, repo), fits);
            (!kept.is_empty()).then_some(kept)
        })
    }

    fn known(settings: &Settings, endpoint: &Url, repo: &RepoId) -> Result<KnownRepo, Error> {
        let known = Self::read(settings)?;
        Ok(known.0.of(endpoint, repo).cloned().unwrap_or_default())
    }
}

/// The versions of `repo` in the toolboxes for which this user approved anything.
fn versions_in_use(settings: &Settings, endpoint: &Url, repo: &RepoId) -> BTreeSet<Version> {
    let locks = Approvals::read(settings).map_or_else(|_| Vec::new(), |it| it.locks());
    let locked = locks.iter().flat_map(Lock::locked);
    let is_of_repo = |locked: &&LockedTool| {
        let place = locked.source.repo();
        place.is_some_and(|(at, name)| is_same(at, endpoint) && name.folded() == repo.folded())
    };
    let versions = locked.filter(is_of_repo).map(|it| it.version.clone());
    versions.collect()
}
