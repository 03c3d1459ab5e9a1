//! `DELETE …/tag/{tag}`.

use serde_json::json;

use super::{json, target, tool_version};
use crate::access::{Call, WriteRepository};
use crate::http::{Refusal, Reply};

pub(crate) async fn delete(call: Call<WriteRepository>) -> Reply {
    let tag = target::reference_name(&call.admitted.address)?;
    let repository = &call.admitted.repository;
    tool_version::check_tag_removal(&call.registry, repository, &tag).await?;
    let mut writing = call.registry.database().write_to(&repository.id).await?;
    if !writing.delete_reference(&repository.id, &tag.tag()).await? {
        return Err(Refusal::revision_not_found(tag.as_str()));
    }
    writing.commit().await?;
    Ok(json(json!({"success": true})))
}
