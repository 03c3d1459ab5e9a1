//! Tests of the rights of owners, members and strangers, of tokens, and of names of accounts.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use time::OffsetDateTime;
use tool_hub_registry_server::{RegistryError, TokenRole};

use crate::support::{TestRegistry, file, header, refusal, token};

/// Every kind of request on a repository, and whether it changes something.
const REQUESTS: &[(&str, &str, &str, bool)] = &[
    ("GET", "/api/models/ID", "", false),
    ("HEAD", "/api/models/ID", "", false),
    ("GET", "/api/models/ID/revision/main", "", false),
    ("GET", "/api/models/ID/tree/main", "", false),
    (
        "POST",
        "/api/models/ID/paths-info/main",
        r#"{"paths":["a"]}"#,
        false,
    ),
    ("GET", "/api/models/ID/tool", "", false),
    ("GET", "/api/models/ID/refs", "", false),
    ("GET", "/api/models/ID/commits/main", "", false),
    ("GET", "/api/models/ID/auth-check", "", false),
    ("GET", "/ID/resolve/main/a", "", false),
    ("HEAD", "/ID/resolve/main/a", "", false),
    ("GET", "/ID/raw/main/a", "", false),
    ("GET", "/api/models/ID/auth-check/write", "", true),
    (
        "POST",
        "/api/models/ID/preupload/main",
        r#"{"files":[]}"#,
        true,
    ),
    ("POST", "/api/models/ID/commit/main", "COMMIT", true),
    ("POST", "/api/models/ID/branch/b", "{}", true),
    ("DELETE", "/api/models/ID/branch/b", "", true),
    ("POST", "/api/models/ID/tag/main", r#"{"tag":"t"}"#, true),
    ("DELETE", "/api/models/ID/tag/t", "", true),
    ("PUT", "/api/models/ID/settings", "{}", true),
];

async fn registry() -> TestRegistry {
    let hub = TestRegistry::start().await;
    for (id, private) in [
        ("alice/open", false),
        ("alice/closed", true),
        ("acme/open", false),
        ("acme/closed", true),
    ] {
        hub.create_with(id, json!({"private": private})).await;
        let manifest = b"schema = 1\nname = \"a\"\nversion = \"0.1.0\"\n";
        hub.commit(id, "a", &[("a", b"a"), ("tool.toml", manifest)])
            .await;
    }
    hub
}

/// The status of each request for one token, as one text: those that read, a bar, those that write.
async fn statuses(hub: &TestRegistry, id: &str, token: Option<&str>) -> (Vec<u16>, Vec<u16>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for (method, path, body, changes) in REQUESTS {
        let body = if *body == "COMMIT" {
            header("x") + &file("b", b"b")
        } else {
            (*body).to_owned()
        };
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let response = hub
            .request(method, &path.replace("ID", id), token)
            .body(body)
            .send()
            .await
            .unwrap();
        let status = response.status().as_u16();
        if *changes {
            writes.push(status)
        } else {
            reads.push(status)
        }
    }
    (reads, writes)
}

#[track_caller]
fn check((reads, writes): (Vec<u16>, Vec<u16>), expect_reads: u16, expect_writes: u16) {
    assert!(
        reads.iter().all(|status| *status == expect_reads),
        "reads: {reads:?}, not all {expect_reads}"
    );
    assert!(
        writes.iter().all(|status| *status == expect_writes),
        "writes: {writes:?}, not all {expect_writes}"
    );
}

#[tokio::test]
async fn every_request_by_everyone() {
    let hub = registry().await;
    let reader = token(&hub.registry, "alice", TokenRole::Read).await;
    check(statuses(&hub, "alice/open", None).await, 200, 401);
    check(statuses(&hub, "alice/open", Some(&hub.bob)).await, 200, 403);
    check(statuses(&hub, "alice/open", Some(&reader)).await, 200, 403);
    check(statuses(&hub, "alice/closed", None).await, 401, 401);
    check(
        statuses(&hub, "alice/closed", Some(&hub.bob)).await,
        404,
        404,
    );
    check(
        statuses(&hub, "alice/closed", Some(&reader)).await,
        200,
        403,
    );
    check(
        statuses(&hub, "acme/closed", Some(&hub.bob)).await,
        404,
        404,
    );
    check(
        statuses(&hub, "acme/closed", Some(&hub.carol)).await,
        200,
        403,
    );
    check(
        statuses(&hub, "acme/open", Some(&hub.carol)).await,
        200,
        403,
    );
    check(
        statuses(&hub, "alice/open", Some("hf_wrong")).await,
        401,
        401,
    );
    check(statuses(&hub, "alice/missing", None).await, 401, 401);
    check(
        statuses(&hub, "alice/missing", Some(&hub.alice)).await,
        404,
        404,
    );
    check(
        statuses(&hub, "alice/open", Some(&hub.alice)).await,
        200,
        200,
    );
    check(
        statuses(&hub, "alice/closed", Some(&hub.alice)).await,
        200,
        200,
    );
    check(
        statuses(&hub, "acme/closed", Some(&hub.alice)).await,
        200,
        200,
    );
}

#[tokio::test]
async fn a_private_repository_looks_like_a_missing_one() {
    let hub = registry().await;
    for token in [None, Some(hub.bob.as_str())] {
        let closed = hub
            .request(Method::GET, "/api/models/alice/closed", token)
            .send()
            .await
            .unwrap();
        let missing = hub
            .request(Method::GET, "/api/models/alice/missing", token)
            .send()
            .await
            .unwrap();
        assert_eq!(refusal(closed).await, refusal(missing).await);
    }
    for (query, token, expect) in [
        ("", None, 2),
        ("", Some(&hub.bob), 2),
        ("", Some(&hub.carol), 3),
        ("", Some(&hub.alice), 4),
    ] {
        let request = hub.request(
            Method::GET,
            &format!("/api/models{query}"),
            token.map(String::as_str),
        );
        let found: serde_json::Value = request.send().await.unwrap().json().await.unwrap();
        assert_eq!(found.as_array().unwrap().len(), expect);
    }
    // Once moved, the old id of a private repository says nothing either.
    let body = json!({"fromRepo": "alice/closed", "toRepo": "alice/hidden", "type": "model"});
    assert_eq!(
        hub.send_json(Method::POST, "/api/repos/move", &hub.alice, body)
            .await
            .status(),
        200
    );
    let old = hub
        .request(Method::GET, "/alice/closed/resolve/main/a", Some(&hub.bob))
        .send()
        .await
        .unwrap();
    assert_eq!(refusal(old).await.0, 404);
}

#[tokio::test]
async fn creating_moving_and_deleting_need_the_right_owner() {
    let hub = registry().await;
    let reader = token(&hub.registry, "alice", TokenRole::Read).await;
    let create = async |name: &str, token: &str| {
        hub.send_json(
            Method::POST,
            "/api/repos/create",
            token,
            json!({"name": name}),
        )
        .await
        .status()
        .as_u16()
    };
    assert_eq!(create("alice/new", &hub.bob).await, 403);
    assert_eq!(create("nobody/new", &hub.bob).await, 403);
    assert_eq!(create("acme/new", &hub.carol).await, 403);
    assert_eq!(create("alice/new", &reader).await, 403);
    assert_eq!(create("acme/new", &hub.alice).await, 200);
    let delete = async |name: &str, token: &str| {
        hub.send_json(
            Method::DELETE,
            "/api/repos/delete",
            token,
            json!({"name": name}),
        )
        .await
        .status()
        .as_u16()
    };
    assert_eq!(delete("alice/open", &hub.bob).await, 403);
    assert_eq!(delete("alice/closed", &hub.bob).await, 404);
    assert_eq!(delete("acme/open", &hub.carol).await, 403);
    assert_eq!(delete("alice/open", &reader).await, 403);
    assert_eq!(
        hub.request(Method::DELETE, "/api/repos/delete", None)
            .json(&json!({"name": "alice/open"}))
            .send()
            .await
            .unwrap()
            .status(),
        401
    );
    let steal = json!({"fromRepo": "alice/open", "toRepo": "bob/open", "type": "model"});
    assert_eq!(
        hub.send_json(Method::POST, "/api/repos/move", &hub.bob, steal)
            .await
            .status(),
        403
    );
}

#[tokio::test]
async fn whoami_and_tokens() {
    let hub = registry().await;
    let me = hub.get_json("/api/whoami-v2").await;
    assert_eq!(
        (me["name"].as_str(), me["orgs"][0]["name"].as_str()),
        (Some("alice"), Some("acme"))
    );
    assert_eq!(me["auth"]["accessToken"]["role"], "write");
    assert_eq!(
        refusal(
            hub.request(Method::GET, "/api/whoami-v2", None)
                .send()
                .await
                .unwrap()
        )
        .await
        .0,
        401
    );

    let me = async |secret: &str| {
        hub.request(Method::GET, "/api/whoami-v2", Some(secret))
            .send()
            .await
            .unwrap()
    };
    let later = OffsetDateTime::now_utc() + Duration::from_secs(60);
    let expired = hub
        .registry
        .create_token("bob", "old", TokenRole::Read, Some(later))
        .await
        .unwrap();
    assert_eq!(me(expired.secret.expose()).await.status(), 200);
    hub.run_sql("UPDATE tokens SET expires_ms = 1 WHERE name = 'old'")
        .await
        .unwrap();
    let (status, code, text) = refusal(me(expired.secret.expose()).await).await;
    assert_eq!(
        (status, code.as_str(), text.as_str()),
        (401, "", "Invalid credentials in Authorization header")
    );
    let valid = hub
        .registry
        .create_token("bob", "new", TokenRole::Read, Some(later))
        .await
        .unwrap();
    assert_eq!(me(valid.secret.expose()).await.status(), 200);
    hub.registry.revoke_token(&valid.summary.id).await.unwrap();
    assert_eq!(me(valid.secret.expose()).await.status(), 401);
    assert!(matches!(
        hub.registry.revoke_token("nothing").await,
        Err(RegistryError::NoSuchToken { .. })
    ));

    let listed = hub.registry.list_tokens("bob").await.unwrap();
    assert_eq!(
        listed
            .iter()
            .map(|token| token.name.as_str())
            .collect::<Vec<_>>(),
        ["test", "old", "new"]
    );
    assert!(listed[2].revoked.is_some() && listed[0].revoked.is_none());
    for authorization in ["Basic YWxpY2U6eA==", "Bearer ", "Bearer", "hf_x"] {
        let request = hub
            .request(Method::GET, "/api/whoami-v2", None)
            .header("authorization", authorization);
        assert_eq!(
            request.send().await.unwrap().status(),
            401,
            "{authorization}"
        );
    }
}

#[tokio::test]
async fn secrets_are_neither_stored_nor_shown() {
    let hub = registry().await;
    let token = hub
        .registry
        .create_token("bob", "x", TokenRole::Write, None)
        .await
        .unwrap();
    assert!(!format!("{token:?}").contains(token.secret.expose()));
    let stored = hub.stored_metadata();
    let holds = |text: &str| {
        let text = text.as_bytes();
        stored.windows(text.len()).any(|window| window == text)
    };
    assert!(holds(&token.summary.id), "the token is not stored");
    assert!(!holds(token.secret.expose()), "a secret is stored");
}

#[tokio::test]
async fn accounts_share_one_name_space() {
    let hub = registry().await;
    assert!(matches!(
        hub.registry.add_user("ALICE", None).await,
        Err(RegistryError::NameTaken { .. })
    ));
    assert!(matches!(
        hub.registry.add_user("acme", None).await,
        Err(RegistryError::NameTaken { .. })
    ));
    assert!(matches!(
        hub.registry.add_organisation("api").await,
        Err(RegistryError::Name(_))
    ));
    assert!(matches!(
        hub.registry
            .create_token("acme", "x", TokenRole::Read, None)
            .await,
        Err(RegistryError::NoSuchAccount { .. })
    ));
    let users: Vec<String> = hub
        .registry
        .list_users()
        .await
        .unwrap()
        .into_iter()
        .map(|user| user.name)
        .collect();
    assert_eq!(users, ["alice", "bob", "carol"]);
}
