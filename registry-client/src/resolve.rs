//! Resolves a reference to a commit, and lists the versions of a tool from its git tags `v1.2.3`.

use semver::{Version, VersionReq};
use serde::Deserialize;
use tool_hub_manifest::{CommitId, RepoId, Revision, ToolRef};

use crate::error::{Act, ClientError};
use crate::limits::VERSIONS_LISTED_MAX;
use crate::registry::Registry;
use crate::{refusal, repo};

/// The branch that new tools are pushed to, and the one that is meant when no version is.
pub(crate) const DEFAULT_BRANCH: &str = "main";

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
}

/// A branch whose name is a version, such as `v1.2.3` or `1.2.3`. Such names belong to tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionBranch {
    /// The branch's name.
    pub name: String,
    /// True if there is also a tag of this name, so that the name means two commits.
    pub is_tag_too: bool,
}

/// A version of a tool and the commit that its tag names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaggedVersion {
    /// The version.
    pub version: Version,
    /// The commit.
    pub commit: CommitId,
}

/// Branches and tags of a repo.
#[derive(Deserialize)]
pub(crate) struct Refs {
    #[serde(default)]
    branches: Vec<Ref>,
    #[serde(default)]
    tags: Vec<Ref>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ref {
    name: String,
    target_commit: String,
}

#[derive(Deserialize)]
struct RevisionAnswer {
    sha: String,
}

/// Finds the commit that `reference` means right now.
pub(crate) async fn resolve(
    registry: &Registry,
    reference: &ToolRef,
) -> Result<Resolved, ClientError> {
    let (refs, visibility) = tokio::join!(
        refs(registry, &reference.repo),
        repo::visibility(registry, &reference.repo)
    );
    let refs = refs?;
    visibility?;
    let version_branches = refs.version_branches();
    let found = resolve_among(registry, reference, &refs).await?;
    Ok(Resolved {
        version_branches,
        ..found
    })
}

async fn resolve_among(
    registry: &Registry,
    reference: &ToolRef,
    refs: &Refs,
) -> Result<Resolved, ClientError> {
    let repo = &reference.repo;
    let act = Act::ListVersions(repo.clone());
    match &reference.revision {
        Revision::Newest => {
            let versions = refs.versions(&act)?;
            let newest = versions.into_iter().find(|it| it.version.pre.is_empty());
            match newest {
                Some(found) => Ok(found.of(repo)),
                None => named(registry, repo, refs, DEFAULT_BRANCH).await,
            }
        }
        Revision::Version(requirement) => matching(repo, requirement, refs.versions(&act)?),
        Revision::Branch(name) => named(registry, repo, refs, name).await,
        Revision::Commit(commit) => {
            let versions = refs.versions(&act)?;
            match versions.into_iter().find(|it| it.commit == *commit) {
                Some(found) => Ok(found.of(repo)),
                None => revision(registry, repo, commit.as_str()).await,
            }
        }
    }
}

/// The versions of a tool, newest first.
pub(crate) async fn versions(
    registry: &Registry,
    repo: &RepoId,
) -> Result<Vec<TaggedVersion>, ClientError> {
    refs(registry, repo)
        .await?
        .versions(&Act::ListVersions(repo.clone()))
}

pub(crate) async fn refs(registry: &Registry, repo: &RepoId) -> Result<Refs, ClientError> {
    let act = Act::ListVersions(repo.clone());
    let url = registry.wire.about(repo, &["refs"]);
    registry.wire.get(&act, url).await
}

/// Resolves a name to a tag, else to a branch, else to whatever the registry finds, such as a
/// pull request's `refs/pr/1`. Tags come first because branches move; only the default branch
/// comes before a tag of its name.
async fn named(
    registry: &Registry,
    repo: &RepoId,
    refs: &Refs,
    name: &str,
) -> Result<Resolved, ClientError> {
    let act = Act::FindRevision(repo.clone(), name.to_owned());
    let branch = refs.branches.iter().find(|it| it.name == name);
    let tag = refs.tags.iter().find(|it| it.name == name);
    let (found, version) = match (tag, branch) {
        (_, Some(branch)) if name == DEFAULT_BRANCH => (branch, None),
        (Some(tag), _) => (tag, tagged(name)),
        (None, Some(branch)) => (branch, None),
        (None, None) => return revision(registry, repo, name).await,
    };
    let commit = refusal::commit(&act, &found.target_commit)?;
    Ok(Resolved::new(repo, commit, version))
}

async fn revision(registry: &Registry, repo: &RepoId, name: &str) -> Result<Resolved, ClientError> {
    let act = Act::FindRevision(repo.clone(), name.to_owned());
    let url = registry.wire.about(repo, &["revision", name]);
    let answer: RevisionAnswer = registry.wire.get(&act, url).await?;
    let commit = refusal::commit(&act, &answer.sha)?;
    // Whoever asks for a commit gets that one or none.
    if let Ok(asked) = name.parse::<CommitId>()
        && asked != commit
    {
        return Err(refusal::nonsense(
            &act,
            &format!("it names {commit} instead"),
        ));
    }
    Ok(Resolved::new(repo, commit, None))
}

impl Resolved {
    /// A resolved reference without further knowledge of the repo.
    pub(crate) fn new(repo: &RepoId, commit: CommitId, version: Option<Version>) -> Self {
        Self {
            repo: repo.clone(),
            commit,
            version,
            version_branches: Vec::new(),
        }
    }
}

impl Refs {
    fn version_branches(&self) -> Vec<VersionBranch> {
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
            if let Some(version) = tagged(&tag.name) {
                let commit = refusal::commit(act, &tag.target_commit)?;
                versions.push(TaggedVersion { version, commit });
            }
        }
        versions.sort_by(|a, b| b.version.cmp(&a.version));
        Ok(versions)
    }

