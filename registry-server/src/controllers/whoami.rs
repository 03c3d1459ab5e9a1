//! `GET /api/whoami-v2`: whose token this is.

use serde_json::{Value, json};

use super::json;
use crate::access::{Call, Caller, SignedIn};
use crate::clock;
use crate::http::Reply;
use crate::names::TokenScope;

pub(crate) async fn show(call: Call<SignedIn>) -> Reply {
    let caller = &call.admitted;
    let organisations = call
        .registry
        .database()
        .organisations_of(&caller.account.id)
        .await?;
    let organisations: Vec<Value> = organisations
        .iter()
        .map(|organisation| {
            json!({
                "type": "org",
                "id": organisation.id,
                "name": organisation.name,
                "fullname": organisation.full_name,
                "email": organisation.email,
                "canPay": false,
                "avatarUrl": "",
                "periodEnd": null,
                "isEnterprise": false,
            })
        })
        .collect();
    // The Rust client reads the name under four spellings and fails when two of them are there.
    Ok(json(json!({
        "type": "user",
        "id": caller.account.id,
        "name": caller.account.name,
        "fullname": caller.account.full_name,
        "email": caller.account.email,
        "emailVerified": caller.account.email.is_some(),
        "canPay": false,
        "isPro": false,
        "periodEnd": null,
        "avatarUrl": "",
        "billingMode": "prepaid",
        "orgs": organisations,
        "auth": {
            "type": "access_token",
            "accessToken": {
                "displayName": caller.token.name,
                "role": caller.role().word(),
                "repositories": scope(caller),
                "createdAt": clock::date(caller.token.created_ms),
            },
        },
    })))
}

/// The patterns of the repositories a token is limited to; null when it is not.
fn scope(caller: &Caller) -> Value {
    match caller.scope() {
        TokenScope::All => Value::Null,
        TokenScope::Only(patterns) => patterns.iter().map(ToString::to_string).collect(),
    }
}
