//! `GET …/refs`: branches and tags.

use serde_json::{Value, json};

use super::json;
use crate::access::{Call, ReadRepository};
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
                Some(json!({"name": name, "ref": reference.name, "targetCommit": reference.commit}))
            })
            .collect()
    };
    let mut value =
        json!({"branches": under("refs/heads/"), "tags": under("refs/tags/"), "converts": []});
    if call.query().is_on("include_prs") {
        value["pullRequests"] = json!([]);
    }
    Ok(json(value))
}
