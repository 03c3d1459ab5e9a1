//! Files and directories.

use serde_json::{Map, Value, json};

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

/// One of a repository's `siblings`; size and id only where they were asked for.
pub(crate) fn sibling_json(entry: &ListedEntry, with_blobs: bool) -> Option<Value> {
    let ListedKind::File(blob) = &entry.kind else {
        return None;
    };
    let mut value = Map::new();
    value.insert("rfilename".to_owned(), Value::String(entry.path.clone()));
    if with_blobs {
        value.insert("size".to_owned(), json!(blob.map(|blob| blob.size_bytes)));
        value.insert("blobId".to_owned(), json!(entry.oid.to_string()));
        if let Some(lfs) = blob.as_ref().and_then(lfs_json) {
            value.insert("lfs".to_owned(), lfs);
        }
    }
    Some(Value::Object(value))
}

/// What the pointer of an LFS file points at. Clients look for the hash under either name.
fn lfs_json(blob: &Blob) -> Option<Value> {
    (blob.form == BlobForm::Pointer).then(|| {
        let sha256 = blob.sha256.to_string();
        let pointer_bytes = pointer_text(&blob.sha256, blob.size_bytes).len();
        json!({"oid": sha256, "sha256": sha256, "size": blob.size_bytes, "pointerSize": pointer_bytes})
    })
}
