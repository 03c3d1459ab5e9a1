//! Resolves a reference to a commit: a version, a branch or a commit by its id.

use serde::Deserialize;
use tool_hub_manifest::{CommitId, Releases, RepoId, Revision, ToolRef, Version};

use crate::error::{Act, ClientError};
use crate::refs::{self, DEFAULT_BRANCH, Refs, version_of_tag};
use crate::registry::Registry;
use crate::resolved::Resolved;
use crate::version_choice::{AllowedYanks, VersionChoice};
use crate::{refusal, releases, repo};

#[derive(Deserialize)]
struct RevisionAnswer {
    sha: String,
}

/// The branches, tags and releases of a tool's repo, as the registry listed them at one moment.
#[derive(Debug)]
pub struct RepoVersions {
    repo: RepoId,
    refs: Refs,
    releases: Releases,
}

impl RepoVersions {
    /// Asks the registry for them.
    pub(crate) async fn read(registry: &Registry, repo: &RepoId) -> Result<Self, ClientError> {
        let known = async {
            let refs = refs::list(registry, repo).await?;
            let releases = releases::read(registry, repo, &refs).await?;
            Ok::<_, ClientError>((refs, releases))
        };
        let (known, visibility) = tokio::join!(known, repo::visibility(registry, repo));
        let (refs, releases) = known?;
        visibility?;
        Ok(Self {
            repo: repo.clone(),
            refs,
            releases,
        })
    }

    /// Every tagged version, newest first, yanked or not.
    ///
    /// # Errors
    /// [`ClientError::Nonsense`] where a tag names what is no commit.
    pub fn tagged(&self) -> Result<Vec<Resolved>, ClientError> {
        let versions = self.refs.versions(&Act::ListVersions(self.repo.clone()))?;
        Ok(versions.into_iter().map(|it| it.of(&self.repo)).collect())
    }

    /// The yanked versions, and whether the tool is deprecated.
    pub fn releases(&self) -> &Releases {
        &self.releases
    }

    /// The same versions, of which `releases` hold.
    #[must_use]
    pub fn with_releases(self, releases: Releases) -> Self {
        Self { releases, ..self }
    }

    /// Finds the commit that `revision` means. Only a commit or a name that is not listed is
    /// asked for.
    pub(crate) async fn resolve(
        &self,
        registry: &Registry,
        revision: &Revision,
        allowed: &AllowedYanks,
        except: &[Version],
    ) -> Result<Resolved, ClientError> {
        if matches!(revision, Revision::Newest | Revision::Version(_)) {
            self.refs.check_builds(&self.repo)?;
        }
        let choice = VersionChoice {
            releases: &self.releases,
            allowed,
            except,
        };
        let found = resolve_among(registry, &self.repo, revision, &self.refs, &choice).await?;
        Ok(Resolved {
            version_branches: self.refs.version_branches(),
            releases: self.releases.clone(),
            ..found
        })
    }
}

/// Finds the commit that `reference` means right now in a repo that is no tool.
pub(crate) async fn resolve_plainly(
    registry: &Registry,
    reference: &ToolRef,
) -> Result<Resolved, ClientError> {
    let repo = &reference.repo;
    let (refs, visibility) =
        tokio::join!(refs::list(registry, repo), repo::visibility(registry, repo));
    let refs = refs?;
    visibility?;
    let choice = VersionChoice {
        releases: &Releases::default(),
        allowed: &AllowedYanks::None,
        except: &[],
    };
    resolve_among(registry, repo, &reference.revision, &refs, &choice).await
}

async fn resolve_among(
    registry: &Registry,
    repo: &RepoId,
    revision: &Revision,
    refs: &Refs,
    choice: &VersionChoice<'_>,
) -> Result<Resolved, ClientError> {
    let act = Act::ListVersions(repo.clone());
    match revision {
        Revision::Newest => {
            let mut versions = refs.versions(&act)?;
            versions.retain(|it| it.version.pre.is_empty());
            match choice.newest(repo, versions)? {
                Some(found) => Ok(found),
                None => named(registry, repo, refs, DEFAULT_BRANCH).await,
            }
        }
        Revision::Version(requirement) => {
            let versions = refs.versions(&act)?;
            choice.matching(repo, requirement, versions)
        }
        Revision::Branch(name) => choice.checked(named(registry, repo, refs, name).await?),
        Revision::Commit(commit) => {
            let versions = refs.versions(&act)?;
            match versions.into_iter().find(|it| it.commit == *commit) {
                Some(found) => choice.checked(found.of(repo)),
                None => unlisted(registry, repo, commit.as_str()).await,
            }
        }
    }
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
        (Some(tag), _) => (tag, version_of_tag(name)),
        (None, Some(branch)) => (branch, None),
        (None, None) => return unlisted(registry, repo, name).await,
    };
    let commit = refusal::commit(&act, &found.target_commit)?;
    Ok(Resolved::new(repo, commit, version))
}

async fn unlisted(registry: &Registry, repo: &RepoId, name: &str) -> Result<Resolved, ClientError> {
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
