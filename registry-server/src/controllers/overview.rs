//! `GET /api/users/{name}/overview` and `/api/organizations/{name}/overview`: who somebody is.
//!
//! Only what the caller may see is counted, so that a number does not tell of a private repository.

use http::StatusCode;
use http::request::Parts;
use serde_json::{Value, json};

use super::json;
use crate::access::{Anyone, Call, Caller};
use crate::clock;
use crate::database::accounts::{Account, AccountKind};
use crate::database::counts::Counts;
use crate::http::{Refusal, Reply};
use crate::names::{RepositoryKind, TokenScope, decode};
use crate::registry::Registry;

pub(crate) async fn user(call: Call<Anyone>) -> Reply {
    let (account, counts) = find(&call, AccountKind::User).await?;
    // The Rust client reads the name under four spellings and fails when two of them are there.
    let mut value = overview(&account, &counts);
    value["user"] = json!(account.name);
    value["type"] = json!("user");
    value["isPro"] = json!(false);
    Ok(json(value))
}

pub(crate) async fn organisation(call: Call<Anyone>) -> Reply {
    let (account, counts) = find(&call, AccountKind::Organisation).await?;
    let mut value = overview(&account, &counts);
    value["name"] = json!(account.name);
    value["type"] = json!("org");
    value["isVerified"] = json!(false);
    Ok(json(value))
}

fn overview(account: &Account, counts: &Counts) -> Value {
    json!({
        "_id": account.id,
        "fullname": account.full_name,
        "avatarUrl": "",
        "createdAt": clock::date(account.created_ms),
        "numModels": counts.of(RepositoryKind::Model),
        "numDatasets": counts.of(RepositoryKind::Dataset),
        "numSpaces": counts.of(RepositoryKind::Space),
        "numKernels": counts.of(RepositoryKind::Kernel),
    })
}

/// The account that `/api/users/{name}/…` or `/api/organizations/{name}/…` names.
pub(super) async fn account_in_path(
    registry: &Registry,
    parts: &Parts,
    kind: AccountKind,
) -> Result<Account, Refusal> {
    let name = parts.uri.path().split('/').nth(3).and_then(decode);
    let name = name.unwrap_or_default();
    let found = registry.database().account(&name).await?;
    found.filter(|account| account.kind == kind).ok_or_else(|| {
        let name: String = name.chars().take(100).collect();
        Refusal::new(
            StatusCode::NOT_FOUND,
            format!("there is no {} called {name:?}", kind.word()),
        )
    })
}

async fn find(call: &Call<Anyone>, kind: AccountKind) -> Result<(Account, Counts), Refusal> {
    let account = account_in_path(&call.registry, &call.parts, kind).await?;
    let database = call.registry.database();
    let caller = call.admitted.caller();
    let scope = caller.map_or(TokenScope::All, Caller::scope);
    let viewer = caller.map(|caller| caller.account.id.as_str());
    let counts = database.counts(&account.id, viewer, &scope).await?;
    Ok((account, counts))
}
