//! Reads and changes `releases.toml` of a tool: which versions were yanked or deprecated.

use tool_hub_manifest::{
    CommitId, DocumentError, RELEASES_BYTES_MAX, Releases, RepoId, package_file,
};

use crate::error::{Act, ClientError};
use crate::refs::{self, Refs};
use crate::registry::Registry;
use crate::resolved::Resolved;
use crate::{download, repo, texts};

/// A change of what is said of a tool's versions.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReleasesReport {
    /// The new state.
    pub releases: Releases,
    /// The commit that says it; none if nothing had to be changed.
    pub commit: Option<CommitId>,
}

/// The state at the head of the default branch; empty where the file or the branch is missing.
pub(crate) async fn read(
    registry: &Registry,
    repo: &RepoId,
    refs: &Refs,
) -> Result<Releases, ClientError> {
    let Some(head) = refs.head(&Act::ListVersions(repo.clone()))? else {
        return Ok(Releases::default());
    };
    let at = Resolved::new(repo, head, None);
    let names = [package_file::RELEASES];
    let texts = download::texts(registry, &at, &names, RELEASES_BYTES_MAX as u64).await?;
    let Some((_, text)) = texts.into_iter().next() else {
        return Ok(Releases::default());
    };
    parsed(repo, &text)
}

fn parsed(repo: &RepoId, text: &str) -> Result<Releases, ClientError> {
    text.parse()
        .map_err(|source: DocumentError| ClientError::ReleasesUnreadable {
            repo: repo.clone(),
            source,
        })
}

/// Changes what is said as `change` does, unless somebody else commits meanwhile.
pub(crate) async fn change(
    registry: &Registry,
    repo: &RepoId,
    message: String,
    change: impl FnOnce(&mut Releases),
) -> Result<ReleasesReport, ClientError> {
    registry.need_token(&Act::Commit(repo.clone()))?;
    // A repo that was moved is refused.
    repo::visibility(registry, repo).await?;
    let refs = refs::list(registry, repo).await?;
    let before = read(registry, repo, &refs).await?;
    let mut releases = before.clone();
    change(&mut releases);
    let mut report = ReleasesReport {
        releases,
        commit: None,
    };
    if report.releases != before {
        let head = refs.head(&Act::ListVersions(repo.clone()))?;
        let text = report.releases.to_toml();
        // Nobody could load the tool any more.
        parsed(repo, &text)?;
        let texts = [(package_file::RELEASES, text)];
        let commit = texts::commit(registry, repo, &texts, message, head.as_ref());
        report.commit = Some(commit.await?);
    }
    Ok(report)
}
