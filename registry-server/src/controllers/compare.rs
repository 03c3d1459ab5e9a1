//! `GET …/compare/{old}..{new}` or `/{rev}`: lists the files that differ between two revisions.
//! A single revision is compared with its commit's parent.
//!
//! JSON, or with `raw=true` lines in the manner of `git diff --raw` with the length and kind of
//! each file before them, which is what the Rust client takes apart.

use std::fmt::Write as _;

use axum::response::{IntoResponse as _, Response};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use gix_hash::ObjectId;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

use super::{json, target};
use crate::access::{Call, ReadRepository};
use crate::content::ContentStore;
use crate::database::commits::Commit;
use crate::error::RegistryError;
use crate::history::{Difference, Version, compare};
use crate::http::{ErrorBody, Refusal, Reply, Rows};

/// Bytes of a file looked at to tell text from anything else; git looks at as many.
const LOOK_BYTES: usize = 8_000;
/// Files looked at at once.
const LOOKS_IN_FLIGHT: usize = 8;

/// The files in which two revisions differ, or a commit from its parent.
///
/// The path ends in `old..new` or in one revision.
#[utoipa::path(
    get,
    path = "/api/{kinds}/{owner}/{name}/compare/{revisions}",
    params(
        ("raw" = Option<bool>, Query, description = "As lines in the manner of `git diff --raw`."),
    ),
    responses(
        (status = 200, description = "The files", content(
            (Vec<ChangedFile> = "application/json"),
            (String = "text/plain"),
        )),
        (status = 422, description = "The two revisions differ in too many files", body = ErrorBody),
    ),
)]
pub(crate) async fn show(call: Call<ReadRepository>) -> Reply {
    let (old, new) = commits(&call).await?;
    let (database, repository) = (call.registry.database(), &call.admitted.repository);
    let differences = compare(database, &repository.id, old.as_ref(), &new).await?;
    let files_max = call.registry.limits().commit_operations_max;
    if differences.len() > files_max {
        return Err(Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!("the revisions differ in more than {files_max} files"),
        ));
    }
    if call.query().is_on("raw") {
        return Ok(raw(call.registry.content(), differences).await?);
    }
    Ok(json(Rows(|| differences.iter().map(ChangedFile::from))))
}

/// The two commits that the path names. The first commit of all has nothing before it.
async fn commits(call: &Call<ReadRepository>) -> Result<(Option<Commit>, Commit), Refusal> {
    let repository = &call.admitted.repository;
    let spec = call.admitted.address.rest_text().unwrap_or_default();
    let find =
        async |revision: &str| target::find_commit(&call.registry, repository, revision).await;
    // No name of a branch or tag has two dots in it.
    if let Some((old, new)) = spec.split_once("..") {
        return Ok((Some(find(old).await?), find(new).await?));
    }
    let new = find(&spec).await?;
    let old = match &new.parent {
        Some(parent) => {
            call.registry
                .database()
                .commit(&repository.id, parent)
                .await?
        }
        None => None,
    };
    Ok((old, new))
}

/// A file in which two revisions differ.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChangedFile {
    path: String,
    /// `added`, `deleted` or `modified`.
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<FileVersion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<FileVersion>,
}

/// One of the two sides of a file.
#[derive(Serialize, ToSchema)]
struct FileVersion {
    oid: String,
    size: u64,
}

impl From<&Difference> for ChangedFile {
    fn from(difference: &Difference) -> Self {
        let version = |side: Option<Version>| {
            side.map(|Version { oid, blob }| FileVersion {
                oid: oid.to_string(),
                size: blob.size_bytes,
            })
        };
        Self {
            path: difference.path.clone(),
            status: match (&difference.old, &difference.new) {
                (None, _) => "added",
                (_, None) => "deleted",
                _ => "modified",
            },
            old: version(difference.old),
            new: version(difference.new),
        }
    }
}

async fn raw(
    content: &ContentStore,
    differences: Vec<Difference>,
) -> Result<Response, RegistryError> {
    let text: String = stream::iter(differences)
        .map(|difference| line(content.clone(), difference))
        .buffered(LOOKS_IN_FLIGHT)
        .try_collect()
        .await?;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    Ok(([(CONTENT_TYPE, kind)], text).into_response())
}

async fn line(content: ContentStore, difference: Difference) -> Result<String, RegistryError> {
    let mode = |version: Option<Version>| version.map_or("000000", |_| "100644");
    let oid = |version: Option<Version>| {
        version.map_or(ObjectId::null(gix_hash::Kind::Sha1), |version| version.oid)
    };
    let (old, new) = (difference.old, difference.new);
    let letter = match (old, new) {
        (None, _) => 'A',
        (_, None) => 'D',
        _ => 'M',
    };
    let (mut kind, mut size_bytes) = ('T', 0);
    if let Some(Version { blob, .. }) = new.or(old) {
        size_bytes = blob.size_bytes;
        let head = content.head(&blob.sha256, size_bytes, LOOK_BYTES).await?;
        if head.contains(&0) {
            kind = 'B';
        }
    }
    let mut line = String::new();
    // Writing to a text cannot fail.
    let _ = writeln!(
        line,
        "{kind} {size_bytes}\t:{} {} {}... {}... {letter}\t{}",
        mode(old),
        mode(new),
        oid(old),
        oid(new),
        difference.path
    );
    Ok(line)
}
