//! `POST …/tag/{rev}`: a name for a commit.

use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::{json, target, tool_version};
use crate::access::{Call, WriteRepository};
use crate::clock;
use crate::database::references::Reference;
use crate::http::{Refusal, Reply};
use crate::names::RefName;

/// Longest message of a tag in bytes.
const MESSAGE_BYTES_MAX: usize = 64 << 10;

#[derive(Deserialize)]
struct CreateTagRequest {
    tag: String,
    #[serde(default)]
    message: Option<String>,
}

pub(crate) async fn create(mut call: Call<WriteRepository>) -> Reply {
    let request: CreateTagRequest = call.json().await?;
    if request
        .message
        .as_ref()
        .is_some_and(|message| message.len() > MESSAGE_BYTES_MAX)
    {
        return Err(Refusal::bad_request(format!(
            "the message of a tag has at most {MESSAGE_BYTES_MAX} bytes"
        )));
    }
    let repository = &call.admitted.repository;
    let revision = call.admitted.address.rest_text().unwrap_or_default();
    let commit = target::find_commit(&call.registry, repository, &revision).await?;
    let tag = RefName::parse(&request.tag)
        .ok_or_else(|| Refusal::bad_request("the tag has no valid name"))?;
    let version = tool_version::check_new_tag(&call.registry, repository, &tag, &commit).await?;
    let reference = Reference {
        name: tag.tag(),
        commit: commit.oid,
    };
    let database = call.registry.database();
    let now_ms = clock::now_ms();
    let mut writing = database.write_to(&repository.id).await?;
    tool_version::check_names_no_branch(database, repository, &tag).await?;
    if !writing
        .insert_reference(
            &repository.id,
            &reference,
            request.message.as_deref(),
            now_ms,
        )
        .await?
    {
        return Err(Refusal::new(
            StatusCode::CONFLICT,
            format!("Tag reference exists already: {tag}"),
        ));
    }
    if let Some(version) = &version {
        let published = writing.publish(&repository.id, &version.publication, now_ms);
        if let Some(earlier) = published.await? {
            let id = repository.full_name();
            return Err(tool_version::published_before(&id, &earlier));
        }
        writing
            .insert_manifest(&repository.id, &version.manifest)
            .await?;
    }
    writing.commit().await?;
    Ok(json(json!({"success": true})))
}
