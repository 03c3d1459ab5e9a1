//! Tests that two servers show each other's changes at once, to public clients too.

use std::sync::atomic::Ordering;

use libtest_mimic::Trial;
use reqwest::{Method, StatusCode};
use serde_json::json;
use tool_hub_registry_server::TokenRole;

use crate::public_clients::{self, packages};
use crate::replica::Pair;
use crate::support::{TestRegistry, token};
use crate::{balancer, hf_hub_life, test};

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        test(
            "shared_changes::each_sees_what_the_other_did",
            each_sees_what_the_other_did,
        ),
        test("shared_changes::tokens_are_shared", tokens_are_shared),
        test(
            "shared_changes::of_a_repository_with_hf_hub",
            of_a_repository_with_hf_hub,
        ),
        needing(
            packages::python_missing,
            test(
                "shared_changes::of_a_repository_with_python",
                of_a_repository_with_python,
            ),
        ),
        needing(
            packages::node_missing,
            test(
                "shared_changes::of_a_repository_with_javascript",
                of_a_repository_with_javascript,
            ),
        ),
    ]
}

/// A test that is reported as ignored, and says why, where packages for its language cannot be had.
fn needing(missing: fn() -> Option<String>, test: Trial) -> Trial {
    let reason = missing();
    if let Some(reason) = &reason {
        eprintln!("SKIPPED: {}, because {reason}", test.name());
    }
    test.with_ignored_flag(reason.is_some())
}

async fn text(hub: &TestRegistry, path: &str) -> String {
    let response = hub.get(path).await;
    assert_eq!(response.status(), 200, "{path}");
    response.text().await.unwrap()
}

async fn post(hub: &TestRegistry, path: &str, body: serde_json::Value) {
    let response = hub.send_json(Method::POST, path, &hub.alice, body).await;
    assert_eq!(response.status(), 200, "{path}");
}

async fn each_sees_what_the_other_did() {
    let pair = Pair::start().await;
    let Pair { a, b, .. } = &pair;
    a.create("alice/tool").await;
    let first = b.get_json("/api/models/alice/tool").await["sha"].clone();
    let card = b"---\ntags: [tool-hub]\n---\nHelps wombats.\n";
    for (at, (path, content)) in [("README.md", &card[..]), ("x", b"one"), ("x", b"two")]
        .into_iter()
        .enumerate()
    {
        let commit = pair
            .turn(at)
            .commit("alice/tool", path, &[(path, content)])
            .await;
        let other = pair.turn(at + 1);
        assert_ne!(first, commit.as_str());
        assert_eq!(
            other.get_json("/api/models/alice/tool").await["sha"],
            commit.as_str()
        );
        let path = format!("/alice/tool/resolve/main/{path}");
        assert_eq!(text(other, &path).await.as_bytes(), content);
    }
    let found = b
        .get_json("/api/models?search=wombats&filter=tool-hub")
        .await;
    assert_eq!(found[0]["id"], "alice/tool");
    let last = b
        .get_json("/api/models/alice/tool/tree/main?expand=true")
        .await;
    assert_eq!(last[2]["lastCommit"]["title"], "x");

    post(b, "/api/models/alice/tool/tag/main", json!({"tag": "v1"})).await;
    post(
        a,
        "/api/models/alice/tool/branch/side",
        json!({"startingPoint": "v1"}),
    )
    .await;
    let refs = b.get_json("/api/models/alice/tool/refs").await;
    assert_eq!(
        (&refs["branches"][1]["name"], &refs["tags"][0]["name"]),
        (&json!("side"), &json!("v1"))
    );

    let names = json!({"fromRepo": "alice/tool", "toRepo": "alice/moved", "type": "model"});
    post(a, "/api/repos/move", names).await;
    let response = b.get("/alice/tool/resolve/main/x").await;
    assert_eq!(
        response.headers()["location"],
        "/alice/moved/resolve/main/x"
    );
    let body = json!({"visibility": "private"});
    let path = "/api/models/alice/moved/settings";
    let response = b.send_json(Method::PUT, path, &b.alice, body).await;
    assert_eq!(response.status(), 200);
    let stranger = a.request(Method::GET, "/alice/moved/resolve/main/x", None);
    assert_eq!(stranger.send().await.unwrap().status(), 401);

    let body = json!({"name": "moved"});
    let response = b
        .send_json(Method::DELETE, "/api/repos/delete", &b.alice, body)
        .await;
    assert_eq!(response.status(), 200);
    assert_eq!(a.get("/api/models/alice/moved").await.status(), 404);
    a.create("alice/moved").await;
    assert_eq!(b.get("/alice/moved/resolve/main/x").await.status(), 404);
}

async fn tokens_are_shared() {
    let pair = Pair::start().await;
    let secret = token(&pair.hub.registry, "bob", TokenRole::Read).await;
    let ask = async |hub: &TestRegistry| -> StatusCode {
        let request = hub.request(Method::GET, "/api/whoami-v2", Some(&secret));
        request.send().await.unwrap().status()
    };
    assert_eq!(
        (ask(&pair.a).await, ask(&pair.b).await),
        (StatusCode::OK, StatusCode::OK)
    );
    let tokens = pair.hub.registry.list_tokens("bob").await.unwrap();
    let made = tokens
        .iter()
        .find(|one| one.role == TokenRole::Read)
        .unwrap();
    pair.hub.registry.revoke_token(&made.id).await.unwrap();
    let refused = StatusCode::UNAUTHORIZED;
    assert_eq!((ask(&pair.a).await, ask(&pair.b).await), (refused, refused));
}

async fn of_a_repository_with_hf_hub() {
    through_both(async |hub| hf_hub_life::live(&hub).await).await;
}

async fn of_a_repository_with_python() {
    through_both(in_a_process(public_clients::live_in_python)).await;
}

async fn of_a_repository_with_javascript() {
    through_both(in_a_process(public_clients::live_in_javascript)).await;
}

/// The public client meets another server with every request, and the bucket for long files.
async fn through_both(live: impl AsyncFnOnce(TestRegistry)) {
    let pair = Pair::start().await;
    let endpoints = [pair.a.endpoint.clone(), pair.b.endpoint.clone()];
    let (endpoint, requests) = balancer::start(endpoints).await;
    live(pair.hub.through(&endpoint)).await;
    let requests = requests.load(Ordering::Relaxed);
    assert!(requests > 30, "only {requests} requests");
}

fn in_a_process(live: fn(&str, &str)) -> impl AsyncFnOnce(TestRegistry) {
    async move |hub: TestRegistry| {
        let living = tokio::task::spawn_blocking(move || live(&hub.endpoint, &hub.alice));
        living.await.unwrap();
    }
}
