//! The dry run of a push: asks the registry what a push would find, and changes nothing.

use super::{Push, same_or_refused};
use crate::error::{Act, ClientError};
use crate::registry::Registry;
use crate::{refs, repo};

/// The state of the registry that a push would find.
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

/// Asks what a push would find, and changes nothing.
pub(crate) async fn rehearse(
    registry: &Registry,
    push: &Push<'_>,
) -> Result<Rehearsal, ClientError> {
    push.check_sizes(&Act::Commit(push.repo.clone()))?;
    push.check_version()?;
    match repo::visibility(registry, &push.repo).await {
        Ok(actual) => push.visibility.allows(&push.repo, actual)?,
        Err(ClientError::RepoNotFound { .. }) => return Ok(Rehearsal::NewRepo),
        Err(error) => return Err(error),
    }
    let version = &push.package.manifest().version;
    let versions = refs::versions(registry, &push.repo).await?;
    match versions.into_iter().find(|it| it.version == *version) {
        Some(existing) => {
            same_or_refused(registry, push, existing).await?;
            Ok(Rehearsal::AlreadyPushed)
        }
        None => Ok(Rehearsal::NewVersion),
    }
}
