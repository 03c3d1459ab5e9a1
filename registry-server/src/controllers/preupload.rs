//! `POST …/preupload/{rev}`: how each file is to be uploaded.
//!
//! The answer is always `regular`: it is the only one that all three clients follow in their standard installation. A file then comes
//! inside the commit body, which is read as a stream.

use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;

use super::{json, target};
use crate::access::{Call, WriteRepository};
use crate::history::{ListedKind, list_entries};
use crate::http::{Refusal, Reply};

#[derive(Deserialize)]
struct Question {
    files: Vec<AnnouncedFile>,
}

/// The size and the sample that clients send along do not change the answer.
#[derive(Deserialize)]
struct AnnouncedFile {
    path: String,
}

pub(crate) async fn plan(mut call: Call<WriteRepository>) -> Reply {
    let question: Question = call.json().await?;
    let files_max = call.registry.limits().commit_operations_max;
    if question.files.len() > files_max {
        return Err(Refusal::bad_request(format!(
            "a commit may hold at most {files_max} changes"
        )));
    }
    let repository = &call.admitted.repository;
    let revision = call.admitted.address.rest_text().unwrap_or_default();
    let commit = target::find_commit(&call.registry, repository, &revision).await?;
    let paths: Vec<String> = question.files.into_iter().map(|file| file.path).collect();
    let known = list_entries(call.registry.database(), &repository.id, &commit, &paths).await?;
    let known: HashMap<&str, String> = known
        .iter()
        .filter(|entry| matches!(entry.kind, ListedKind::File(_)))
        .map(|entry| (entry.path.as_str(), entry.oid.to_string()))
        .collect();
    let files: Vec<Value> = paths
        .iter()
        .map(|path| {
            let mut file = json!({"path": path, "uploadMode": "regular", "shouldIgnore": false});
            // Python leaves a file out of the commit when it already has this id.
            if let Some(oid) = known.get(path.as_str()) {
                file["oid"] = json!(oid);
            }
            file
        })
        .collect();
    Ok(json(json!({"files": files})))
}
