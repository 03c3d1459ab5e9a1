//! `GET /api/{kinds}`: searches and lists repositories, in pages.
//! `?expand=tool` shows of each tool what its manifest says, so that a client lists tools without a
//! download.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::LINK;
use serde_json::Value;

use super::expanded_fields::{only, wanted_fields};
use super::{json, not_found};
use crate::access::{Anyone, Call, Caller};
use crate::database::fulltext::Terms;
use crate::database::keys::RepositoryKey;
use crate::database::search::{Order, Position, RankedPosition, Search};
use crate::http::{ErrorBody, Query, Refusal, Reply, next_link};
use crate::names::{Address, RepositoryKind, TokenScope};
use crate::wire::{ListedTool, RepositoryFacts, RepositoryRow, describe_in_card};

/// Most words and tags of one search; each is a condition the database has to check.
const CONDITIONS_MAX: usize = 20;

/// Repositories, by words, owner and tags.
#[utoipa::path(
    get,
    path = "/api/{kinds}",
    params(
        ("search" = Option<String>, Query, description = "Words that must all occur; the last may be the beginning of one."),
        ("author" = Option<String>, Query, description = "The owner."),
        ("filter" = Option<String>, Query, description = "Tags that must all be there, with commas between them."),
        ("sort" = Option<String>, Query, description = "`relevance`, `lastModified`, `createdAt`, `downloads` or `likes`."),
        ("full" = Option<bool>, Query, description = "With the front matter of each card."),
        ("cardData" = Option<bool>, Query, description = "The same."),
        ("expand" = Option<String>, Query, description = "The fields to show, with commas between them; `tool` shows what the manifest says."),
        ("limit" = Option<u32>, Query, description = "Most repositories of a page."),
        ("cursor" = Option<String>, Query, description = "From the `Link` of the page before."),
    ),
    responses(
        (status = 200, description = "A page of repositories", body = Vec<RepositoryRow>),
        (status = 404, description = "There is no such kind of repository", body = ErrorBody),
    ),
)]
pub(crate) async fn list(call: Call<Anyone>) -> Reply {
    let Some(kind) = kind_of_path(call.parts.uri.path()) else {
        return Err(not_found::nothing());
    };
    let query = call.query();
    let expand = wanted_fields(&query)?;
    let mut search = read_search(&call, kind, &query)?;
    if search.terms.is_none() && query.all("search").any(|text| !text.trim().is_empty()) {
        // Punctuation alone finds nothing: the index holds only letters and digits.
        return Ok(json(Value::Array(Vec::new())));
    }
    let page_max = search.limit;
    // One more than the page tells whether there is a next one.
    search.limit += 1;
    let mut found = call.registry.database().search(&search).await?;
    let more = found.len() > page_max;
    found.truncate(page_max);
    let next = if more {
        found.last().map(|last| last.position.clone())
    } else {
        None
    };
    let full = query.is_on("full");
    let with_card = full || query.is_on("cardData") || expand.is_some();
    let tools = if expand.iter().flatten().any(|name| name == "tool") {
        let ids = found.iter().map(|one| &one.repository.id);
        call.registry.database().listed_manifests(ids).await?
    } else {
        HashMap::new()
    };
    let rows: Vec<Value> = found
        .into_iter()
        .map(|one| {
            let facts = RepositoryFacts {
                sha: one.head,
                tags: one.tags,
                description: one.tool_description.filter(|text| !text.is_empty()),
                tool: tools.get(&one.repository.id).map(ListedTool::from),
                ..RepositoryFacts::default()
            };
            let mut fields = RepositoryRow::new(&one.repository, facts).fields();
            describe_in_card(&mut fields);
            let mut fields = only(fields, expand.as_deref());
            if !with_card {
                fields.remove("cardData");
            }
            Value::Object(fields)
        })
        .collect();
    let mut response = json(Value::Array(rows));
    if let Some(link) =
        next.and_then(|position| next_link(&call.base, &call.parts, "cursor", &encode(&position)))
    {
        response.headers_mut().insert(LINK, link);
    }
    Ok(response)
}

fn read_search(
    call: &Call<Anyone>,
    kind: RepositoryKind,
    query: &Query,
) -> Result<Search, Refusal> {
    let terms = Terms::parse(query.all("search"));
    // A sort given explicitly wins over how well the words fit.
    let fallback = if terms.is_some() {
        "relevance"
    } else {
        "lastModified"
    };
    let order = match query.first("sort").unwrap_or(fallback) {
        "relevance" => Order::Relevance,
        "lastModified" | "last_modified" => Order::Modified,
        "createdAt" | "created_at" => Order::Created,
        "downloads" => Order::Downloads,
        "likes" | "likes7d" | "likes30d" | "trendingScore" | "trending_score" => Order::Likes,
        other => {
            return Err(Refusal::bad_request(format!(
                "\"sort\" cannot be {other:?}"
            )));
        }
    };
    let mut tags: Vec<String> = Vec::new();
    for name in ["filter", "tags", "pipeline_tag", "library"] {
        tags.extend(
            query
                .all(name)
                .flat_map(|value| value.split(','))
                .map(str::to_owned),
        );
    }
    tags.retain(|tag| !tag.is_empty());
    let words = terms.as_ref().map_or(0, Terms::count);
    if words + tags.len() > CONDITIONS_MAX {
        return Err(Refusal::bad_request(format!(
            "a search has at most {CONDITIONS_MAX} words and filters"
        )));
    }
    let is_ranked = terms.is_some() && order == Order::Relevance;
    let after = match query.first("cursor") {
        None => None,
        Some(cursor) => Some(
            decode(cursor)
                .filter(|at| matches!(at, Position::Ranked(_)) == is_ranked)
                .ok_or_else(|| Refusal::bad_request("the cursor is not one of this list"))?,
        ),
    };
    Ok(Search {
        kind,
        account: call
            .admitted
            .caller()
            .map(|caller| caller.account.id.clone()),
        scope: call
            .admitted
            .caller()
            .map_or(TokenScope::All, Caller::scope),
        terms,
        author: query.first("author").map(str::to_owned),
        tags,
        order,
        after,
        limit: query.count("limit", call.registry.limits().search_page_max),
    })
}

fn kind_of_path(path: &str) -> Option<RepositoryKind> {
    // A path with any id tells the kind in the same way.
    Address::from_path(&format!("{}/o/n", path.trim_end_matches('/')))
        .map(|address| address.id.kind)
}

fn encode(position: &Position) -> String {
    URL_SAFE_NO_PAD.encode(match position {
        Position::Sorted { key, id } => format!("{key} {id}"),
        Position::Ranked(at) => format!("{} {} {}", at.grade, at.below, at.shown),
    })
}

fn decode(cursor: &str) -> Option<Position> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    match *text.split(' ').collect::<Vec<_>>() {
        [key, id] => Some(Position::Sorted {
            key: key.parse().ok()?,
            id: RepositoryKey::from(id),
        }),
        [grade, below, shown] => Some(Position::Ranked(RankedPosition {
            grade: grade.parse().ok()?,
            below: below.parse().ok()?,
            shown: shown.parse().ok()?,
        })),
        _ => None,
    }
}
