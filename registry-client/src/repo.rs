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
}

/// Asks who may see `repo`, and refuses one that has another name today: registries go on
/// answering to the old name, and the new one may belong to another owner.
pub(crate) async fn visibility(
    registry: &Registry,
    repo: &RepoId,
) -> Result<Visibility, ClientError> {
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
    Ok(if answer.private {
        Visibility::Private
    } else {
        Visibility::Public
    })
}

/// Creates the repo unless it is there, and tells whether it did.
pub(crate) async fn ensure(
    registry: &Registry,
    repo: &RepoId,
    asked: Visibility,
) -> Result<bool, ClientError> {
    match visibility(registry, repo).await {
        Ok(actual) => {
            asked.allows(repo, actual)?;
            return Ok(false);
        }
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
        Ok(_) => Ok(true),
        // Somebody else made it between the two questions.
        Err(conflict @ ClientError::Conflict { .. }) => match visibility(registry, repo).await {
            Ok(actual) => asked.allows(repo, actual).map(|()| false),
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
