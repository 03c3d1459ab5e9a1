//! `DELETE …/tag/{revision}`: deletes a tag, unless it is a published version.

use super::{json, target, version_rules};
use crate::access::{Call, WriteRepository};
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
    let repository = &call.admitted.repository;
    version_rules::check_tag_removal(&call.registry, repository, &tag).await?;
    let mut writing = call.registry.database().write_to(&repository.id).await?;
    if !writing.delete_reference(&repository.id, &tag.tag()).await? {
        return Err(Refusal::revision_not_found(tag.as_str()));
    }
    writing.commit().await?;
    Ok(json(Success::DONE))
}
