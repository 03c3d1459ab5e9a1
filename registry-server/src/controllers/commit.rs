//! `POST …/commit/{branch}`: reads a commit as it arrives; writes it to a branch or pull request.
//! `?create_pr=1` opens a pull request.

use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use super::web_url::web_url;
use super::write_error::refused;
use super::{json, target};
use crate::access::{Call, PublishToRepository};
use crate::database::commits::Commit;
use crate::database::write_authority::Needed;
use crate::history::{DEFAULT_BRANCH, Operation, Proposal, open_pull_request, write_commit};
use crate::http::{ErrorBody, Refusal, Reply, drain};
use crate::names::Head;
use crate::quota::Room;
use crate::tool::RELEASES;
use crate::upload::read_proposal;

/// Writes a commit on a branch or a pull request.
///
/// The body is one JSON object a line, each with `key` and `value`: `header` with `summary`,
/// `description` and `parentCommit`, then `file` with `path`, `content` and `encoding`, `lfsFile`
/// with `path`, `oid` and `size`, `deletedFile` and `deletedFolder` with `path`.
#[utoipa::path(
    post,
    path = "/api/{kinds}/{owner}/{name}/commit/{branch}",
    params(
        ("create_pr" = Option<bool>, Query, description = "Opens a pull request with the commit."),
    ),
    request_body(content = String, content_type = "application/x-ndjson"),
    responses(
        (status = 200, description = "It was written", body = WrittenCommit),
        (status = 412, description = "The branch has moved on from `parentCommit`", body = ErrorBody),
        (status = 422, description = "The commit is refused", body = ErrorBody),
    ),
)]
pub(crate) async fn create(mut call: Call<PublishToRepository>) -> Reply {
    let body = call.take_body();
    let target = match commit_target(&call).await {
        Ok(target) => target,
        Err(refusal) => {
            drain(body, &call.registry).await;
            return Err(refusal);
        }
    };
    let repository = &call.admitted.repository;
    let caller = &call.admitted.caller;
    let (author, authority) = (&caller.account, caller.authority(Needed::Write));
    let room = Room::of(&call.registry, &repository.owner).await?;
    let mut proposal = read_proposal(&call.registry, &repository.id, room, body).await?;
    if caller.publishes_to().is_some() {
        check_publisher(&target, &proposal)?;
    }
    match target {
        CommitTarget::Head(head) => {
            let written = write_commit(
                &call.registry,
                repository,
                &head,
                author,
                &authority,
                &mut proposal,
            );
            let commit = written
                .await
                .map_err(|error| refused(error, &head.reference()))?;
            Ok(answer(&call, &commit, None))
        }
        CommitTarget::NewPullRequest(base) => {
            // The commit that the sender looked at is the base; on a pull request it is not a
            // condition.
            let base = match &proposal.parent {
                Some(parent) => target::find_commit(&call.registry, repository, parent).await?,
                None => base,
            };
            let opened = open_pull_request(
                &call.registry,
                repository,
                &base,
                author,
                &authority,
                &mut proposal,
            );
            let opened = opened
                .await
                .map_err(|error| refused(error, &base.oid.to_string()))?;
            Ok(answer(&call, &opened.commit, Some(opened.number)))
        }
    }
}

/// The reference that a commit goes on.
enum CommitTarget {
    Head(Head),
    /// A pull request that is opened with it, on top of this commit.
    NewPullRequest(Commit),
}

/// Refuses a commit of a trusted publisher that does more than publish: one elsewhere than on the
/// default branch, and one that yanks or gives back.
fn check_publisher(target: &CommitTarget, proposal: &Proposal) -> Result<(), Refusal> {
    let is_main = match target {
        CommitTarget::Head(head) => head.is_branch(DEFAULT_BRANCH),
        CommitTarget::NewPullRequest(_) => false,
    };
    if !is_main {
        return Err(Refusal::forbidden(format!(
            "a trusted publisher commits to {DEFAULT_BRANCH} and nowhere else"
        )));
    }
    // A directory of that name would take the place of a file that people put there later.
    let changes = |operation: &Operation| match operation {
        Operation::Put { path, .. } | Operation::Remove { path } => {
            path.as_str().split('/').next() == Some(RELEASES)
        }
    };
    if proposal.operations.iter().any(changes) {
        return Err(Refusal::forbidden(format!(
            "a trusted publisher does not change {RELEASES}: versions are yanked by people"
        )));
    }
    Ok(())
}

async fn commit_target(call: &Call<PublishToRepository>) -> Result<CommitTarget, Refusal> {
    let mut text = call.admitted.address.rest_text().unwrap_or_default();
    if text.eq_ignore_ascii_case("head") {
        text = DEFAULT_BRANCH.to_owned();
    }
    if call.query().is_on("create_pr") {
        // What is asked for is to change a branch, so a commit's id will not do.
        let Some(head) = Head::parse(&text) else {
            return Err(Refusal::revision_not_found(&text));
        };
        let repository = &call.admitted.repository;
        let base = target::find_commit(&call.registry, repository, &head.reference()).await?;
        return Ok(CommitTarget::NewPullRequest(base));
    }
    Head::parse(&text).map(CommitTarget::Head).ok_or_else(|| {
        Refusal::bad_request(format!(
            "{text:?} is neither a branch nor refs/pr/ and a number"
        ))
    })
}

fn answer(
    call: &Call<PublishToRepository>,
    commit: &Commit,
    pull_request: Option<u32>,
) -> Response {
    let repository = &call.admitted.repository;
    let commit = commit.oid.to_string();
    tracing::info!(repository = repository.full_name(), commit, "committed");
    let url = web_url(&call.base, repository);
    json(WrittenCommit {
        success: true,
        commit_url: format!("{url}/commit/{commit}"),
        commit_oid: commit,
        hook_output: "",
        pull_request_url: pull_request.map(|number| format!("{url}/discussions/{number}")),
    })
}

/// A commit that was written.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WrittenCommit {
    success: bool,
    commit_oid: String,
    commit_url: String,
    hook_output: &'static str,
    /// Python reads the number off the end of this address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pull_request_url: Option<String>,
}
