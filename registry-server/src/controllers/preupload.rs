//! `POST …/preupload/{rev}`: decides which files go over LFS, in the commit body, or not at all.
//!
//! As on the Hub, the repository's `.gitattributes` selects the files that are sent over LFS. All
//! others are part of the commit body, which is read as a stream. The operator can set a size from
//! which files are sent over LFS in any case.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::gitattributes::sent_over_lfs;
use super::gitignore::ignored;
use super::{json, target};
use crate::access::{Call, PublishToRepository};
use crate::database::git_objects::BlobForm;
use crate::history::{ListedEntry, ListedKind, list_entries};
use crate::http::{ErrorBody, List, Reply, Rows};

/// The files that a commit will bring.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PreuploadRequest {
    #[schema(value_type = Vec<AnnouncedFile>)]
    files: List<AnnouncedFile>,
    /// The `.gitignore` that the commit will bring.
    #[serde(default, rename = "gitIgnore")]
    git_ignore: Option<String>,
    /// The `.gitattributes` that is part of the commit.
    #[serde(default, rename = "gitAttributes")]
    git_attributes: Option<String>,
}

/// The sample that clients send along does not change the answer.
#[derive(Deserialize, ToSchema)]
struct AnnouncedFile {
    path: String,
    #[serde(default)]
    size: u64,
}

/// The way in which each file of a commit is to be sent.
#[utoipa::path(
    post,
    path = "/api/{kinds}/{owner}/{name}/preupload/{revision}",
    request_body = PreuploadRequest,
    responses(
        (status = 200, description = "A way for each file", body = UploadPlan<Vec<PlannedFile>>),
        (status = 422, description = "A `.gitignore` or `.gitattributes` is too long", body = ErrorBody),
    ),
)]
pub(crate) async fn plan(mut call: Call<PublishToRepository>) -> Reply {
    let request: PreuploadRequest = call.json_list().await?;
    let files_max = call.registry.limits().commit_operations_max;
    let announced = request.files.within(files_max, "files")?;
    let repository = &call.admitted.repository;
    let revision = call.admitted.address.rest_text().unwrap_or_default();
    let commit = target::find_commit(&call.registry, repository, &revision).await?;
    let paths: Vec<String> = announced.iter().map(|file| file.path.clone()).collect();
    let unwanted = ignored(
        &call.registry,
        repository,
        &commit,
        request.git_ignore,
        paths.clone(),
    )
    .await?;
    let by_attributes = match call.registry.lfs_by_attributes() {
        true => {
            let attributes = request.git_attributes;
            sent_over_lfs(
                &call.registry,
                repository,
                &commit,
                attributes,
                paths.clone(),
            )
            .await?
        }
        false => vec![false; paths.len()],
    };
    let known = list_entries(call.registry.database(), &repository.id, &commit, &paths).await?;
    let known: HashMap<&str, &ListedEntry> = known
        .iter()
        .map(|entry| (entry.path.as_str(), entry))
        .collect();
    let lfs_from_bytes = call.registry.lfs_from_bytes();
    let row = |at: usize| {
        let file = &announced[at];
        // Some clients send an empty file inside the commit whatever the answer.
        let large = lfs_from_bytes.is_some_and(|from| file.size >= from);
        let lfs = (large || by_attributes[at]) && file.size > 0;
        let mode = if lfs { "lfs" } else { "regular" };
        let entry = known.get(file.path.as_str());
        // As in git, what is there already is not ignored.
        let ignore = unwanted[at] && entry.is_none();
        PlannedFile {
            path: file.path.clone(),
            upload_mode: mode,
            should_ignore: ignore,
            oid: entry.and_then(|entry| id_in_mode(entry, mode)),
        }
    };
    let files = Rows(|| (0..announced.len()).map(row));
    Ok(json(UploadPlan { files }))
}

/// The way in which files are to be sent.
#[derive(Serialize, ToSchema)]
pub(crate) struct UploadPlan<F> {
    files: F,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PlannedFile {
    path: String,
    /// `lfs`, or `regular` for what is part of the commit's body.
    upload_mode: &'static str,
    should_ignore: bool,
    /// Python leaves a file out of the commit when it already has this id.
    #[serde(skip_serializing_if = "Option::is_none")]
    oid: Option<String>,
}

/// The id that clients compare a file with before they send it: git's for a regular one, the
/// SHA-256 for one over LFS.
fn id_in_mode(entry: &ListedEntry, mode: &str) -> Option<String> {
    match (&entry.kind, mode) {
        (ListedKind::File(Some(blob)), "lfs") => Some(blob.sha256.to_string()),
        (ListedKind::File(Some(blob)), _) if blob.form == BlobForm::Pointer => None,
        (ListedKind::File(_), _) => Some(entry.oid.to_string()),
        (ListedKind::Directory, _) => None,
    }
}
