//! `GET …/settings/repositories`: lists an account's repositories with the storage that each takes.
//! The account is the caller's, at `/api`, or an organisation's, at `/api/organizations/{name}`.
//!
//! Percentages are of what the caller may see, so that they do not tell of a private repository.

use http::header::LINK;
use serde::Serialize;
use utoipa::ToSchema;

use super::account_in_path::account_in_path;
use super::json;
use crate::access::{Call, SignedIn};
use crate::clock;
use crate::database::accounts::AccountKind;
use crate::database::holdings::{Holding, Holdings};
use crate::database::keys::{AccountKey, RepositoryKey};
use crate::http::{ErrorBody, Reply, Rows, next_link};

/// The caller's repositories and what they take.
#[utoipa::path(
    get,
    path = "/api/settings/repositories",
    params(
        ("limit" = Option<u32>, Query, description = "Most repositories of a page."),
        ("cursor" = Option<String>, Query, description = "From the `Link` of the page before."),
    ),
    responses(
        (status = 200, description = "A page of repositories", body = Vec<HeldRepository>),
    ),
)]
pub(crate) async fn own(call: Call<SignedIn>) -> Reply {
    let owner = call.admitted.account.id.clone();
    list(&call, &owner).await
}

/// An organisation's repositories and what they take.
#[utoipa::path(
    get,
    path = "/api/organizations/{organisation}/settings/repositories",
    params(
        ("limit" = Option<u32>, Query, description = "Most repositories of a page."),
        ("cursor" = Option<String>, Query, description = "From the `Link` of the page before."),
    ),
    responses(
        (status = 200, description = "A page of repositories", body = Vec<HeldRepository>),
        (status = 404, description = "There is no such organisation", body = ErrorBody),
    ),
)]
pub(crate) async fn of_organisation(call: Call<SignedIn>) -> Reply {
    let kind = AccountKind::Organisation;
    let organisation = account_in_path(&call.registry, &call.parts, kind).await?;
    list(&call, &organisation.id).await
}

async fn list(call: &Call<SignedIn>, owner: &AccountKey) -> Reply {
    let scope = call.admitted.scope();
    let holdings = Holdings {
        owner,
        viewer: &call.admitted.account.id,
        scope: &scope,
    };
    let query = call.query();
    let page_max = query.count("limit", call.registry.limits().search_page_max);
    let after = query.first("cursor").map(RepositoryKey::from);
    let after = after.unwrap_or(RepositoryKey::NONE);
    let database = call.registry.database();
    // One more than the page tells whether there is a next one.
    let mut found = database.holdings(holdings, &after, page_max + 1).await?;
    let more = found.len() > page_max;
    found.truncate(page_max);
    let all_bytes = database.held_bytes(holdings).await?;
    let rows = Rows(|| found.iter().map(|one| row(one, all_bytes)));
    let mut response = json(rows);
    let last = found.last().filter(|_| more);
    if let Some(link) = last.and_then(|last| {
        let cursor = last.repository.id.to_string();
        next_link(&call.base, &call.parts, "cursor", &cursor)
    }) {
        response.headers_mut().insert(LINK, link);
    }
    Ok(response)
}

/// A repository and what it takes.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HeldRepository {
    id: String,
    r#type: &'static str,
    #[schema(format = DateTime)]
    updated_at: String,
    /// `public` or `private`.
    visibility: &'static str,
    /// In bytes.
    storage: i64,
    storage_percent: f64,
}

fn row(holding: &Holding, all_bytes: i64) -> HeldRepository {
    let repository = &holding.repository;
    HeldRepository {
        id: repository.full_name(),
        r#type: repository.kind.word(),
        updated_at: clock::date(repository.modified_ms),
        visibility: if repository.private {
            "private"
        } else {
            "public"
        },
        storage: holding.stored_bytes,
        storage_percent: holding.stored_bytes as f64 * 100.0 / all_bytes.max(1) as f64,
    }
}
