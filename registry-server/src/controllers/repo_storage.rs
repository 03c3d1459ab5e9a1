//! `GET /api/settings/repositories` and `/api/organizations/{name}/settings/repositories`: an
//! owner's repositories and what they take.
//!
//! Shares are of what the caller may see, so that they do not tell of a private repository.

use http::header::LINK;
use serde_json::{Value, json};

use super::{json, overview};
use crate::access::{Call, SignedIn};
use crate::clock;
use crate::database::accounts::AccountKind;
use crate::database::holdings::{Holding, Holdings};
use crate::http::{Reply, next_link};

pub(crate) async fn own(call: Call<SignedIn>) -> Reply {
    let owner = call.admitted.account.id.clone();
    list(&call, &owner).await
}

pub(crate) async fn of_organisation(call: Call<SignedIn>) -> Reply {
    let kind = AccountKind::Organisation;
    let organisation = overview::account_in_path(&call.registry, &call.parts, kind).await?;
    list(&call, &organisation.id).await
}

async fn list(call: &Call<SignedIn>, owner: &str) -> Reply {
    let scope = call.admitted.scope();
    let holdings = Holdings {
        owner,
        viewer: &call.admitted.account.id,
        scope: &scope,
    };
    let query = call.query();
    let page_max = query.count("limit", call.registry.limits().search_page_max);
    let after = query.first("cursor").unwrap_or_default();
    let database = call.registry.database();
    // One more than the page tells whether there is a next one.
    let mut found = database.holdings(holdings, after, page_max + 1).await?;
    let more = found.len() > page_max;
    found.truncate(page_max);
    let all_bytes = database.held_bytes(holdings).await?;
    let rows: Vec<Value> = found.iter().map(|one| row(one, all_bytes)).collect();
    let mut response = json(Value::Array(rows));
    let last = found.last().filter(|_| more);
    if let Some(link) =
        last.and_then(|last| next_link(&call.base, &call.parts, "cursor", &last.repository.id))
    {
        response.headers_mut().insert(LINK, link);
    }
    Ok(response)
}

fn row(holding: &Holding, all_bytes: i64) -> Value {
    let repository = &holding.repository;
    let visibility = if repository.private {
        "private"
    } else {
        "public"
    };
    json!({
        "id": repository.full_name(),
        "type": repository.kind.word(),
        "updatedAt": clock::date(repository.modified_ms),
        "visibility": visibility,
        "storage": holding.stored_bytes,
        "storagePercent": holding.stored_bytes as f64 * 100.0 / all_bytes.max(1) as f64,
    })
}
