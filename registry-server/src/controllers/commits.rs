//! `GET …/commits/{rev}`: lists the commits of a revision's history, in pages.

use http::HeaderName;
use http::header::LINK;

use super::{json, target};
use crate::access::{Call, ReadRepository};
use crate::http::{Refusal, Reply, Rows, next_link};
use crate::wire::CommitRow;

/// Commits of a page nobody chose the length of.
const PAGE_DEFAULT: usize = 50;

/// The history of a revision.
#[utoipa::path(
    get,
    path = "/api/{kinds}/{owner}/{name}/commits/{revision}",
    params(
        ("p" = Option<u32>, Query, description = "The page, counted from 0."),
        ("limit" = Option<u32>, Query, description = "Commits of a page."),
        ("expand" = Option<String>, Query, description = "`formatted` adds the texts as HTML."),
    ),
    responses(
        (status = 200, description = "A page of commits, the newest first", body = Vec<CommitRow>),
    ),
)]
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
    let row = |commit| CommitRow::new(commit, formatted);
    let mut response = json(Rows(|| commits.iter().map(row)));
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
