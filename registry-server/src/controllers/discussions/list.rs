//! `GET …/discussions`: the newest first, in pages.

use serde_json::{Value, json};

use crate::access::{Call, ReadRepository};
use crate::controllers::json as answer;
use crate::database::discussions::DiscussionFilter;
use crate::http::{Refusal, Reply};
use crate::wire::discussion_json;

/// Discussions of a page.
const PAGE: i64 = 50;

pub(crate) async fn list(call: Call<ReadRepository>) -> Reply {
    let query = call.query();
    let page: i64 = query
        .first("p")
        .unwrap_or("0")
        .parse()
        .map_err(|_| Refusal::bad_request("\"p\" must be a number"))?;
    let start = page
        .max(0)
        .checked_mul(PAGE)
        .ok_or_else(|| Refusal::bad_request("\"p\" is too large"))?;
    let chosen = |name: &str| query.first(name).filter(|value| *value != "all");
    let filter = DiscussionFilter {
        kind: chosen("type"),
        status: chosen("status"),
        author: chosen("author"),
    };
    let repository = &call.admitted.repository;
    let database = call.registry.database();
    let (found, count) = database
        .discussions(&repository.id, filter, start, PAGE)
        .await?;
    let rows: Vec<Value> = found
        .iter()
        .map(|discussion| Value::Object(discussion_json(repository, discussion)))
        .collect();
    Ok(answer(
        json!({"discussions": rows, "count": count, "start": start}),
    ))
}
