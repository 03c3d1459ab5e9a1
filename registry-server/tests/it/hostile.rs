//! Tests of hostile requests: malformed HTTP, deep JSON, foreign hosts, unsafe paths.

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

#[tokio::test]
async fn a_registry_answers_to_its_own_names_only() {
    let hub = TestRegistry::start_configured(|config| {
        config.hosts = vec![url::Host::parse("tools.example").unwrap()];
    })
    .await;
    hub.create("alice/tool").await;
    for (hosts, expect) in [
        ("Host: localhost:1\r\n", "200"),
        ("Host: 127.0.0.1\r\n", "200"),
        ("Host: tools.example\r\n", "200"),
        // Names from a DNS rebinding page, and hosts that cannot be part of a link.
        ("Host: evil.example\r\n", "403"),
        ("Host: 198.51.100.1\r\n", "403"),
        ("Host: localhost\r\nHost: localhost\r\n", "400"),
        ("Host: localhost\r\nHost: evil.example\r\n", "400"),
        ("Host: localhost:port\r\n", "400"),
        ("", "400"),
    ] {
        for path in ["/api/models/alice/tool", "/api/models", "/nothing"] {
            let line = raw(&hub, &format!("GET {path} HTTP/1.1\r\n{hosts}\r\n")).await;
            let expect = if expect == "200" && path == "/nothing" {
                "404"
            } else {
                expect
            };
            assert!(
                line.starts_with(&format!("HTTP/1.1 {expect}")),
                "{path} {hosts:?}: {line}"
            );
        }
    }
    let other = "GET http://evil.example/api/models HTTP/1.1\r\nHost: localhost\r\n\r\n";
    assert!(raw(&hub, other).await.starts_with("HTTP/1.1 400"));
    // Monitoring may use any host name.
    let probe = "GET /health/live HTTP/1.1\r\nHost: 10.1.2.3:8080\r\n\r\n";
    assert!(raw(&hub, probe).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn paths_that_are_something_else_on_another_system_are_refused() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let paths = [
        ".git ",
        ".git.",
        "git~1/config",
        ".g\u{200c}it/config",
        "C:/x",
        "C:x",
        "a:b",
        "con",
        "nul.txt",
        "..%2fx",
        "%2e%2e/x",
        "a\u{202e}txt.exe",
        "a./b",
        "a /b",
    ];
    for path in paths {
        let body = crate::support::header("x") + &crate::support::file(path, b"x");
        let response = hub.send_commit("alice/tool", body).await;
        let (status, _, text) = crate::support::refusal(response).await;
        assert_eq!(status, 422, "{path:?}");
        assert!(text.contains("is not valid in a repository: "), "{text}");
        let files = serde_json::json!([{"path": path, "content": "", "encoding": "base64"}]);
        let wish = serde_json::json!({"name": "born", "files": files});
        let post = reqwest::Method::POST;
        let born = hub.send_json(post, "/api/repos/create", &hub.alice, wish);
        assert_eq!(born.await.status(), 422, "{path:?}");
    }
    // Ordinary names in other languages are accepted.
    let files: [(&str, &[u8]); 4] = [
        ("Übersicht/模型 (1).txt", b"a"),
        ("می\u{200c}خواهم.txt", b"b"),
        ("100% a%20b.txt", b"c"),
        ("👩\u{200d}🔬.txt", b"d"),
    ];
    hub.commit("alice/tool", "names", &files).await;
    // Names from before the check can still be removed.
    let gone = crate::support::header("x") + &crate::support::deletion("deletedFile", "a:b");
    let response = hub.send_commit("alice/tool", gone).await;
    assert_eq!(crate::support::refusal(response).await.0, 404);
}
