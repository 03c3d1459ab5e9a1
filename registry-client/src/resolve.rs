//! Resolves a reference to a commit, and lists the versions of a tool from its git tags `v1.2.3`.
//! Versions that were yanked are passed over.

use semver::{Version, VersionReq};
use serde::Deserialize;
use tool_hub_manifest::{CommitId, Releases, RepoId, Revision, Severity, ToolRef, Yank};

use crate::error::{Act, ClientError};
use crate::limits::VERSIONS_LISTED_MAX;
use crate::registry::Registry;
use crate::{refusal, releases, repo};

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
    /// What the repo says of its versions.
    pub releases: Releases,
    /// Newer versions that were asked for as well and were passed over because they are yanked,
    /// newest first, at most 20.
    pub passed_over: Vec<(Version, Yank)>,
}

/// The yanked versions that may be taken nevertheless. A malicious one is never among them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AllowedYanks {
    /// None.
    #[default]
    None,
    /// The one that is in use already.
    Version(Version),
    /// Any that is asked for.
    All,
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
    allowed: &AllowedYanks,
) -> Result<Resolved, ClientError> {
    let repo = &reference.repo;
    let known = async {
        let refs = refs(registry, repo).await?;
        let releases = releases::read(registry, repo, &refs).await?;
        Ok::<_, ClientError>((refs, releases))
    };
    let (known, visibility) = tokio::join!(known, repo::visibility(registry, repo));
    let (refs, releases) = known?;
    visibility?;
    let version_branches = refs.version_branches();
    let choice = Choice {
        refs: &refs,
        releases: &releases,
        allowed,
    };
    let found = choice.resolve(registry, reference).await?;
    Ok(Resolved {
        version_branches,
        releases,
        ..found
    })
}

/// Finds the commit that `reference` means right now in a repo that is no tool.
pub(crate) async fn resolve_plainly(
    registry: &Registry,
    reference: &ToolRef,
) -> Result<Resolved, ClientError> {
    let repo = &reference.repo;
    let (refs, visibility) = tokio::join!(refs(registry, repo), repo::visibility(registry, repo));
    let refs = refs?;
    visibility?;
    let choice = Choice {
        refs: &refs,
        releases: &Releases::default(),
        allowed: &AllowedYanks::None,
    };
    choice.resolve(registry, reference).await
}

/// All that a commit is chosen from, and what may be chosen.
struct Choice<'a> {
    refs: &'a Refs,
    releases: &'a Releases,
    allowed: &'a AllowedYanks,
}

impl Choice<'_> {
    async fn resolve(
        &self,
        registry: &Registry,
        reference: &ToolRef,
    ) -> Result<Resolved, ClientError> {
        let (repo, refs) = (&reference.repo, self.refs);
        let act = Act::ListVersions(repo.clone());
        match &reference.revision {
            Revision::Newest => {
                let mut versions = refs.versions(&act)?;
                versions.retain(|it| it.version.pre.is_empty());
                match self.newest(repo, versions)? {
                    Some(found) => Ok(found),
                    None => named(registry, repo, refs, DEFAULT_BRANCH).await,
                }
            }
            Revision::Version(requirement) => {
                let versions = refs.versions(&act)?;
                self.matching(repo, requirement, versions)
            }
            Revision::Branch(name) => self.checked(named(registry, repo, refs, name).await?),
            Revision::Commit(commit) => {
                let versions = refs.versions(&act)?;
                match versions.into_iter().find(|it| it.commit == *commit) {
                    Some(found) => self.checked(found.of(repo)),
                    None => revision(registry, repo, commit.as_str()).await,
                }
            }
        }
    }

    fn matching(
        &self,
        repo: &RepoId,
        requirement: &VersionReq,
        versions: Vec<TaggedVersion>,
    ) -> Result<Resolved, ClientError> {
        let (matching, others): (Vec<_>, Vec<_>) = versions
            .into_iter()
            .partition(|it| requirement.matches(&it.version));
        self.newest(repo, matching)?
            .ok_or_else(|| ClientError::VersionNotFound {
                repo: repo.clone(),
                requirement: requirement.clone(),
                available: others
                    .into_iter()
                    .map(|it| it.version)
                    .take(VERSIONS_LISTED_MAX)
                    .collect(),
            })
    }

    /// The first of `versions` that may be taken; none where there are no versions.
    fn newest(
        &self,
        repo: &RepoId,
        versions: Vec<TaggedVersion>,
    ) -> Result<Option<Resolved>, ClientError> {
        let mut passed_over = Vec::new();
        let mut refused = None;
        for tagged in versions {
            match self.yank(&tagged.version) {
                None => {
                    return Ok(Some(Resolved {
                        passed_over,
                        ..tagged.of(repo)
                    }));
                }
                Some(yank) if passed_over.len() < VERSIONS_LISTED_MAX => {
                    passed_over.push((tagged.version.clone(), yank.clone()));
                }
                Some(_) => {}
            }
            refused.get_or_insert(tagged);
        }
        match refused {
            Some(tagged) => self.checked(tagged.of(repo)).map(Some),
            None => Ok(None),
        }
    }

    /// Refuses a version that may not be taken.
    fn checked(&self, found: Resolved) -> Result<Resolved, ClientError> {
        let yank = found
            .version
            .as_ref()
            .and_then(|version| self.yank(version));
        match (yank, &found.version) {
            (Some(yank), Some(version)) => Err(ClientError::VersionYanked {
                repo: found.repo,
                version: version.clone(),
                yank: Box::new(yank.clone()),
            }),
            _ => Ok(found),
        }
    }

    /// The yank that forbids to take a version.
    fn yank(&self, version: &Version) -> Option<&Yank> {
        let yank = self.releases.yanked.get(version)?;
        (!self.allowed.allow(version, yank)).then_some(yank)
    }
}

