//! `POST …/discussions`: opens a discussion, or a pull request without commits.
//! The Python client opens such a pull request before it sends a folder.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::access::{Call, WriteRepository};
use crate::controllers::web_url::web_url;
use crate::controllers::{json, target};
use crate::database::write_authority::Needed;
use crate::history::{DEFAULT_BRANCH, Topic, open_discussion, open_draft};
use crate::http::{Refusal, Reply};

/// Longest title in characters.
const TITLE_CHARS_MAX: usize = 200;

/// A new discussion or pull request.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateDiscussionRequest {
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    pull_request: bool,
}

/// Opens a discussion, or a pull request without commits.
#[utoipa::path(
    post,
    path = "/api/{kinds}/{owner}/{name}/discussions",
    request_body = CreateDiscussionRequest,
    responses(
        (status = 200, description = "It was opened", body = OpenedDiscussion),
    ),
)]
pub(crate) async fn open(mut call: Call<WriteRepository>) -> Reply {
    let request: CreateDiscussionRequest = call.json().await?;
    let topic = Topic {
        title: title(&request)?,
        description: description(&request, call.registry.limits().commit_message_bytes_max)?,
        author: &call.admitted.caller.account,
    };
    let (registry, repository) = (&call.registry, &call.admitted.repository);
    let authority = call.admitted.caller.authority(Needed::Write);
    let number = if request.pull_request {
        let base = target::find_commit(registry, repository, DEFAULT_BRANCH).await?;
        open_draft(registry, repository, &authority, &base, topic).await?
    } else {
        open_discussion(registry, repository, &authority, topic).await?
    };
    let url = format!("{}/discussions/{number}", web_url(&call.base, repository));
    Ok(json(OpenedDiscussion {
        num: number,
        pull_request: request.pull_request,
        url,
    }))
}

/// A discussion that was opened.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenedDiscussion {
    num: u32,
    pull_request: bool,
    url: String,
}

fn title(request: &CreateDiscussionRequest) -> Result<&str, Refusal> {
    let title = request.title.trim();
    let length = title.chars().count();
    if length == 0 || length > TITLE_CHARS_MAX || title.contains(char::is_control) {
        return Err(Refusal::bad_request(format!(
            "\"title\" must be one line of 1 to {TITLE_CHARS_MAX} characters"
        )));
    }
    Ok(title)
}

fn description(request: &CreateDiscussionRequest, bytes_max: usize) -> Result<&str, Refusal> {
    if request.description.len() > bytes_max {
        return Err(Refusal::bad_request(format!(
            "\"description\" has at most {bytes_max} bytes"
        )));
    }
    Ok(&request.description)
}
