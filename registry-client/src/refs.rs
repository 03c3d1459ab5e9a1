//! Lists the branches and tags of a repo. Tags such as `v1.2.3` are the versions of a tool.

use semver::Version;
use serde::Deserialize;
use tool_hub_manifest::{CommitId, RepoId};

use crate::error::{Act, ClientError};
use crate::limits::VERSIONS_LISTED_MAX;
use crate::refusal;
use crate::registry::Registry;
use crate::resolved::{Resolved, VersionBranch};

/// The branch that new tools are pushed to, and the one that is meant when no version is.
pub(crate) const DEFAULT_BRANCH: &str = "main";

/// A version of a tool and the commit that its tag names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaggedVersion {
    /// The version.
    pub version: Version,
    /// The commit.
    pub commit: CommitId,
}

/// Branches and tags of a repo.
#[derive(Debug, Deserialize)]
pub(crate) struct Refs {
    #[serde(default)]
    pub(crate) branches: Vec<Ref>,
    #[serde(default)]
    pub(crate) tags: Vec<Ref>,
}

/// One branch or tag, as the registry lists it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ref {
    pub(crate) name: String,
    pub(crate) target_commit: String,
}

/// The versions of a tool, newest first.
pub(crate) async fn versions(
    registry: &Registry,
    repo: &RepoId,
) -> Result<Vec<TaggedVersion>, ClientError> {
    list(registry, repo)
        .await?
        .versions(&Act::ListVersions(repo.clone()))
}

/// The branches and tags of a repo.
pub(crate) async fn list(registry: &Registry, repo: &RepoId) -> Result<Refs, ClientError> {
    let act = Act::ListVersions(repo.clone());
    let url = registry.wire.about(repo, &["refs"]);
    registry.wire.get(&act, url).await
}

impl Refs {
    /// The branches whose names are versions.
    pub(crate) fn version_branches(&self) -> Vec<VersionBranch> {
        let reads_as_version = |branch: &&Ref| {
            let name = branch.name.as_str();
            let number = name.strip_prefix(['v', 'V']).unwrap_or(name);
            number.parse::<Version>().is_ok()
        };
        let branches = self.branches.iter().filter(reads_as_version);
        branches
            .take(VERSIONS_LISTED_MAX)
            .map(|branch| VersionBranch {
                name: branch.name.clone(),
                is_tag_too: self.tags.iter().any(|tag| tag.name == branch.name),
            })
            .collect()
    }

    /// The tags that are versions, newest first. Other tags are ignored.
    pub(crate) fn versions(&self, act: &Act) -> Result<Vec<TaggedVersion>, ClientError> {
        let mut versions = Vec::new();
        for tag in &self.tags {
            if let Some(version) = version_of_tag(&tag.name) {
                let commit = refusal::commit(act, &tag.target_commit)?;
                versions.push(TaggedVersion { version, commit });
            }
        }
        versions.sort_by(|a, b| b.version.cmp(&a.version));
        Ok(versions)
    }

    /// Refuses a repo all of whose versions have build metadata, where one is looked for.
    pub(crate) fn check_builds(&self, repo: &RepoId) -> Result<(), ClientError> {
        let mut tagged = self.tags.iter().filter_map(|tag| whole_version(&tag.name));
        match tagged.next() {
            Some(version) if !version.build.is_empty() && tagged.all(|it| !it.build.is_empty()) => {
                Err(ClientError::BuildMetadata {
                    repo: repo.clone(),
                    version,
                })
            }
            _ => Ok(()),
        }
    }

    /// The head of the default branch; none in a repo without a commit.
    pub(crate) fn head(&self, act: &Act) -> Result<Option<CommitId>, ClientError> {
        let head = self.branches.iter().find(|it| it.name == DEFAULT_BRANCH);
        head.map(|head| refusal::commit(act, &head.target_commit))
            .transpose()
    }
}

impl TaggedVersion {
    /// The version as what was found in `repo`.
    pub(crate) fn of(self, repo: &RepoId) -> Resolved {
        Resolved::new(repo, self.commit, Some(self.version))
    }
}

/// The tag that marks a version.
pub(crate) fn tag_of(version: &Version) -> String {
    format!("v{version}")
}

/// The version that a tag marks. One with build metadata marks none: by requirements and in the
/// order of versions it would be the same as another, with other files.
pub(crate) fn version_of_tag(tag: &str) -> Option<Version> {
    whole_version(tag).filter(|version| version.build.is_empty())
}

fn whole_version(tag: &str) -> Option<Version> {
    tag.strip_prefix('v')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refs(tags: &[&str]) -> Refs {
        let reference = |name: &&str| Ref {
            name: (*name).to_owned(),
            target_commit: "0".repeat(40),
        };
        Refs {
            branches: vec![],
            tags: tags.iter().map(reference).collect(),
        }
    }

    #[test]
    fn other_tags_are_no_versions() {
        let refs = refs(&[
            "v0.9.0",
            "v1.10.0",
            "v1.9.3",
            "1.99.0",
            "latest",
            "v1.10.0+1",
        ]);
        let versions = refs.versions(&Act::Search).unwrap();
        let versions: Vec<_> = versions.iter().map(|it| it.version.to_string()).collect();
        assert_eq!(versions, ["1.10.0", "1.9.3", "0.9.0"]);
    }

    #[test]
    fn a_repo_of_builds_alone_is_told_of() {
        let repo = "ada/x".parse().unwrap();
        let told = |tags: &[&str]| match refs(tags).check_builds(&repo) {
            Err(ClientError::BuildMetadata { version, .. }) => Some(version.to_string()),
            _ => None,
        };
        assert_eq!(told(&["latest", "v1.0.0+1"]).as_deref(), Some("1.0.0+1"));
        assert_eq!(told(&["v1.0.0+1", "v0.9.0"]), None);
        assert_eq!(told(&["latest"]), None);
    }

    #[test]
    fn branches_that_read_as_versions_are_told() {
        let mut refs = refs(&["v1.0.0", "dev"]);
        refs.branches = ["main", "v1.0.0", "2.0.0-rc.1", "v1.0", "dev"]
            .map(|name| Ref {
                name: name.to_owned(),
                target_commit: "0".repeat(40),
            })
            .into();
        let told = refs.version_branches();
        let told: Vec<_> = told.iter().map(|it| (&*it.name, it.is_tag_too)).collect();
        assert_eq!(told, [("v1.0.0", true), ("2.0.0-rc.1", false)]);
    }

    #[test]
    fn a_commit_that_is_none_is_refused() {
        let mut refs = refs(&["v1.0.0"]);
        refs.tags[0].target_commit = "../../etc".into();
        assert!(matches!(
            refs.versions(&Act::Search),
            Err(ClientError::Nonsense { .. })
        ));
    }
}
