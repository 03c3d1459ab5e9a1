//! `DELETE …/branch/{branch}`: deletes a branch.

use super::{json, target};
use crate::access::{Call, WriteRepository};
use crate::database::write_authority::Needed;
use crate::history::DEFAULT_BRANCH;
use crate::http::{Refusal, Reply};
use crate::wire::Success;

/// Deletes a branch.
#[utoipa::path(
    delete,
    path = "/api/{kinds}/{owner}/{name}/branch/{branch}",
    responses(
        (status = 200, description = "It is gone", body = Success),
    ),
)]
pub(crate) async fn delete(call: Call<WriteRepository>) -> Reply {
    let branch = target::reference_name(&call.admitted.address)?;
    if branch.as_str() == DEFAULT_BRANCH {
        return Err(Refusal::forbidden(
            "Cannot delete refs/heads/main: it is the default branch",
        ));
    }
    let authority = call.admitted.caller.authority(Needed::Write);
    let (database, id) = (call.registry.database(), &call.admitted.repository.id);
    let (mut writing, _) = database.write_as(&authority, id).await?;
    if !writing.delete_reference(id, &branch.branch()).await? {
        return Err(Refusal::revision_not_found(branch.as_str()));
    }
    writing.commit().await?;
    Ok(json(Success::DONE))
}
