//! Tests of tokens limited to some repositories: what they find, create and rename; bad limits.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use time::OffsetDateTime;
use tool_hub_registry_server::{RegistryError, TokenRole, TokenScope};

use crate::support::{TestRegistry, next_page};

fn only(patterns: &[&str]) -> TokenScope {
    TokenScope::Only(patterns.iter().map(|text| text.parse().unwrap()).collect())
}

async fn limited(hub: &TestRegistry, role: TokenRole, patterns: &[&str]) -> String {
    let made = hub
        .registry
        .create_limited_token("alice", "limited", role, only(patterns), None);
    made.await.unwrap().secret.expose().to_owned()
}

#[tokio::test]
async fn a_token_must_be_good_for_something() {
    let hub = TestRegistry::start().await;
    let now = OffsetDateTime::now_utc();
    for expires in [
        now,
        now - Duration::from_secs(1),
        OffsetDateTime::UNIX_EPOCH,
    ] {
        let made = hub
            .registry
            .create_token("alice", "x", TokenRole::Read, Some(expires))
            .await;
        let error = made.unwrap_err();
        assert!(
            matches!(error, RegistryError::ExpiryNotInFuture { .. }),
            "{error}"
        );
    }
    for count in [0, 51] {
        let patterns: Vec<String> = (0..count).map(|at| format!("alice/r{at}")).collect();
        let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
        let made =
            hub.registry
                .create_limited_token("alice", "x", TokenRole::Read, only(&patterns), None);
        let error = made.await.unwrap_err().to_string();
        assert_eq!(
            error,
            format!("a token is limited to 1 to 50 patterns of repositories, not to {count}")
        );
    }
    assert_eq!(hub.registry.list_tokens("alice").await.unwrap().len(), 1);
}

#[tokio::test]
async fn the_limit_of_a_token_is_told_to_its_owner() {
    let hub = TestRegistry::start().await;
    let token = limited(&hub, TokenRole::Read, &["Alice/One", "acme/*"]).await;
    let me = hub
        .request(Method::GET, "/api/whoami-v2", Some(&token))
        .send()
        .await
        .unwrap();
    let me: Value = me.json().await.unwrap();
    assert_eq!(
        me["auth"]["accessToken"]["repositories"],
        json!(["alice/one", "acme/*"])
    );
    let tokens = hub.registry.list_tokens("alice").await.unwrap();
    assert_eq!(tokens[0].scope, TokenScope::All);
    assert_eq!(tokens[1].scope, only(&["alice/one", "acme/*"]));
}

#[tokio::test]
async fn search_shows_a_limited_token_what_it_reaches() {
    let hub = TestRegistry::start().await;
    for (id, private) in [
        ("alice/open", false),
        ("alice/one", true),
        ("alice/two", true),
        ("acme/three", true),
        ("acme/four", true),
    ] {
        hub.create_with(id, json!({"private": private})).await;
    }
    for (patterns, expect) in [
        (&["alice/one"][..], &["alice/one", "alice/open"][..]),
        (&["acme/*"], &["acme/four", "acme/three", "alice/open"]),
        (
            &["ALICE/ONE", "acme/four"],
            &["acme/four", "alice/one", "alice/open"],
        ),
        (&["bob/*"], &["alice/open"]),
    ] {
        let token = limited(&hub, TokenRole::Read, patterns).await;
        for query in ["", "?limit=1", "?search=o", "?sort=createdAt&full=true"] {
            let mut found = all_pages(&hub, &format!("/api/models{query}"), &token).await;
            found.sort();
            let named = |id: &&str| !query.contains("search") || id.contains('o');
            let expect: Vec<&str> = expect.iter().copied().filter(named).collect();
            assert_eq!(found, expect, "{patterns:?} {query}");
        }
        let by_author = all_pages(&hub, "/api/models?author=acme", &token).await;
        assert!(
            by_author.iter().all(|id| expect.contains(&id.as_str())),
            "{by_author:?}"
        );
    }
}

async fn all_pages(hub: &TestRegistry, path: &str, token: &str) -> Vec<String> {
    let (mut ids, mut path) = (Vec::new(), path.to_owned());
    loop {
        let response = hub
            .request(Method::GET, &path, Some(token))
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 200);
        let next = next_page(hub, &response);
        let rows: Vec<Value> = response.json().await.unwrap();
        ids.extend(
            rows.iter()
                .map(|row| row["id"].as_str().unwrap().to_owned()),
        );
        match next {
            Some(next) => path = next,
            None => return ids,
        }
    }
}

#[tokio::test]
async fn a_limited_token_makes_and_moves_only_within_its_limit() {
    let hub = TestRegistry::start().await;
    let token = limited(&hub, TokenRole::Write, &["alice/new", "acme/*"]).await;
    let create = async |body: Value| {
        let response = hub
            .send_json(Method::POST, "/api/repos/create", &token, body)
            .await;
        response.status().as_u16()
    };
    assert_eq!(create(json!({"name": "new"})).await, 200);
    assert_eq!(create(json!({"name": "other"})).await, 403);
    assert_eq!(
        create(json!({"name": "tool", "organization": "acme"})).await,
        200
    );
    assert_eq!(create(json!({"name": "bob/tool"})).await, 403);
    let rename = async |from: &str, to: &str| {
        let body = json!({"fromRepo": from, "toRepo": to, "type": "model"});
        let response = hub
            .send_json(Method::POST, "/api/repos/move", &token, body)
            .await;
        response.status().as_u16()
    };
    assert_eq!(rename("alice/new", "alice/elsewhere").await, 403);
    assert_eq!(rename("alice/new", "acme/new").await, 200);
    // The old id leads to the repository, and the repository's present name is what counts.
    let response = hub
        .request(Method::GET, "/api/models/alice/new", Some(&token))
        .send()
        .await
        .unwrap();
    assert_eq!(response.json::<Value>().await.unwrap()["id"], "acme/new");
}
