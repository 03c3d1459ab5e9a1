//! Tests of bounds on the heads and bodies of requests, and that stalled clients block nobody.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tool_hub_registry_server::{Access, RouteMethod, routes};

use crate::support::{TestRegistry, refusal};

const ANONYMOUS_MAX: usize = 64 << 10;

#[tokio::test]
async fn nobody_without_a_token_sends_more_than_64_kib() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let open: Vec<String> = routes()
        .into_iter()
        .filter(|route| route.method != RouteMethod::Get)
        .filter(|route| matches!(route.access, Access::Anyone | Access::ReadRepository))
        .map(|route| route.path)
        .collect();
    assert_eq!(open.len(), 3, "send the new route its body below: {open:?}");
    for (path, empty, read) in [
        (
            "/api/validate-yaml",
            json!({"content": "# Card", "more": ""}),
            200,
        ),
        (
            "/api/models/alice/tool/paths-info/main",
            json!({"paths": ["a"], "more": ""}),
            200,
        ),
        (
            "/api/trusted-publishing/token",
            json!({"repo": "alice/tool", "token": "x", "more": ""}),
            403,
        ),
    ] {
        for (over, anonymous, known) in [(0, read, read), (1, 413, read)] {
            let mut body = empty.clone();
            let length = ANONYMOUS_MAX + over - empty.to_string().len();
            body["more"] = Value::String("x".repeat(length));
            for (token, expect) in [(None, anonymous), (Some(hub.alice.as_str()), known)] {
                let request = hub.request(Method::POST, path, token);
                let response = request.body(body.to_string()).send().await.unwrap();
                assert_eq!(response.status(), expect, "{path} {over} {token:?}");
            }
        }
    }
}

/// Announces a body and sends only a part of it.
async fn stall(hub: &TestRegistry, path: &str, announced: usize, sent: usize) -> TcpStream {
    let address = hub.endpoint.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head =
        format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {announced}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&vec![b' '; sent]).await.unwrap();
    stream
}

#[tokio::test]
async fn bodies_of_all_connections_share_one_bound() {
    let hub = TestRegistry::start_with(|limits| {
        limits.buffered_bytes_max = 256 << 10;
        limits.buffer_wait_max = Duration::from_millis(100);
        limits.pressed_stall_max = Duration::from_secs(3);
    })
    .await;
    let path = "/api/validate-yaml";
    let mut stalled = Vec::new();
    for _ in 0..20 {
        stalled.push(stall(&hub, path, 60_000, 50_000).await);
    }
    let ask_as = async |token| {
        let body = json!({"content": "x".repeat(40_000)}).to_string();
        let request = hub.request(Method::POST, path, token).body(body);
        request.send().await.unwrap()
    };
    let ask = async || ask_as(None).await;
    // Soon all memory is taken, and further clients are told to retry.
    let mut response = ask().await;
    while response.status() == 200 {
        response = ask().await;
    }
    assert_eq!(response.headers()["retry-after"], "2");
    assert_eq!(refusal(response).await.0, 503);
    assert_eq!(hub.get("/api/whoami-v2").await.status(), 200);
    // Who has a token does not share it with strangers.
    assert_eq!(ask_as(Some(&hub.alice)).await.status(), 200);
    // A client that holds memory and sends nothing loses it long before the usual minute.
    let mut answer = String::new();
    let reading = stalled[0].read_to_string(&mut answer);
    let _ = tokio::time::timeout(Duration::from_secs(20), reading)
        .await
        .expect("the server waits for ever");
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    while ask().await.status() != 200 {}
}

#[tokio::test]
async fn half_sent_heads_keep_nobody_out() {
    let hub = TestRegistry::start_with(|limits| limits.connections_max = 50).await;
    let address = hub.endpoint.strip_prefix("http://").unwrap();
    let mut slow = Vec::new();
    for _ in 0..300 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        // The oldest connections are closed.
        let _ = stream
            .write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: ")
            .await;
        slow.push(stream);
        if slow.len() % 60 == 0 {
            let client = reqwest::Client::new();
            let request = client.get(format!("{}/health", hub.endpoint));
            let answer = tokio::time::timeout(Duration::from_secs(5), request.send()).await;
            assert_eq!(answer.expect("an answer").unwrap().status(), 200);
        }
    }
    let mut nothing = [0; 1];
    let oldest = slow[0].read(&mut nothing).await;
    assert!(matches!(oldest, Ok(0) | Err(_)), "{oldest:?}");
}

#[tokio::test]
async fn a_head_is_bounded() {
    let hub = TestRegistry::start().await;
    let address = hub.endpoint.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!("GET /health HTTP/1.1\r\nX: {}", "x".repeat(64 << 10));
    let _ = stream.write_all(head.as_bytes()).await;
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 431"),
        "{answer}"
    );
}
