//! Tests that a server's cache never hides a change that another server has acknowledged.

use reqwest::Method;
use serde_json::json;
use tokio::net::TcpListener;
use tool_hub_registry_server::{Registry, serve};

use crate::support::TestRegistry;

/// A second server on the same database and files.
pub(crate) async fn another(hub: &TestRegistry) -> TestRegistry {
    let registry = Registry::open(hub.config.clone()).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(serve(listener, registry, std::future::pending::<()>()));
    hub.through(&endpoint)
}

/// Status and text of a file, for a stranger.
async fn read(hub: &TestRegistry, path: &str) -> (u16, String) {
    let response = hub.request(Method::GET, path, None).send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

#[tokio::test]
async fn a_commit_is_seen_through_another_server_at_once() {
    let hub = TestRegistry::start().await;
    let other = another(&hub).await;
    hub.create("alice/tool").await;
    let path = "/alice/tool/resolve/main/file";
    for round in 0..20 {
        let content = format!("round {round}");
        let writer = if round % 2 == 0 { &hub } else { &other };
        let commit = writer
            .commit("alice/tool", "round", &[("file", content.as_bytes())])
            .await;
        for reader in [&hub, &other, &hub] {
            assert_eq!(read(reader, path).await, (200, content.clone()));
            let info = reader.get_json("/api/models/alice/tool").await;
            assert_eq!(info["sha"], commit.as_str());
        }
    }
}

#[tokio::test]
async fn what_becomes_private_moves_or_goes_is_so_through_another_server_at_once() {
    let hub = TestRegistry::start().await;
    let other = another(&hub).await;
    hub.create("alice/tool").await;
    hub.commit("alice/tool", "file", &[("file", b"text")]).await;
    let path = "/alice/tool/resolve/main/file";
    let settings = "/api/models/alice/tool/settings";
    for private in [true, false, true, false] {
        let changed = hub
            .send_json(
                Method::PUT,
                settings,
                &hub.alice,
                json!({"private": private}),
            )
            .await;
        assert_eq!(changed.status(), 200);
        let expect = if private { 401 } else { 200 };
        for reader in [&other, &hub] {
            assert_eq!(read(reader, path).await.0, expect);
            let found = reader.request(Method::GET, "/api/models?search=tool", None);
            let found: serde_json::Value = found.send().await.unwrap().json().await.unwrap();
            assert_eq!(found.as_array().unwrap().is_empty(), private);
        }
    }
    let moving = json!({"fromRepo": "alice/tool", "toRepo": "alice/moved", "type": "model"});
    let moved = hub
        .send_json(Method::POST, "/api/repos/move", &hub.alice, moving)
        .await;
    assert_eq!(moved.status(), 200);
    assert_eq!(read(&other, path).await.0, 307);
    let path = "/alice/moved/resolve/main/file";
    assert_eq!(read(&other, path).await, (200, "text".to_owned()));
    let deleting = json!({"name": "alice/moved"});
    let deleted = hub
        .send_json(Method::DELETE, "/api/repos/delete", &hub.alice, deleting)
        .await;
    assert_eq!(deleted.status(), 200);
    assert_eq!(read(&other, path).await.0, 401);
}
