//! Searches the registry for tools, and publishes built packages.

use std::path::Path;

use tool_hub_manifest::{Digest, RepoId, package_file};
use tool_hub_registry_client::{CARD_BYTES_MAX, Push, SearchResults, Silent, Visibility};
use tool_hub_toolbox::authorship::Authorship;
use tool_hub_toolbox::signing_keys::SigningKeys;
use tool_hub_toolbox::{built_package, files};

use crate::error::Error;
use crate::inspection;
use crate::workspace::Workspace;

/// A version that is on the registry after a push.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Pushed {
    /// The repo.
    pub repo: RepoId,
    /// The version.
    pub version: String,
    /// The commit.
    pub commit: String,
    /// The page of the repo.
    pub url: String,
    /// The digest that an approval names.
    pub digest: Digest,
}

/// Finds at most `limit` tools on the registry.
///
/// # Errors
/// When the registry cannot be asked.
pub async fn search(
    workspace: &Workspace,
    query: &str,
    limit: usize,
) -> Result<SearchResults, Error> {
    let settings = workspace.settings();
    let client = settings.client(&settings.endpoint, workspace.notices())?;
    Ok(client.search(query, limit).await?)
}

/// Publishes the built package in `directory`, or in its `dist`, as `repo`.
///
/// # Errors
/// When there is no package, it is refused, or the registry does not take it.
pub async fn push(
    workspace: &Workspace,
    directory: &Path,
    repo: &str,
    visibility: Visibility,
) -> Result<Pushed, Error> {
    let repo: RepoId = repo.parse().map_err(|source| Error::NotARepo { source })?;
    let settings = workspace.settings();
    let directory = built_package::directory(&settings.place(directory))?;
    let verified = built_package::read(&directory)?;
    inspection::check_refusals(&tool_hub_host::inspect(&verified)?)?;
    let card = directory.join(package_file::CARD);
    let card = files::read_regular(&card, CARD_BYTES_MAX);
    let card = card.map_err(|source| Error::Card { source })?;
    let keys = SigningKeys::read(settings)?;
    let (signature, _) = Authorship::verify_in(&directory, &verified, &keys)?;
    let manifest = verified.manifest();
    let push = Push {
        repo,
        package: &verified,
        card: &card,
        signature: Some(&signature),
        visibility,
        message: format!("{} {}", manifest.name, manifest.version),
    };
    let client = settings.writing_client(&settings.endpoint, workspace.notices())?;
    let pushed = client.push(&push, &Silent).await?;
    Ok(Pushed {
        repo: pushed.repo,
        version: pushed.version.to_string(),
        commit: pushed.commit.to_string(),
        url: pushed.url.to_string(),
        digest: verified.pin().digest(),
    })
}
