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

/// Finds the commit that `reference` means right now.
pub(crate) async fn resolve(
    registry: &Registry,
    reference: &ToolRef,
    allowed: &AllowedYanks,
    except: &[Version],
) -> Result<Resolved, ClientError> {
    let repo = &reference.repo;
    let known = async {
        let refs = refs::list(registry, repo).await?;
        let releases = releases::read(registry, repo, &refs).await?;
        Ok::<_, ClientError>((refs, releases))
    };
    let (known, visibility) = tokio::join!(known, repo::visibility(registry, repo));
    let (refs, releases) = known?;
    visibility?;
    let version_branches = refs.version_branches();
    let choice = VersionChoice {
        releases: &releases,
        allowed,
        except,
    };
    let found = resolve_among(registry, reference, &refs, &choice).await?;
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
    let (refs, visibility) =
        tokio::join!(refs::list(registry, repo), repo::visibility(registry, repo));
    let refs = refs?;
    visibility?;
    let choice = VersionChoice {
        releases: &Releases::default(),
        allowed: &AllowedYanks::None,
        except: &[],
    };
    resolve_among(registry, reference, &refs, &choice).await
}

async fn resolve_among(
    registry: &Registry,
    reference: &ToolRef,
    refs: &Refs,
    choice: &VersionChoice<'_>,
) -> Result<Resolved, ClientError> {
    let repo = &reference.repo;
    let act = Act::ListVersions(repo.clone());
    match &reference.revision {
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
                None => revision(registry, repo, commit.as_str()).await,
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
