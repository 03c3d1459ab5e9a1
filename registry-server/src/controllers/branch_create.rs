//! `POST …/branch/{branch}`: creates a branch at a given revision, or an empty one.

use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::write_error::refused;
use super::{json, target, version_rules};
use crate::access::{Call, WriteRepository};
use crate::clock;
use crate::content::Batch;
use crate::database::references::Reference;
use crate::database::write_authority::Needed;
use crate::history::{DEFAULT_BRANCH, Proposal, initial_commit, prepare_first};
use crate::http::{ErrorBody, Refusal, Reply, Reservation};
use crate::quota::Room;
use crate::wire::Success;

/// The start of a new branch.
#[derive(Deserialize, Default, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateBranchRequest {
    #[serde(default)]
    starting_point: Option<String>,
    #[serde(default)]
    empty_branch: bool,
    #[serde(default)]
    overwrite: bool,
}

/// Makes a branch.
#[utoipa::path(
    post,
    path = "/api/{kinds}/{owner}/{name}/branch/{branch}",
    request_body = Option<CreateBranchRequest>,
    responses(
        (status = 200, description = "It was made", body = Success),
        (status = 409, description = "There is one of this name", body = ErrorBody),
    ),
)]
pub(crate) async fn create(mut call: Call<WriteRepository>) -> Reply {
    let bytes = call.bytes().await?;
    // Python sends no body when there is nothing to say.
    let request: Option<CreateBranchRequest> = if bytes.is_empty() {
        None
    } else {
        serde_json::from_slice(&bytes).map_err(|error| Refusal::bad_request(error.to_string()))?
    };
    let request = request.unwrap_or_default();
    let branch = target::reference_name(&call.admitted.address)?;
    let repository = &call.admitted.repository;
    version_rules::check_new_branch(&branch)?;
    let exists = || {
        Refusal::new(
            StatusCode::CONFLICT,
            format!("Reference {} already exists", branch.branch()),
        )
    };
    let database = call.registry.database();
    let start = match (&request.starting_point, request.empty_branch) {
        (_, true) => None,
        (point, false) => {
            let point = point.as_deref().unwrap_or(DEFAULT_BRANCH);
            Some(target::find_commit(&call.registry, repository, point).await?)
        }
    };
    let authority = call.admitted.caller.authority(Needed::Write);
    let (mut writing, repository) = database.write_as(&authority, &repository.id).await?;
    let repository = &repository;
    if request.overwrite && branch.as_str() != DEFAULT_BRANCH {
        writing
            .delete_reference(&repository.id, &branch.branch())
            .await?;
    }
    let created = match start {
        Some(commit) => {
            let reference = Reference {
                name: branch.branch(),
                commit: commit.oid,
            };
            writing
                .insert_reference(&repository.id, &reference, None, clock::now_ms())
                .await?
        }
        None => {
            let proposal = Proposal {
                title: "initial commit".to_owned(),
                message: String::new(),
                parent: None,
                operations: Vec::new(),
                files: Batch::new(call.registry.content()),
                room: Room::default(),
                _held: Reservation::default(),
            };
            let author = &call.admitted.caller.account;
            let prepared = prepare_first(database, repository, author, &proposal)
                .await
                .map_err(|error| refused(error, branch.as_str()))?;
            initial_commit(
                &call.registry,
                &mut writing,
                repository,
                &branch,
                &prepared,
                &proposal.operations,
            )
            .await?
        }
    };
    if !created {
        return Err(exists());
    }
    writing.commit().await?;
    Ok(json(Success::DONE))
}
