//! Tests of a server's restart and shutdown, of a broken database, and of links and health.

use std::time::Duration;

use reqwest::Method;
use tool_hub_registry_server::{Registry, RegistryConfig, RegistryError};

use crate::support::{TestRegistry, file, header, refusal};

#[tokio::test]
async fn what_was_acknowledged_is_there_after_a_restart() {
    let mut hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let commit = hub.commit("alice/tool", "one", &[("a", b"a")]).await;
    hub.stop().await;
    let again = Registry::open(hub.config.clone()).await.unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    hub.endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(tool_hub_registry_server::serve(
        listener,
        again,
        std::future::pending(),
    ));
    assert_eq!(
        hub.get_json("/api/models/alice/tool").await["sha"],
        commit.as_str()
    );
    assert_eq!(
        hub.get("/alice/tool/resolve/main/a")
            .await
            .text()
            .await
            .unwrap(),
        "a"
    );
}

#[tokio::test]
async fn a_file_that_is_no_database_is_named_at_once() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("registry.sqlite");
    std::fs::write(&file, "notes of somebody else; ".repeat(100)).unwrap();
    let opening = Registry::open(RegistryConfig::new(scratch.path()));
    let opened = tokio::time::timeout(Duration::from_secs(5), opening).await;
    let error = opened.expect("no waiting").unwrap_err();
    let RegistryError::OpenDatabase { url, source } = error else {
        panic!("{error:?}");
    };
    assert!(url.contains("registry.sqlite"), "{url}");
    assert!(
        source.to_string().contains("file is not a database"),
        "{source}"
    );
}

#[tokio::test]
async fn shutdown_lets_a_running_request_end() {
    let mut hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let (go_on, waiting) = tokio::sync::oneshot::channel::<()>();
    let first = Ok::<_, std::io::Error>(header("slow"));
    let rest = futures::stream::once(async move {
        let _ = waiting.await;
        Ok(file("a", b"a"))
    });
    let body = futures::StreamExt::chain(futures::stream::iter([first]), rest);
    let request = hub.request(
        Method::POST,
        "/api/models/alice/tool/commit/main",
        Some(&hub.alice),
    );
    let running = tokio::spawn(request.body(reqwest::Body::wrap_stream(body)).send());
    tokio::time::sleep(Duration::from_millis(200)).await;
    let stopping = async {
        hub.stop().await;
    };
    let finishing = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        go_on.send(()).unwrap();
        running.await.unwrap().unwrap().status()
    };
    let (_, status) = tokio::time::timeout(Duration::from_secs(15), async {
        tokio::join!(stopping, finishing)
    })
    .await
    .unwrap();
    assert_eq!(status, 200);
}

#[tokio::test]
async fn links_use_the_public_address_when_there_is_one() {
    let directory = tempfile::tempdir().unwrap();
    let mut config = RegistryConfig::new(directory.path());
    config.public_url = Some("https://tools.example.org/hub/".parse().unwrap());
    let registry = Registry::open(config).await.unwrap();
    registry.add_user("alice", None).await.unwrap();
    let token = crate::support::token(
        &registry,
        "alice",
        tool_hub_registry_server::TokenRole::Write,
    )
    .await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(tool_hub_registry_server::serve(
        listener,
        registry,
        std::future::pending(),
    ));
    let body = serde_json::json!({"name": "tool"});
    let request = reqwest::Client::new()
        .post(format!("http://{address}/api/repos/create"))
        .bearer_auth(token)
        .json(&body);
    let answer: serde_json::Value = request.send().await.unwrap().json().await.unwrap();
    assert_eq!(answer["url"], "https://tools.example.org/hub/alice/tool");
}

#[tokio::test]
async fn health_and_unknown_addresses() {
    let hub = TestRegistry::start().await;
    let response = hub
        .request(Method::GET, "/health", None)
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    for path in ["/", "/api", "/x/y/z", "/api/models/a/b/c/d"] {
        assert_eq!(refusal(hub.get(path).await).await.0, 404, "{path}");
    }
    let response = hub
        .request(Method::DELETE, "/api/whoami-v2", Some(&hub.alice))
        .send()
        .await
        .unwrap();
    assert_eq!(refusal(response).await.0, 405);
}
