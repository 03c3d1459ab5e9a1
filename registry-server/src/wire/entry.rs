//! Files and directories.

use serde::Serialize;
use serde_json::{Value, json};

use super::last_commit_json;
use crate::database::commits::Commit;
use crate::database::objects::{Blob, BlobForm};
use crate::git::pointer_text;
use crate::history::{ListedEntry, ListedKind};

/// One entry of `/tree` and `/paths-info`.
pub(crate) fn entry_json(entry: &ListedEntry, last: Option<&Commit>) -> Value {
    let mut value = match &entry.kind {
        ListedKind::Directory => {
            json!({"type": "directory", "oid": entry.oid.to_string(), "size": 0, "path": entry.path})
        }
        ListedKind::File(blob) => {
            let size = blob.map_or(0, |blob| blob.size_bytes);
            let mut value = json!({"type": "file", "oid": entry.oid.to_string(), "size": size, "path": entry.path});
            if let Some(lfs) = blob.as_ref().and_then(lfs_json) {
                value["lfs"] = lfs;
            }
            value
        }
    };
    if let Some(last) = last {
        value["lastCommit"] = last_commit_json(last);
        if matches!(entry.kind, ListedKind::File(_)) {
            // Nothing here scans files, and Python wants all three keys.
            value["securityFileStatus"] =
                json!({"status": "unscanned", "avScan": null, "pickleImportScan": null});
        }
    }
    value
}

/// One of a repository's `siblings`; size and id only where they were asked for. There may be
/// thousands, so they are written out as they are, and never a JSON value each.
#[derive(Debug, Serialize)]
pub(crate) struct Sibling<'a> {
    #[serde(rename = "rfilename")]
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(rename = "blobId", skip_serializing_if = "Option::is_none")]
    oid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lfs: Option<Value>,
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
            lfs: blob.as_ref().and_then(lfs_json),
        })
    }
}

/// What the pointer of an LFS file points at. Clients look for the hash under either name.
fn lfs_json(blob: &Blob) -> Option<Value> {
    (blob.form == BlobForm::Pointer).then(|| {
        let sha256 = blob.sha256.to_string();
        let pointer_bytes = pointer_text(&blob.sha256, blob.size_bytes).len();
        json!({"oid": sha256, "sha256": sha256, "size": blob.size_bytes, "pointerSize": pointer_bytes})
    })
}
