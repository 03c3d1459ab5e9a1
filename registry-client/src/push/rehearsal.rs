//! What a push would find, without pushing.

use super::Push;
use crate::{Act, Client, ClientError};

/// What a push would find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rehearsal {
    /// There is no such repo, or the token may not see it; a push would make it.
    NewRepo,
    /// The repo does not have this version.
    NewVersion,
    /// The repo has this very version; a push would change nothing.
    AlreadyPushed,
}

impl Client {
    /// Asks the registry what [`push`](Self::push) would find, and changes nothing. It takes no
    /// token where the repo is public, and does not tell whether the token may write.
    ///
    /// # Errors
    /// [`ClientError::VersionExists`] when the version was pushed with other content,
    /// [`ClientError::VisibilityDiffers`], [`ClientError::TooLarge`], and as every question.
    pub async fn rehearse(&self, push: &Push<'_>) -> Result<Rehearsal, ClientError> {
        push.check_sizes(&Act::Commit(push.repo.clone()))?;
        match self.visibility(&push.repo).await {
            Ok(actual) => push.visibility.allows(&push.repo, actual)?,
            Err(ClientError::RepoNotFound { .. }) => return Ok(Rehearsal::NewRepo),
            Err(error) => return Err(error),
        }
        let version = &push.package.manifest().version;
        let versions = self.versions(&push.repo).await?;
        match versions.into_iter().find(|it| it.version == *version) {
            Some(existing) => {
                self.same_or_refused(push, existing).await?;
                Ok(Rehearsal::AlreadyPushed)
            }
            None => Ok(Rehearsal::NewVersion),
        }
    }
}
