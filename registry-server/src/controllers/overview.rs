//! `GET /api/{users,organizations}/{name}/overview`: shows an account and counts its repositories.
//!
//! Only what the caller may see is counted, so that a number does not tell of a private repository.

use serde::Serialize;
use utoipa::ToSchema;

use super::account_in_path::account_in_path;
use super::json;
use crate::access::{Anyone, Call, Caller};
use crate::clock;
use crate::database::accounts::{Account, AccountKind};
use crate::database::counts::Counts;
use crate::http::{ErrorBody, Refusal, Reply};
use crate::names::{RepositoryKind, TokenScope};

/// A user or an organisation.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Overview {
    #[serde(rename = "_id")]
    id: String,
    fullname: String,
    avatar_url: &'static str,
    #[schema(format = DateTime)]
    created_at: String,
    num_models: i64,
    num_datasets: i64,
    num_spaces: i64,
    num_kernels: i64,
    #[serde(flatten)]
    holder: Holder,
}

/// The fields in which the two differ. The Rust client reads the name under four spellings and
/// fails when two of them are there.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type")]
enum Holder {
    #[serde(rename = "user", rename_all = "camelCase")]
    User { user: String, is_pro: bool },
    #[serde(rename = "org", rename_all = "camelCase")]
    Organisation { name: String, is_verified: bool },
}

/// A user.
#[utoipa::path(
    get,
    path = "/api/users/{user}/overview",
    responses(
        (status = 200, description = "A user", body = Overview),
        (status = 404, description = "There is no such user", body = ErrorBody),
    ),
)]
pub(crate) async fn user(call: Call<Anyone>) -> Reply {
    let (account, counts) = find(&call, AccountKind::User).await?;
    let holder = Holder::User {
        user: account.name.clone(),
        is_pro: false,
    };
    Ok(json(overview(account, &counts, holder)))
}

/// An organisation.
#[utoipa::path(
    get,
    path = "/api/organizations/{organisation}/overview",
    responses(
        (status = 200, description = "An organisation", body = Overview),
        (status = 404, description = "There is no such organisation", body = ErrorBody),
    ),
)]
pub(crate) async fn organisation(call: Call<Anyone>) -> Reply {
    let (account, counts) = find(&call, AccountKind::Organisation).await?;
    let holder = Holder::Organisation {
        name: account.name.clone(),
        is_verified: false,
    };
    Ok(json(overview(account, &counts, holder)))
}

fn overview(account: Account, counts: &Counts, holder: Holder) -> Overview {
    Overview {
        id: account.id.to_string(),
        fullname: account.full_name,
        avatar_url: "",
        created_at: clock::date(account.created_ms),
        num_models: counts.of(RepositoryKind::Model),
        num_datasets: counts.of(RepositoryKind::Dataset),
        num_spaces: counts.of(RepositoryKind::Space),
        num_kernels: counts.of(RepositoryKind::Kernel),
        holder,
    }
}

async fn find(call: &Call<Anyone>, kind: AccountKind) -> Result<(Account, Counts), Refusal> {
    let account = account_in_path(&call.registry, &call.parts, kind).await?;
    let database = call.registry.database();
    let caller = call.admitted.caller();
    let scope = caller.map_or(TokenScope::All, Caller::scope);
    let viewer = caller.map(|caller| &caller.account.id);
    let counts = database.counts(&account.id, viewer, &scope).await?;
    Ok((account, counts))
}
