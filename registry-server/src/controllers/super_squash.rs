//! `POST …/super-squash/{branch}`: replaces a branch's or pull request's history by one commit.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::json;
use super::write_error::refused;
use crate::access::{Call, WriteRepository};
use crate::database::write_authority::Needed;
use crate::history::squash_head;
use crate::http::{Refusal, Reply};
use crate::names::Head;

/// The message of the one commit.
#[derive(Deserialize, Default, ToSchema)]
pub(crate) struct SuperSquashRequest {
    #[serde(default)]
    message: Option<String>,
}

/// Replaces the history of a branch or a pull request by one commit.
#[utoipa::path(
    post,
    path = "/api/{kinds}/{owner}/{name}/super-squash/{branch}",
    request_body = SuperSquashRequest,
    responses(
        (status = 200, description = "It was replaced", body = SquashedHistory),
    ),
)]
pub(crate) async fn squash(mut call: Call<WriteRepository>) -> Reply {
    let request: SuperSquashRequest = call.json().await?;
    let branch = call.admitted.address.rest_text().unwrap_or_default();
    let Some(head) = Head::parse(&branch) else {
        return Err(Refusal::bad_request(format!(
            "{branch:?} is neither a branch nor refs/pr/ and a number"
        )));
    };
    let title = title(
        &request,
        &branch,
        call.registry.limits().commit_message_bytes_max,
    )?;
    let caller = &call.admitted.caller;
    let (author, authority) = (&caller.account, caller.authority(Needed::Write));
    let repository = &call.admitted.repository;
    let squashed = squash_head(
        &call.registry,
        repository,
        &head,
        author,
        &authority,
        &title,
    );
    let commit = squashed
        .await
        .map_err(|error| refused(error, &branch))?
        .oid
        .to_string();
    tracing::info!(repository = repository.full_name(), commit, "squashed");
    Ok(json(SquashedHistory {
        success: true,
        commit_oid: commit,
    }))
}

/// The commit that stands for the history.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SquashedHistory {
    success: bool,
    commit_oid: String,
}

/// A title is one line.
fn title(request: &SuperSquashRequest, branch: &str, bytes_max: usize) -> Result<String, Refusal> {
    let message = request.message.as_deref().unwrap_or_default().trim();
    if message.len() > bytes_max || message.contains(['\0', '\n']) {
        return Err(Refusal::bad_request(format!(
            "the message must be one line of at most {bytes_max} bytes"
        )));
    }
    Ok(match message {
        "" => format!("Squash the history of {branch}"),
        message => message.to_owned(),
    })
}