    /// The head of the default branch; none in a repo without a commit.
    pub(crate) fn head(&self, act: &Act) -> Result<Option<CommitId>, ClientError> {
        let head = self.branches.iter().find(|it| it.name == DEFAULT_BRANCH);
        head.map(|head| refusal::commit(act, &head.target_commit))
            .transpose()
    }
}

impl TaggedVersion {
    fn of(self, repo: &RepoId) -> Resolved {
        Resolved::new(repo, self.commit, Some(self.version))
    }
}

/// The tag that marks a version.
pub(crate) fn tag_of(version: &Version) -> String {
    format!("v{version}")
}

fn tagged(tag: &str) -> Option<Version> {
    tag.strip_prefix('v')?.parse().ok()
}

fn matching(
    repo: &RepoId,
    requirement: &VersionReq,
    versions: Vec<TaggedVersion>,
) -> Result<Resolved, ClientError> {
    let found = versions
        .iter()
        .find(|it| requirement.matches(&it.version))
        .cloned();
    match found {
        Some(found) => Ok(found.of(repo)),
        None => Err(ClientError::VersionNotFound {
            repo: repo.clone(),
            requirement: requirement.clone(),
            available: versions
                .into_iter()
                .map(|it| it.version)
                .take(VERSIONS_LISTED_MAX)
                .collect(),
        }),
    }
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

    #[track_caller]
    fn check(tags: &[&str], requirement: &str, expect: Result<&str, &[&str]>) {
        let repo: RepoId = "demo/x".parse().unwrap();
        let versions = refs(tags).versions(&Act::Search).unwrap();
        let found = match matching(&repo, &requirement.parse().unwrap(), versions) {
            Ok(resolved) => Ok(resolved.version.unwrap().to_string()),
            Err(ClientError::VersionNotFound { available, .. }) => {
                Err(available.iter().map(Version::to_string).collect())
            }
            Err(other) => panic!("{other}"),
        };
        let expect: Result<String, Vec<String>> = expect
            .map(str::to_owned)
            .map_err(|all| all.iter().map(|it| (*it).to_owned()).collect());
        assert_eq!(found, expect);
    }

    #[test]
    fn the_newest_version_that_meets_the_requirement() {
        let tags = [
            "v0.9.0",
            "v1.10.0",
            "v1.9.3",
            "v2.0.0-rc.1",
            "1.99.0",
            "latest",
        ];
        check(&tags, "^1", Ok("1.10.0"));
        check(&tags, "~1.9", Ok("1.9.3"));
        check(&tags, "=0.9.0", Ok("0.9.0"));
        check(&tags, "*", Ok("1.10.0"));
        check(&tags, "=2.0.0-rc.1", Ok("2.0.0-rc.1"));
        let all = ["2.0.0-rc.1", "1.10.0", "1.9.3", "0.9.0"];
        check(&tags, "^3", Err(&all));
        check(&[], "^1", Err(&[]));
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
