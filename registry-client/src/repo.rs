//! Reads the visibility of a repo, refuses one that was renamed, and creates one that is missing.
//! Nothing private goes to one that everybody reads.

use serde::Deserialize;
use tokio::time::timeout;
use tool_hub_manifest::RepoId;

use crate::error::{Act, ClientError};
use crate::refusal;
use crate::registry::Registry;
use crate::visibility::Visibility;

#[derive(Deserialize)]
struct RepoAnswer {
    id: String,
    #[serde(default)]
    private: bool,
    #[serde(default, rename = "publishersOnly")]
    publishers_only: bool,
}

/// The state of a repo, as whoever pushes finds it.
pub(crate) struct RepoState {
    /// Public or private.
    pub(crate) visibility: Visibility,
    /// True if its versions come from trusted publishers alone, and the token is of none.
    pub(crate) publishers_only: bool,
}

/// The outcome of asking for a repo that may have to be made.
pub(crate) struct Ensured {
    /// True if it was made.
    pub(crate) created: bool,
    /// True if it takes no versions by this token.
    pub(crate) publishers_only: bool,
}

/// Asks who may see `repo`, and refuses one that has another name today: registries go on
/// answering to the old name, and the new one may belong to another owner.
pub(crate) async fn visibility(
    registry: &Registry,
    repo: &RepoId,
) -> Result<Visibility, ClientError> {
    Ok(state(registry, repo).await?.visibility)
}

/// Asks for the state of `repo`, which has to have this name today.
pub(crate) async fn state(registry: &Registry, repo: &RepoId) -> Result<RepoState, ClientError> {
    let act = Act::Describe(repo.clone());
    let mut url = registry.wire.about(repo, &[]);
    url.set_query(Some("expand=private"));
    let answer: RepoAnswer = registry.wire.get(&act, url).await?;
    // Names on the Hub keep the case they were given, and are found in any.
    if !answer.id.eq_ignore_ascii_case(repo.as_str()) {
        let now = answer.id.parse().map_err(|_| {
            refusal::nonsense(&act, "it gives the repo a name that is not a repo's")
        })?;
        return Err(ClientError::RepoMoved {
            repo: repo.clone(),
            now,
        });
    }
    Ok(RepoState {
        visibility: match answer.private {
            true => Visibility::Private,
            false => Visibility::Public,
        },
        publishers_only: answer.publishers_only,
    })
}

/// Creates the repo unless it is there.
pub(crate) async fn ensure(
    registry: &Registry,
    repo: &RepoId,
    asked: Visibility,
) -> Result<Ensured, ClientError> {
    let there = |state: RepoState| {
        let allowed = asked.allows(repo, state.visibility);
        allowed.map(|()| Ensured {
            created: false,
            publishers_only: state.publishers_only,
        })
    };
    match state(registry, repo).await {
        Ok(state) => return there(state),
        Err(ClientError::RepoNotFound { .. }) => {}
        Err(error) => return Err(error),
    }
    let act = Act::Create(repo.clone());
    let limit = registry.wire.timeouts().answer;
    let create = registry
        .hub
        .client()
        .create_repository()
        .repo_id(repo.as_str())
        .repo_type(registry.wire.kind())
        .private(asked == Visibility::Private)
        .send();
    let created = timeout(limit, create)
        .await
        .map_err(|_| registry.wire.timed_out(&act, limit))?;
    match created.map_err(|error| registry.hub.failed(&act, error)) {
        Ok(_) => Ok(Ensured {
            created: true,
            publishers_only: false,
        }),
        // Somebody else made it between the two questions.
        Err(conflict @ ClientError::Conflict { .. }) => match state(registry, repo).await {
            Ok(state) => there(state),
            Err(_) => Err(conflict),
        },
        Err(error) => Err(error),
    }
}

impl Visibility {
    /// Refuses to push to `repo`, which is `actual`, what is asked to be this.
    pub(crate) fn allows(self, repo: &RepoId, actual: Self) -> Result<(), ClientError> {
        if self == Self::Private && actual == Self::Public {
            return Err(ClientError::VisibilityDiffers {
                repo: repo.clone(),
                asked: self,
                actual,
            });
        }
        Ok(())
    }
}
