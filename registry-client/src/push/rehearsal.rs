//! The dry run of a push: asks the registry what a push would find, and changes nothing.

use super::{Push, same_or_refused};
use crate::error::{Act, ClientError};
use crate::registry::Registry;
use crate::{refs, repo};

/// The state of the registry that a push would find.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rehearsal {
    /// There is no such repo, or the token may not see it; a push would make it.
    NewRepo,
    /// The repo does not have this version.
    NewVersion,
    /// The repo has this very version; a push would change nothing.
    AlreadyPushed {
        /// The files that differ all the same, as in
        /// [`PushReport::differing`](crate::PushReport::differing).
        differing: Vec<&'static str>,
    },
}

/// Asks what a push would find, and changes nothing.
pub(crate) async fn rehearse(
    registry: &Registry,
    push: &Push<'_>,
) -> Result<Rehearsal, ClientError> {
    push.check_sizes(&Act::Commit(push.repo.clone()))?;
    push.check_version()?;
    let state = match repo::state(registry, &push.repo).await {
        Ok(state) => state,
        Err(ClientError::RepoNotFound { .. }) => return Ok(Rehearsal::NewRepo),
        Err(error) => return Err(error),
    };
    push.visibility.allows(&push.repo, state.visibility)?;
    let version = &push.package.manifest().version;
    let versions = refs::versions(registry, &push.repo).await?;
    match versions.into_iter().find(|it| it.version == *version) {
        Some(existing) => {
            let (_, differing) = same_or_refused(registry, push, existing).await?;
            Ok(Rehearsal::AlreadyPushed { differing })
        }
        None => {
            push.check_publishers_only(state.publishers_only)?;
            Ok(Rehearsal::NewVersion)
        }
    }
}
