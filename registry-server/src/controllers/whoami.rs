//! `GET /api/whoami-v2`: shows the user, the organisations and the rights of the request's token.

use serde::Serialize;
use utoipa::ToSchema;

use super::json;
use crate::access::{Call, Caller, SignedIn};
use crate::clock;
use crate::database::accounts::Account;
use crate::http::Reply;
use crate::names::TokenScope;

/// A user, with the token that asks.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Identity {
    r#type: &'static str,
    id: String,
    // The Rust client reads the name under four spellings and fails when two of them are there.
    name: String,
    fullname: String,
    email: Option<String>,
    email_verified: bool,
    can_pay: bool,
    is_pro: bool,
    period_end: Option<i64>,
    avatar_url: &'static str,
    billing_mode: &'static str,
    orgs: Vec<Organisation>,
    auth: Authentication,
}

/// An organisation that the user is a member of.
#[derive(Serialize, ToSchema)]
#[schema(as = MemberOf)]
#[serde(rename_all = "camelCase")]
struct Organisation {
    r#type: &'static str,
    id: String,
    name: String,
    fullname: String,
    email: Option<String>,
    can_pay: bool,
    avatar_url: &'static str,
    period_end: Option<i64>,
    is_enterprise: bool,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Authentication {
    r#type: &'static str,
    access_token: AccessToken,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AccessToken {
    display_name: String,
    role: &'static str,
    /// The patterns of the repositories the token is limited to; null when it is not.
    repositories: Option<Vec<String>>,
    #[schema(format = DateTime)]
    created_at: String,
}

/// The user that the token belongs to.
#[utoipa::path(
    get,
    path = "/api/whoami-v2",
    responses(
        (status = 200, description = "A user", body = Identity),
    ),
)]
pub(crate) async fn show(call: Call<SignedIn>) -> Reply {
    let Caller { account, token } = &call.admitted;
    let database = call.registry.database();
    let organisations = database.organisations_of(&account.id).await?;
    Ok(json(Identity {
        r#type: "user",
        id: account.id.to_string(),
        name: account.name.clone(),
        fullname: account.full_name.clone(),
        email: account.email.clone(),
        email_verified: account.email.is_some(),
        can_pay: false,
        is_pro: false,
        period_end: None,
        avatar_url: "",
        billing_mode: "prepaid",
        orgs: organisations.into_iter().map(organisation).collect(),
        auth: Authentication {
            r#type: "access_token",
            access_token: AccessToken {
                display_name: token.name.clone(),
                role: token.role.word(),
                repositories: match call.admitted.scope() {
                    TokenScope::All => None,
                    TokenScope::Only(patterns) => {
                        Some(patterns.iter().map(ToString::to_string).collect())
                    }
                },
                created_at: clock::date(token.created_ms),
            },
        },
    }))
}

fn organisation(account: Account) -> Organisation {
    Organisation {
        r#type: "org",
        id: account.id.to_string(),
        name: account.name,
        fullname: account.full_name,
        email: account.email,
        can_pay: false,
        avatar_url: "",
        period_end: None,
        is_enterprise: false,
    }
}
