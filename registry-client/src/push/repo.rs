//! The repo that is pushed to: it is made where it is missing, and nothing private goes to one
//! that everybody reads.

use tokio::time::timeout;
use tool_hub_manifest::RepoId;

use crate::visibility::Visibility;
use crate::{Act, Client, ClientError};

impl Client {
    /// Creates the repo unless it is there, and tells whether it did.
    pub(crate) async fn ensure_repo(
        &self,
        repo: &RepoId,
        asked: Visibility,
    ) -> Result<bool, ClientError> {
        match self.visibility(repo).await {
            Ok(actual) => {
                asked.allows(repo, actual)?;
                return Ok(false);
            }
            Err(ClientError::RepoNotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        let act = Act::Create(repo.clone());
        let limit = self.wire().timeouts().answer;
        let create = self
            .hub()
            .client()
            .create_repository()
            .repo_id(repo.as_str())
            .repo_type(self.wire().kind())
            .private(asked == Visibility::Private)
            .send();
        let created = timeout(limit, create)
            .await
            .map_err(|_| self.wire().timed_out(&act, limit))?;
        match created.map_err(|error| self.hub().failed(&act, error)) {
            Ok(_) => Ok(true),
            // Somebody else made it between the two questions.
            Err(conflict @ ClientError::Conflict { .. }) => match self.visibility(repo).await {
                Ok(actual) => asked.allows(repo, actual).map(|()| false),
                Err(_) => Err(conflict),
            },
            Err(error) => Err(error),
        }
    }
}

impl Visibility {
    /// Refuses to push to `repo`, which is `actual`, what is asked to be this.
    pub(super) fn allows(self, repo: &RepoId, actual: Self) -> Result<(), ClientError> {
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
