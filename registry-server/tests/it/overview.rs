//! A test of the overviews of users and organisations: they count what the caller may see.

use reqwest::Method;
use serde_json::{Value, json};
use tool_hub_registry_server::{TokenRole, TokenScope};

use crate::support::{TestRegistry, refusal};

async fn ask(hub: &TestRegistry, path: &str, token: Option<&str>) -> Value {
    let response = hub.request(Method::GET, path, token).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    response.json().await.unwrap()
}

#[tokio::test]
async fn counts_hold_only_what_the_caller_may_see() {
    let hub = TestRegistry::start().await;
    for (id, kind, private) in [
        ("alice/a", "model", false),
        ("alice/b", "model", true),
        ("alice/c", "dataset", true),
        ("acme/d", "model", true),
        ("acme/e", "model", true),
        ("acme/f", "space", false),
    ] {
        hub.create_with(id, json!({"type": kind, "private": private}))
            .await;
    }
    let only = TokenScope::Only(vec!["acme/d".parse().unwrap()]);
    let limited = hub
        .registry
        .create_limited_token("carol", "x", TokenRole::Read, only, None);
    let limited = limited.await.unwrap().secret;
    let (alice, acme) = (
        "/api/users/alice/overview",
        "/api/organizations/ACME/overview",
    );
    for (path, token, models, datasets, spaces) in [
        (alice, None, 1, 0, 0),
        (alice, Some(hub.bob.as_str()), 1, 0, 0),
        (alice, Some(&hub.alice), 2, 1, 0),
        (acme, None, 0, 0, 1),
        (acme, Some(&hub.carol), 2, 0, 1),
        (acme, Some(limited.expose()), 1, 0, 1),
    ] {
        let found = ask(&hub, path, token).await;
        let counts = [
            &found["numModels"],
            &found["numDatasets"],
            &found["numSpaces"],
        ];
        assert_eq!(counts, [models, datasets, spaces], "{path}: {found}");
    }
    let user = ask(&hub, alice, None).await;
    assert_eq!(
        (user["user"].as_str(), user.get("name")),
        (Some("alice"), None)
    );
    assert_eq!(
        user.get("email"),
        None,
        "an address is its owner's business"
    );
    let organisation = ask(&hub, acme, None).await;
    assert_eq!(
        (organisation["name"].as_str(), organisation["type"].as_str()),
        (Some("acme"), Some("org"))
    );
    for path in [
        "/api/users/acme/overview",
        "/api/organizations/alice/overview",
        "/api/users/nobody/overview",
        "/api/users/%ff/overview",
    ] {
        assert_eq!(refusal(hub.get(path).await).await.0, 404, "{path}");
    }
}
