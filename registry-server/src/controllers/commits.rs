//! `GET …/commits/{rev}`: the history, in pages.

use http::HeaderName;
use http::header::LINK;
use serde_json::Value;

use super::{json, target};
use crate::access::{Call, ReadRepository};
use crate::http::{Refusal, Reply, next_link};
use crate::wire::commit_json;

/// Commits of a page nobody chose the length of.
const PAGE_DEFAULT: usize = 50;

pub(crate) async fn list(call: Call<ReadRepository>) -> Reply {
    let target = target::find_whole(&call.registry, &call.admitted).await?;
    let query = call.query();
    let limit = match query.first("limit") {
        Some(_) => query.count("limit", call.registry.limits().history_page_max),
        None => PAGE_DEFAULT,
    };
    let page: i64 = query
        .first("p")
        .unwrap_or("0")
        .parse()
        .map_err(|_| Refusal::bad_request("\"p\" must be a number"))?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let skip = page
        .max(0)
        .checked_mul(limit)
        .ok_or_else(|| Refusal::bad_request("\"p\" is too large"))?;
    // The history has one line, so the generation of its head is its length.
    let total = target.commit.generation;
    let commits = if skip < total {
        call.registry
            .database()
            .history(&call.admitted.repository.id, &target.commit, skip, limit)
            .await?
    } else {
        Vec::new()
    };
    let formatted = query.all("expand").any(|value| value == "formatted");
    let mut response = json(Value::Array(
        commits
            .iter()
            .map(|commit| commit_json(commit, formatted))
            .collect(),
    ));
    response
        .headers_mut()
        .insert(HeaderName::from_static("x-total-count"), total.into());
    if skip + limit < total
        && let Some(link) = next_link(&call.base, &call.parts, "p", &(page.max(0) + 1).to_string())
    {
        response.headers_mut().insert(LINK, link);
    }
    Ok(response)
}
