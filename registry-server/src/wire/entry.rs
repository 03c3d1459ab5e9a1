//! JSON shapes of files and directories in a repository.

use serde::Serialize;
use utoipa::ToSchema;

use super::commit::LastCommit;
use crate::database::commits::Commit;
use crate::database::git_objects::{Blob, BlobForm};
use crate::git::pointer_text;
use crate::history::{ListedEntry, ListedKind};

/// A file or directory of a revision.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Entry)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EntryRow {
    /// `file` or `directory`.
    r#type: &'static str,
    oid: String,
    size: u64,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    lfs: Option<LfsPointer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_commit: Option<LastCommit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    security_file_status: Option<SecurityFileStatus>,
}

/// Nothing here scans files, and Python wants all three keys.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SecurityFileStatus {
    status: &'static str,
    av_scan: Option<bool>,
    pickle_import_scan: Option<bool>,
}

impl EntryRow {
    pub(crate) fn new(entry: &ListedEntry, last: Option<&Commit>) -> Self {
        let (r#type, blob) = match &entry.kind {
            ListedKind::Directory => ("directory", None),
            ListedKind::File(blob) => ("file", blob.as_ref()),
        };
        let is_file = r#type == "file";
        Self {
            r#type,
            oid: entry.oid.to_string(),
            size: blob.map_or(0, |blob| blob.size_bytes),
            path: entry.path.clone(),
            lfs: blob.and_then(LfsPointer::of),
            last_commit: last.map(LastCommit::from),
            security_file_status: (is_file && last.is_some()).then_some(SecurityFileStatus {
                status: "unscanned",
                av_scan: None,
                pickle_import_scan: None,
            }),
        }
    }
}

/// One of a repository's files; size and id only where they were asked for. There may be
/// thousands, so they are written out as they are, and never a JSON value each.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Sibling<'a> {
    #[serde(rename = "rfilename")]
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(rename = "blobId", skip_serializing_if = "Option::is_none")]
    oid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lfs: Option<LfsPointer>,
}

impl<'a> Sibling<'a> {
    /// `None` for a directory.
    pub(crate) fn of(entry: &'a ListedEntry) -> Option<Self> {
        let ListedKind::File(blob) = &entry.kind else {
            return None;
        };
        Some(Self {
            path: &entry.path,
            size: blob.map(|blob| blob.size_bytes),
            oid: blob.map(|_| entry.oid.to_string()),
            lfs: blob.as_ref().and_then(LfsPointer::of),
        })
    }
}

/// The target of an LFS pointer. Clients look for the hash under either name.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LfsPointer {
    oid: String,
    sha256: String,
    size: u64,
    pointer_size: usize,
}

impl LfsPointer {
    fn of(blob: &Blob) -> Option<Self> {
        (blob.form == BlobForm::Pointer).then(|| Self {
            oid: blob.sha256.to_string(),
            sha256: blob.sha256.to_string(),
            size: blob.size_bytes,
            pointer_size: pointer_text(&blob.sha256, blob.size_bytes).len(),
        })
    }
}
