//! `DELETE …/tag/{revision}`: deletes a tag, unless it is a published version.

use super::{json, target, version_rules};
use crate::access::{Call, WriteRepository};
use crate::database::write_authority::Needed;
use crate::http::{Refusal, Reply};
use crate::wire::Success;

/// Deletes a tag.
#[utoipa::path(
    delete,
    path = "/api/{kinds}/{owner}/{name}/tag/{revision}",
    responses(
        (status = 200, description = "It is gone", body = Success),
    ),
)]
pub(crate) async fn delete(call: Call<WriteRepository>) -> Reply {
    let tag = target::reference_name(&call.admitted.address)?;
    let authority = call.admitted.caller.authority(Needed::Write);
    let (database, id) = (call.registry.database(), &call.admitted.repository.id);
    let (mut writing, repository) = database.write_as(&authority, id).await?;
    // Asked only here: somebody may have published the version meanwhile.
    version_rules::check_tag_removal(&call.registry, &repository, &tag).await?;
    if !writing.delete_reference(&repository.id, &tag.tag()).await? {
        return Err(Refusal::revision_not_found(tag.as_str()));
    }
    writing.commit().await?;
    Ok(json(Success::DONE))
}
