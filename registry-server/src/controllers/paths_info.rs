//! `POST …/paths-info/{rev}`: what is at these paths.

use std::collections::HashMap;

use http::header::CONTENT_TYPE;
use serde::Deserialize;
use serde_json::Value;

use super::{json, target};
use crate::access::{Call, ReadRepository};
use crate::history::list_entries;
use crate::http::{Query, Refusal, Reply};
use crate::wire::entry_json;

#[derive(Deserialize)]
struct Question {
    paths: Vec<String>,
    #[serde(default)]
    expand: bool,
}

pub(crate) async fn show(mut call: Call<ReadRepository>) -> Reply {
    let target = target::find_whole(&call.registry, &call.admitted).await?;
    let question = read_question(&mut call).await?;
    let paths_max = call.registry.limits().paths_max;
    if question.paths.len() > paths_max {
        return Err(Refusal::bad_request(format!(
            "at most {paths_max} paths may be asked for at once"
        )));
    }
    let database = call.registry.database();
    let repository = &call.admitted.repository.id;
    let entries = list_entries(database, repository, &target.commit, &question.paths).await?;
    let last = if question.expand {
        target
            .last_changes(&call.registry, &call.admitted, &entries)
            .await?
    } else {
        HashMap::new()
    };
    Ok(json(Value::Array(
        entries
            .iter()
            .map(|entry| entry_json(entry, last.get(&entry.path)))
            .collect(),
    )))
}

/// Python sends a form, the others send JSON.
async fn read_question(call: &mut Call<ReadRepository>) -> Result<Question, Refusal> {
    let content_type = call
        .parts
        .headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if content_type.starts_with("application/x-www-form-urlencoded") {
        let form = Query::parse(&call.bytes().await?);
        return Ok(Question {
            paths: form.all("paths").map(str::to_owned).collect(),
            expand: form.is_on("expand"),
        });
    }
    call.json().await
}
