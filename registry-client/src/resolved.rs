//! A `Resolved` commit of a repo, with what is known of the repo's versions.

use semver::Version;
use tool_hub_manifest::{CommitId, Releases, RepoId, Yank};

/// A commit of a repo, found by asking the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The repo.
    pub repo: RepoId,
    /// The commit.
    pub commit: CommitId,
    /// The version whose tag names the commit; none when a branch was asked for.
    pub version: Option<Version>,
    /// Branches of the repo whose names are versions, at most 20. This client resolves versions to
    /// tags, but another client may get the branch, whose content can change.
    pub version_branches: Vec<VersionBranch>,
    /// The repo's yanked versions, and whether it is deprecated.
    pub releases: Releases,
    /// Newer versions that were asked for as well and were passed over because they are yanked,
    /// newest first, at most 20.
    pub passed_over: Vec<(Version, Yank)>,
}

/// A branch whose name is a version, such as `v1.2.3` or `1.2.3`. Such names belong to tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionBranch {
    /// The branch's name.
    pub name: String,
    /// True if there is also a tag of this name, so that the name means two commits.
    pub is_tag_too: bool,
}

impl Resolved {
    /// A resolved reference without further knowledge of the repo.
    pub(crate) fn new(repo: &RepoId, commit: CommitId, version: Option<Version>) -> Self {
        Self {
            repo: repo.clone(),
            commit,
            version,
            version_branches: Vec::new(),
            releases: Releases::default(),
            passed_over: Vec::new(),
        }
    }
}