impl AllowedYanks {
    /// True if `version` may be taken although it was yanked.
    pub fn allow(&self, version: &Version, yank: &Yank) -> bool {
        if yank.severity == Severity::Malicious {
            return false;
        }
        match self {
            Self::None => false,
            Self::Version(allowed) => version == allowed,
            Self::All => true,
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
            releases: Releases::default(),
            passed_over: Vec::new(),
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
        let refs = refs(tags);
        let versions = refs.versions(&Act::Search).unwrap();
        let choice = Choice {
            refs: &refs,
            releases: &Releases::default(),
            allowed: &AllowedYanks::None,
        };
        let found = match choice.matching(&repo, &requirement.parse().unwrap(), versions) {
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

    const YANKED: &str = "
        [yanked.'1.3.0']
        severity = 'malicious'
        reason = 'it steals'
        [yanked.'1.2.0']
        severity = 'broken'
        reason = 'it fails'
    ";

    /// Holds the version that is found, and those passed over, or the one that is refused, against
    /// `expect`.
    #[track_caller]
    fn check_yanked(tags: &[&str], requirement: &str, allowed: AllowedYanks, expect: &str) {
        let repo: RepoId = "demo/x".parse().unwrap();
        let refs = refs(tags);
        let versions = refs.versions(&Act::Search).unwrap();
        let choice = Choice {
            refs: &refs,
            releases: &YANKED.parse().unwrap(),
            allowed: &allowed,
        };
        let found = match choice.matching(&repo, &requirement.parse().unwrap(), versions) {
            Ok(found) => {
                let passed_over = found.passed_over.iter();
                let passed_over = passed_over.map(|(version, _)| format!(" not {version}"));
                format!(
                    "{}{}",
                    found.version.unwrap(),
                    passed_over.collect::<String>()
                )
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expect);
    }

    #[test]
    fn yanked_versions_are_passed_over() {
        use AllowedYanks::{All, None, Version};
        let tags = ["v1.1.0", "v1.2.0", "v1.3.0"];
        check_yanked(&tags, "^1", None, "1.1.0 not 1.3.0 not 1.2.0");
        check_yanked(
            &tags,
            "=1.2.0",
            None,
            "demo/x 1.2.0 was yanked as broken: it fails",
        );
        check_yanked(&tags, "=1.2.0", All, "1.2.0");
        let used = |text: &str| Version(text.parse().unwrap());
        check_yanked(&tags, "^1", used("1.2.0"), "1.2.0 not 1.3.0");
        check_yanked(&tags, "^1", used("1.1.0"), "1.1.0 not 1.3.0 not 1.2.0");
        let malicious = "demo/x 1.3.0 was yanked as malicious: it steals";
        check_yanked(&tags, "=1.3.0", All, malicious);
        check_yanked(&tags, "=1.3.0", used("1.3.0"), malicious);
        check_yanked(&tags[1..], "^1", None, malicious);
        check_yanked(
            &tags,
            "^2",
            None,
            "demo/x has no version that meets `^2`; there are 1.3.0, 1.2.0, 1.1.0",
        );
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
