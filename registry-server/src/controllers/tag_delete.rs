//! `DELETE …/tag/{tag}`.

use serde_json::json;

use super::{json, target};
use crate::access::{Call, WriteRepository};
use crate::http::{Refusal, Reply};

pub(crate) async fn delete(call: Call<WriteRepository>) -> Reply {
    let tag = target::reference_name(&call.admitted.address)?;
    let mut writing = call
        .registry
        .database()
        .write_to(&call.admitted.repository.id)
        .await?;
    if !writing
        .delete_reference(&call.admitted.repository.id, &tag.tag())
        .await?
    {
        return Err(Refusal::revision_not_found(tag.as_str()));
    }
    writing.commit().await?;
    Ok(json(json!({"success": true})))
}
