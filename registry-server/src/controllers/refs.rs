//! `GET …/refs`: branches, tags and, where asked for, pull requests.

use serde_json::{Value, json};

use super::json;
use crate::access::{Call, ReadRepository};
use crate::database::references::Reference;
use crate::http::Reply;

pub(crate) async fn list(call: Call<ReadRepository>) -> Reply {
    let references = call
        .registry
        .database()
        .references(&call.admitted.repository.id)
        .await?;
    let under = |prefix: &str| -> Vec<Value> {
        references
            .iter()
            .filter_map(|reference| {
                let name = reference.name.strip_prefix(prefix)?;
                Some(json!({"name": name, "ref": reference.name, "targetCommit": reference.commit.to_string()}))
            })
            .collect()
    };
    let mut value =
        json!({"branches": under("refs/heads/"), "tags": under("refs/tags/"), "converts": []});
    if call.query().is_on("include_prs") {
        // Python's own suite looks for the full name under both keys.
        let full = |reference: &&Reference| reference.name.starts_with("refs/pr/");
        value["pullRequests"] = references
            .iter()
            .filter(full)
            .map(|reference| json!({"name": reference.name, "ref": reference.name, "targetCommit": reference.commit.to_string()}))
            .collect();
    }
    Ok(json(value))
}
