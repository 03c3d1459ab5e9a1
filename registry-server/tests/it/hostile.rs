//! Requests no client sends.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::TestRegistry;

/// Sends bytes and gives back the first line of the answer; empty when the server only hangs up.
async fn raw(hub: &TestRegistry, request: &str) -> String {
    let mut stream = TcpStream::connect(hub.endpoint.strip_prefix("http://").unwrap())
        .await
        .unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = vec![0; 4096];
    let count = tokio::time::timeout(Duration::from_secs(10), stream.read(&mut answer))
        .await
        .expect("an answer")
        .unwrap();
    String::from_utf8_lossy(&answer[..count])
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[tokio::test]
async fn odd_requests_get_an_error_and_the_server_lives() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    for request in [
        "GET /alice/tool/resolve/main/../../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /alice/tool/resolve/main/%00 HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /alice/tool/resolve/main/%ff HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /alice/tool/resolve/%2e%2e/x HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /api/models/alice/tool HTTP/1.1\r\n\r\n",
        "GET /api/models/alice/tool HTTP/1.1\r\nHost: a, b\r\n\r\n",
        "GET /api/models/alice/tool HTTP/1.1\r\nHost: user@x\r\n\r\n",
        "GET /api/models/../alice/tool HTTP/1.1\r\nHost: x\r\n\r\n",
        "FROG /api/models/alice/tool HTTP/1.1\r\nHost: x\r\n\r\n",
        "nonsense\r\n\r\n",
        "GET /api/models/alice/tool HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    ] {
        let line = raw(&hub, request).await;
        let refused = line.starts_with("HTTP/1.1 4")
            || (request.contains("Transfer-Encoding") && line.starts_with("HTTP/1.1 200"));
        assert!(refused, "{request:?} got {line:?}");
    }
    assert_eq!(hub.get("/api/models/alice/tool").await.status(), 200);
}

#[tokio::test]
async fn json_of_any_depth_is_an_error() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let deep = "[".repeat(100_000);
    for path in [
        "/api/repos/create",
        "/api/models/alice/tool/paths-info/main",
        "/api/models/alice/tool/preupload/main",
    ] {
        let response = hub
            .request(reqwest::Method::POST, path, Some(&hub.alice))
            .body(deep.clone())
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 400, "{path}");
    }
    let response = hub
        .send_commit("alice/tool", crate::support::header("x") + &deep)
        .await;
    assert_eq!(response.status(), 400);
}
