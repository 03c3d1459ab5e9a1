//! Tests of hostile HTTP traffic: zero timeouts, endless bodies, false lengths, many requests.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tool_hub_host::FailureKind;
use tool_hub_manifest::Methods;

use super::canary::{OK, Server};
use super::either_wasi::with_either_wasi;
use super::http_guest::{Request, RequestResult, granted, send};
use crate::support::reply;

with_either_wasi! {
    no_time_at_all_is_too_little_and_no_panic
    lengths_that_contradict_are_not_sent
    answers_that_contradict_themselves_are_not_read
    a_flood_of_headers_is_cut
    eight_gibibytes_are_cut_at_the_limit
}

async fn no_time_at_all_is_too_little_and_no_panic() {
    let silent = Server::start("127.0.0.1:0", |_, stream, _| {
        // Ends when the client has closed the connection.
        stream.read(&mut [0]).map(drop)
    });
    let server = Server::answering(OK);
    let tool = granted(&[silent.origin(), server.origin()], &Methods::Any).await;
    let authority = format!("127.0.0.1:{}", silent.port());
    for timeout_ns in [0, 1] {
        let mut request = Request::get("http", &authority);
        request.timeout_ns = timeout_ns;
        let result = send(&tool, request).await;
        assert!(
            matches!(
                result,
                RequestResult::Failed("connection-timeout" | "connection-read-timeout")
            ),
            "{result:?}"
        );
    }
    let authority = format!("127.0.0.1:{}", server.port());
    let mut request = Request::get("http", &authority);
    request.timeout_ns = i64::MAX;
    assert_eq!(
        send(&tool, request).await,
        RequestResult::Answered(200, 2),
        "no overflow either"
    );
}

/// Two lengths, or one that lies, are how a request is hidden in another one.
async fn lengths_that_contradict_are_not_sent() {
    let server = Server::start("127.0.0.1:0", |head, stream, _| {
        let lengths = head.to_ascii_lowercase().matches("content-length").count();
        let status = if lengths > 1 { 500 } else { 200 };
        write!(
            stream,
            "HTTP/1.1 {status} x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        )
    });
    let tool = granted(&[server.origin()], &Methods::Any).await;
    let authority = format!("127.0.0.1:{}", server.port());
    for headers in [
        &[("content-length", "5"), ("content-length", "7")][..],
        &[("content-length", "3")],
        &[("content-length", "300")],
        &[("content-length", "5, 5")],
        &[("content-length", "-1")],
        &[("content-length", "+5")],
        &[("content-length", "0x5")],
        &[("transfer-encoding", "chunked"), ("content-length", "5")],
        &[("host", "evil.example")],
        &[("connection", "upgrade")],
        &[("x-a", "b\r\ncontent-length: 9")],
    ] {
        let mut request = Request::get("http", &authority);
        request.method = "POST";
        request.headers = headers;
        request.body = "hello";
        let result = send(&tool, request).await;
        assert!(
            !matches!(
                result,
                RequestResult::Answered(..) | RequestResult::Stopped(FailureKind::Internal, _)
            ),
            "{headers:?}: {result:?}"
        );
    }
    let mut request = Request::get("http", &authority);
    request.method = "POST";
    request.headers = &[("content-length", "5")];
    request.body = "hello";
    assert_eq!(send(&tool, request).await, RequestResult::Answered(200, 0));
}

async fn answers_that_contradict_themselves_are_not_read() {
    for head in [
        "content-length: 2\r\ncontent-length: 4",
        "content-length: two",
        "content-length: -2",
        "content-length: 99999999999999999999",
    ] {
        let server = Server::answering(&format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\nhiho"));
        let tool = granted(&[server.origin()], &Methods::Any).await;
        let authority = format!("127.0.0.1:{}", server.port());
        let result = send(&tool, Request::get("http", &authority)).await;
        assert!(
            matches!(result, RequestResult::Failed(_)),
            "{head}: {result:?}"
        );
    }
}

async fn a_flood_of_headers_is_cut() {
    let server = Server::start("127.0.0.1:0", |_, stream, sent| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n")?;
        loop {
            stream.write_all(b"x-flood: 0123456789012345678901234567890123456789\r\n")?;
            sent.fetch_add(50, Ordering::SeqCst);
        }
    });
    let tool = granted(&[server.origin()], &Methods::Any).await;
    let authority = format!("127.0.0.1:{}", server.port());
    let began = Instant::now();
    let result = send(&tool, Request::get("http", &authority)).await;
    assert!(matches!(result, RequestResult::Failed(_)), "{result:?}");
    assert!(began.elapsed() < Duration::from_secs(10));
    // What is in the buffers of the system beside the host's own.
    assert!(
        server.sent() < 16 << 20,
        "{} bytes were taken",
        server.sent()
    );
}

/// Sends a gigabyte at a time until nobody takes it any more, 8 of them at most.
fn pour(stream: &mut TcpStream, sent: &AtomicUsize) -> std::io::Result<()> {
    let block = vec![b'x'; 1 << 20];
    for _ in 0..8 << 10 {
        stream.write_all(&block)?;
        sent.fetch_add(block.len(), Ordering::SeqCst);
    }
    Ok(())
}

async fn eight_gibibytes_are_cut_at_the_limit() {
    for head in ["content-length: 8589934592", "connection: close"] {
        let server = Server::start("127.0.0.1:0", move |_, stream, sent| {
            write!(stream, "HTTP/1.1 200 OK\r\n{head}\r\n\r\n")?;
            pour(stream, sent)
        });
        let tool = granted(&[server.origin()], &Methods::Any).await;
        let authority = format!("127.0.0.1:{}", server.port());
        let began = Instant::now();
        let result = send(&tool, Request::get("http", &authority)).await;
        assert_eq!(result, RequestResult::Broken, "{head}");
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "{:?}",
            began.elapsed()
        );
        let sent = server.sent();
        assert!(sent < (16 << 20) + (16 << 20), "{sent} bytes were taken");
    }
}

#[tokio::test]
async fn thousands_of_requests_at_once_are_limited() {
    let server = Server::start("127.0.0.1:0", |_, stream, _| {
        // Long enough for the guest to send all its requests while the first 16 are under way. The
        // server sees none of the others, so there is nothing else to wait for.
        std::thread::sleep(Duration::from_secs(2));
        stream.write_all(OK.as_bytes())
    });
    let tool = granted(&[server.origin()], &Methods::Any).await;
    let arguments = json!({
        "authority": format!("127.0.0.1:{}", server.port()),
        "count": 5_000,
    });
    let reply = reply(tool.call("flood", &arguments.to_string()).await);
    let result: [usize; 3] = serde_json::from_str(&reply.structured.unwrap()).unwrap();
    assert_eq!(result, [16, 4_984, 0], "answered, refused, anything else");
    assert_eq!(server.hits(), 16);
}
