//! Tests of bounds on bodies, files and lines, and on clients that send or take too slowly.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::{TestRegistry, file, header, refusal};

#[tokio::test]
async fn bodies_files_and_lines_are_bounded_while_they_arrive() {
    let hub = TestRegistry::start_with(|limits| {
        limits.commit_bytes_max = 400_000;
        limits.file_bytes_max = 100_000;
        limits.commit_operations_max = 3;
        limits.commit_line_bytes_max = 1_000;
        limits.json_bytes_max = 10_000;
    })
    .await;
    hub.create("alice/tool").await;
    let large = vec![7; 100_001];
    for (body, expect) in [
        (header("x") + &file("a", &large), 413),
        (header("x") + &file("a", &large[1..]), 200),
        (
            header("x")
                + &file("a", &large[1..])
                + &file("b", &large[1..])
                + &file("c", &large[1..]),
            413,
        ),
        (header(&"x".repeat(1_000)) + &file("a", b""), 400),
        (
            header("x")
                + &(0..4)
                    .map(|at| file(&at.to_string(), b""))
                    .collect::<String>(),
            400,
        ),
        (
            header("x")
                + &(0..3)
                    .map(|at| file(&at.to_string(), b""))
                    .collect::<String>(),
            200,
        ),
    ] {
        let length = body.len();
        let response = hub.send_commit("alice/tool", body).await;
        let status = response.status().as_u16();
        assert_eq!(
            status,
            expect,
            "{length} bytes: {}",
            response.text().await.unwrap()
        );
    }
    for (count, expect) in [(4, 400), (3, 200)] {
        let files: Vec<_> = (0..count)
            .map(|at| json!({"path": at.to_string(), "content": "", "size": 0}))
            .collect();
        let new = json!({"name": format!("of-{count}"), "files": files});
        let announced = json!({"files": files});
        for (path, body) in [
            ("/api/repos/create", new),
            ("/api/models/alice/tool/preupload/main", announced),
        ] {
            let response = hub.send_json(Method::POST, path, &hub.alice, body).await;
            assert_eq!(response.status(), expect, "{path} with {count} files");
        }
    }
    let response = hub
        .send_json(
            Method::POST,
            "/api/repos/create",
            &hub.alice,
            json!({"name": "x", "more": "y".repeat(10_000)}),
        )
        .await;
    assert_eq!(refusal(response).await.0, 413);
}

#[tokio::test]
async fn a_client_that_falls_silent_is_cut_off() {
    let hub =
        TestRegistry::start_with(|limits| limits.body_stall_max = Duration::from_millis(100)).await;
    hub.create("alice/tool").await;
    let piece = Ok::<_, std::io::Error>(header("x"));
    let body =
        futures::StreamExt::chain(futures::stream::iter([piece]), futures::stream::pending());
    let path = "/api/models/alice/tool/commit/main";
    let request = hub
        .request(Method::POST, path, Some(&hub.alice))
        .body(reqwest::Body::wrap_stream(body))
        .send();
    let response = tokio::time::timeout(Duration::from_secs(10), request)
        .await
        .expect("the server waits")
        .unwrap();
    assert_eq!(refusal(response).await.0, 408);
}

#[tokio::test]
async fn a_client_that_sends_next_to_nothing_is_cut_off() {
    let hub = TestRegistry::start_with(|limits| {
        limits.body_stall_max = Duration::from_secs(1);
        limits.stall_bytes_min = 1_000;
    })
    .await;
    hub.create("alice/tool").await;
    let send = async |piece: usize| {
        let body = header("x") + &file("a", &[7; 6_000]);
        let pieces = body.into_bytes();
        let pieces: Vec<Vec<u8>> = pieces.chunks(piece).map(<[u8]>::to_vec).collect();
        let body = futures::StreamExt::then(futures::stream::iter(pieces), async |piece| {
            tokio::time::sleep(Duration::from_millis(10)).await;
            Ok::<_, std::io::Error>(piece)
        });
        let path = "/api/models/alice/tool/commit/main";
        let request = hub.request(Method::POST, path, Some(&hub.alice));
        let request = request.body(reqwest::Body::wrap_stream(body)).send();
        let answer = tokio::time::timeout(Duration::from_secs(60), request).await;
        answer.expect("the server waits").unwrap()
    };
    // Never silent for long, both of them.
    assert_eq!(refusal(send(4).await).await.0, 408);
    assert_eq!(send(400).await.status(), 200);
}

#[test]
fn connections_are_kept_as_long_as_clients_pool_them() {
    let limits = tool_hub_registry_server::Limits::standard();
    assert!(limits.idle_connection_max >= Duration::from_secs(60));
}

#[tokio::test]
async fn a_client_that_takes_nothing_is_cut_off() {
    let hub = TestRegistry::start_with(|limits| {
        limits.answer_stall_max = Duration::from_millis(300);
        limits.connections_max = 2;
    })
    .await;
    hub.create("alice/tool").await;
    // More than the buffers of both ends hold.
    let length = 32 << 20;
    hub.commit("alice/tool", "large", &[("large", &vec![7; length])])
        .await;
    let address = hub.endpoint.strip_prefix("http://").unwrap();
    let request = "GET /alice/tool/resolve/main/large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let mut idlers = Vec::new();
    for _ in 0..6 {
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        idlers.push(stream);
    }
    // Those that hold connections lose them, so that newcomers get their turn.
    let newcomer = reqwest::Client::new()
        .get(format!("{}/health", hub.endpoint))
        .send();
    let served = tokio::time::timeout(Duration::from_secs(20), newcomer).await;
    assert_eq!(
        served
            .expect("idle readers kept everybody out")
            .unwrap()
            .status(),
        200
    );
    let mut got = Vec::new();
    let end = idlers[0].read_to_end(&mut got).await;
    assert!(
        end.is_err() || got.len() < length,
        "the whole file was kept for a client that did not read"
    );
    // Who reads slowly, but reads, gets everything.
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let (mut count, mut piece) = (0, vec![0; 4 << 20]);
    loop {
        tokio::time::sleep(Duration::from_millis(20)).await;
        match stream.read(&mut piece).await.unwrap() {
            0 => break,
            length => count += length,
        }
    }
    assert!(count > length, "{count} bytes with the head");
}
