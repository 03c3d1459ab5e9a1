//! Fetches one version from a registry, for a user's reference or for a tool that depends on it.

use std::fmt;

use tool_hub_manifest::ToolRef;
use tool_hub_registry_client::{ClientError, Progress};
use url::Url;

use crate::advisories::known::KnownAdvisories;
use crate::advisories::refresh::refresh_configured;
use crate::chosen_version::choose;
use crate::error::Error;
use crate::fetch_options::{FetchOptions, Purpose};
use crate::fetched::Fetched;
use crate::known_releases::KnownReleases;
use crate::notices::{Notice, Notices};
use crate::policy::policies::Policies;
use crate::published_version::PublishedVersion;
use crate::settings::Settings;

/// Whoever follows a fetch while it goes on.
#[derive(Clone, Copy)]
pub struct Watchers<'a> {
    /// Is told of bytes that arrive.
    pub progress: &'a dyn Progress,
    /// Is told of what a person should know.
    pub notices: &'a dyn Notices,
}

impl fmt::Debug for Watchers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watchers").finish_non_exhaustive()
    }
}

/// The version that `reference` means, without the tools that it depends on.
pub(crate) async fn from_registry(
    reference: &ToolRef,
    options: &FetchOptions,
    endpoint: &Url,
    settings: &Settings,
    watchers: Watchers<'_>,
) -> Result<Fetched, Error> {
    let Watchers { progress, notices } = watchers;
    let policies = policies_for(options.purpose, settings)?;
    policies.check_repo(&reference.to_string(), endpoint, &reference.repo)?;
    let client = settings.client(endpoint, notices)?;
    let repo = &reference.repo;
    let versions = match client.versions_of(repo).await {
        Err(moved @ ClientError::RepoMoved { .. }) => {
            // Whoever has the tool by its former name goes on calling it, and hears of its yanks.
            let said = client.releases(repo).await?;
            KnownReleases::note(settings, &client, repo, &said).await?;
            return Err(moved.into());
        }
        versions => versions?,
    };
    let releases = KnownReleases::note(settings, &client, repo, versions.releases()).await?;
    let versions = versions.with_releases(releases);
    let chosen = choose(reference, &versions, options, &client, settings, notices).await?;
    let resolved = &chosen.resolved;
    for branch in &resolved.version_branches {
        notices.notice(&Notice::VersionBranch {
            repo: &resolved.repo,
            branch: &branch.name,
            is_tag_too: branch.is_tag_too,
        });
    }
    let store = settings.open_store()?;
    let verified = client.pull(resolved, &store, progress).await?;
    let signature = client.signature(resolved).await?;
    refresh_configured(settings, notices).await?;
    let version = PublishedVersion {
        endpoint,
        reference,
        chosen,
        verified,
        signature,
        is_proved: true,
        advisories: KnownAdvisories::read(settings)?,
    };
    version.check(options, &policies, settings, notices)
}

/// The policies that apply to a fetch for `purpose`.
pub(crate) fn policies_for(purpose: Purpose, settings: &Settings) -> Result<Policies, Error> {
    match purpose {
        Purpose::Use => Ok(Policies::read(settings)?),
        Purpose::Look => Ok(Policies::default()),
    }
}
