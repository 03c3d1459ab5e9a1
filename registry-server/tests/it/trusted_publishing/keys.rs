//! Tests of the keys of issuers: from where they are fetched, and how long they are kept.

use serde_json::json;
use tool_hub_registry_server::IssuerKeys;

use super::issuer::Issuer;
use super::{REPO, add, exchange, is_refused, send_token, start, trusting};
use crate::support::refusal;

/// The registry fetches nothing but what its operator named, whatever the issuer answers.
#[tokio::test]
async fn keys_come_from_the_issuer_itself() {
    let target = Issuer::start().await;
    for said in [
        json!({ "redirect": format!("{}/inside", target.url()) }),
        json!({ "jwks_uri": format!("{}/inside", target.url()) }),
        json!({ "jwks_uri": "file:///etc/passwd" }),
        json!({ "issuer": target.url() }),
        json!({ "more": "x".repeat(300_000) }),
    ] {
        let issuer = Issuer::start().await;
        let hub = trusting(&issuer.trusted("github")).await;
        add(&hub, &issuer, json!({})).await;
        issuer.say(&said).await;
        let token = issuer.sign("rsa", json!({})).await;
        for _ in 0..2 {
            let refused = refusal(send_token(&hub, REPO, &token).await).await;
            is_refused(&refused, 503, "the keys of its issuer cannot be read");
        }
        assert_eq!(issuer.asked("keys").await, 0);
    }
    assert_eq!(target.asked("inside").await, 0);
}

/// Tokens make the registry ask an issuer twice at most: for its keys, and once more for a new one.
#[tokio::test]
async fn keys_are_kept() {
    let (hub, issuer) = start().await;
    add(&hub, &issuer, json!({})).await;
    for _ in 0..3 {
        exchange(&hub, &issuer.sign("rsa", json!({})).await).await;
        let unknown = issuer.sign_with("rsa", json!({}), json!({ "kid": "new" }));
        let refused = refusal(send_token(&hub, REPO, &unknown.await).await).await;
        is_refused(&refused, 403, "no such key");
    }
    assert_eq!(issuer.asked("keys").await, 1);
}

#[tokio::test]
async fn keys_of_a_file_need_no_network() {
    let issuer = Issuer::start().await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("keys.json");
    let mut trusted = issuer.trusted("github");
    trusted.keys = IssuerKeys::File(path.clone());
    let hub = trusting(&trusted).await;
    add(&hub, &issuer, json!({})).await;
    let token = issuer.sign("ec", json!({})).await;
    let refused = refusal(send_token(&hub, REPO, &token).await).await;
    is_refused(&refused, 503, "the keys of its issuer cannot be read");
    std::fs::write(&path, issuer.keys().await).unwrap();
    let before = issuer.asked("keys").await;
    exchange(&hub, &token).await;
    assert_eq!(issuer.asked("keys").await, before);
}
