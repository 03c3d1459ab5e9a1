//! `GET …/discussions`: lists discussions and pull requests, the newest first, in pages.

use serde::Serialize;
use utoipa::ToSchema;

use crate::access::{Call, ReadRepository};
use crate::controllers::json;
use crate::database::discussions::DiscussionFilter;
use crate::http::{Refusal, Reply};
use crate::wire::DiscussionRow;

/// Discussions of a page.
const PAGE: i64 = 50;

/// Discussions and pull requests, the newest first.
#[utoipa::path(
    get,
    path = "/api/{kinds}/{owner}/{name}/discussions",
    params(
        ("p" = Option<u32>, Query, description = "The page, counted from 0."),
        ("type" = Option<String>, Query, description = "`discussion`, `pull_request` or `all`."),
        ("status" = Option<String>, Query, description = "`open`, `draft`, `closed` or `all`."),
        ("author" = Option<String>, Query, description = "Who opened it."),
    ),
    responses(
        (status = 200, description = "A page of discussions", body = DiscussionPage),
    ),
)]
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
    let row = |discussion| DiscussionRow::new(repository, discussion);
    Ok(json(DiscussionPage {
        discussions: found.iter().map(row).collect(),
        count,
        start,
    }))
}

/// A page of discussions.
#[derive(Serialize, ToSchema)]
pub(crate) struct DiscussionPage {
    discussions: Vec<DiscussionRow>,
    /// The count on all pages.
    count: i64,
    start: i64,
}
