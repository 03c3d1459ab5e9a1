//! `POST …/commit/{branch}`: a commit, read as it arrives.

use http::StatusCode;
use serde_json::json;

use super::{json, repo_create, target, tool_version};
use crate::access::{Call, WriteRepository};
use crate::history::{WriteOutcome, WriteRefusal, write_commit};
use crate::http::{NotFound, Refusal, Reply, drain};
use crate::quota::Room;
use crate::upload::read_proposal;

pub(crate) async fn create(mut call: Call<WriteRepository>) -> Reply {
    let body = call.take_body();
    let branch = match checked_branch(&call) {
        Ok(branch) => branch,
        Err(refusal) => {
            drain(body, call.registry.limits()).await;
            return Err(refusal);
        }
    };
    let repository = &call.admitted.repository;
    let room = Room::of(&call.registry, &repository.owner).await?;
    let proposal = read_proposal(&call.registry, room, body).await?;
    let outcome = write_commit(
        &call.registry,
        repository,
        &branch,
        &call.admitted.caller.account,
        &proposal,
    )
    .await?;
    match outcome {
        WriteOutcome::Written(commit) => {
            tracing::info!(
                repository = repository.full_name(),
                commit = commit.oid,
                "committed"
            );
            let url = format!(
                "{}/commit/{}",
                repo_create::web_url(&call.base, repository),
                commit.oid
            );
            Ok(json(
                json!({"success": true, "commitOid": commit.oid, "commitUrl": url, "hookOutput": ""}),
            ))
        }
        WriteOutcome::Refused(refusal) => Err(refused(refusal, branch.as_str())),
    }
}

fn checked_branch(call: &Call<WriteRepository>) -> Result<crate::names::RefName, Refusal> {
    if call.query().is_on("create_pr") {
        return Err(Refusal::bad_request(
            "this registry has no pull requests; commit to a branch",
        ));
    }
    target::reference_name(&call.admitted.address)
}

fn refused(refusal: WriteRefusal, branch: &str) -> Refusal {
    match refusal {
        WriteRefusal::NoSuchBranch => Refusal::revision_not_found(branch),
        WriteRefusal::ParentMoved => Refusal::new(
            StatusCode::PRECONDITION_FAILED,
            "The branch was updated since you opened this page. Please refresh and try again.",
        ),
        WriteRefusal::Missing { path } => Refusal::new(
            StatusCode::NOT_FOUND,
            format!("A file with this name doesn't exist: {path}"),
        )
        .code(NotFound::Entry),
        WriteRefusal::InTheWay { path } => Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!("{path}: a file and a directory cannot have the same path"),
        ),
        WriteRefusal::QuotaExceeded(exceeded) => exceeded.into(),
        WriteRefusal::InvalidManifest(fault) => tool_version::invalid_manifest(&fault),
        WriteRefusal::Busy => Refusal::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the branch is being written by many; try again",
        ),
    }
}
