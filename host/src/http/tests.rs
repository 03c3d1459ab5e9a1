//! The gate, with servers on the loopback interface as canaries.

use std::pin::Pin;

use bytes::Bytes;
use http_body_util::Empty;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;
use tool_hub_manifest::Methods;

#[track_caller]
fn check_origin(uri: &str, expect: &str) {
    let origin = plain_origin(&uri.parse().unwrap());
    assert_eq!(origin.as_deref(), Some(expect));
}

#[test]
fn origins_are_compared_in_their_plain_form() {
    check_origin("https://Example.com/a?b", "https://example.com");
    check_origin("https://example.com:443/", "https://example.com");
    check_origin("http://example.com:80/", "http://example.com");
    check_origin("http://example.com:8080/", "http://example.com:8080");
    check_origin(
        "https://allowed.com@evil.com/",
        "https://allowed.com@evil.com",
    );
    check_origin("http://[::1]:80/", "http://[::1]");
}

/// Answers one connection with `answer`, in two pieces where it holds a `|`.
async fn server(answer: String) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            for piece in answer.split('|') {
                let _ = stream.write_all(piece.as_bytes()).await;
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
        }
    });
    port
}

fn rules(granted: &[String], edit: impl FnOnce(&mut Limits)) -> Rules {
    let mut grants = Grants::none();
    for origin in granted {
        grants = grants.network(origin.parse().unwrap(), Methods::Any);
    }
    let mut limits = Limits::standard();
    edit(&mut limits);
    Rules {
        tool: Arc::new(Known {
            name: "demo".into(),
            command: "tool grant demo".into(),
        }),
        granted: Arc::new(grants),
        asked: Arc::default(),
        in_flight: Arc::new(Semaphore::new(limits.http_in_flight as usize)),
        record: Arc::new(Record::blank(limits)),
        names: Names::default(),
        tls: Arc::default(),
    }
}

async fn get(rules: &Rules, uri: &str) -> Result<(http::StatusCode, Bytes), Error> {
    let body = Empty::<Bytes>::new()
        .map_err(|never| match never {})
        .boxed_unsync();
    let request = http::Request::get(uri)
        .header("host", "x")
        .body(body)
        .unwrap();
    let (response, driver) = rules.send_noted(request, RequestOptions::default()).await?;
    let driver = tokio::spawn(Pin::from(driver));
    let status = response.status();
    let body = response.into_body().collect().await?.to_bytes();
    driver.abort();
    Ok((status, body))
}

#[tokio::test]
async fn a_granted_origin_is_reached() {
    let port = server("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi".into()).await;
    for host in ["127.0.0.1", "localhost"] {
        let origin = format!("http://{host}:{port}");
        let rules = rules(std::slice::from_ref(&origin), |_| {});
        let (status, body) = get(&rules, &format!("{origin}/path")).await.unwrap();
        assert_eq!((status.as_u16(), &body[..]), (200, &b"hi"[..]));
        let counts = &rules.record.counts;
        assert_eq!(counts.http_requests.get(), 1);
        assert_eq!(counts.http_received_bytes.get(), 2);
    }
}

#[tokio::test]
async fn every_other_origin_is_denied_and_named() {
    let port = server("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".into()).await;
    let granted = format!("http://localhost:{port}");
    let rules = rules(&[granted, "http://allowed.example".into()], |_| {});
    for uri in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://0x7f.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("https://localhost:{port}/"),
        format!("http://localhost.:{port}/"),
        format!("http://allowed.example@127.0.0.1:{port}/"),
        format!("http://allowed.example.evil:{port}/"),
        "http://sub.allowed.example/".into(),
        "http://allowed.example:8080/".into(),
        "http://169.254.169.254/latest/meta-data".into(),
    ] {
        let denied = get(&rules, &uri).await;
        assert!(
            matches!(denied, Err(Error::HttpRequestDenied)),
            "{uri}: {denied:?}"
        );
    }
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_not_followed() {
    let port = server(
        "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n".into(),
    )
    .await;
    let origin = format!("http://127.0.0.1:{port}");
    let (status, _) = get(&rules(std::slice::from_ref(&origin), |_| {}), &origin)
        .await
        .unwrap();
    assert_eq!(status.as_u16(), 302);
}

#[tokio::test]
async fn long_and_slow_responses_are_cut() {
    let long = format!(
        "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{}",
        "x".repeat(2_000)
    );
    let origin = format!("http://127.0.0.1:{}", server(long).await);
    let short = rules(std::slice::from_ref(&origin), |limits| {
        limits.http_response_bytes = 1_000
    });
    let cut = get(&short, &origin).await;
    assert!(
        matches!(cut, Err(Error::HttpResponseBodySize(Some(1_000)))),
        "{cut:?}"
    );
    assert_eq!(
        short.record.denials.limit(),
        Some(("http_response_bytes", 1_000))
    );

    let slow = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nhi|ho";
    let origin = format!("http://127.0.0.1:{}", server(slow.into()).await);
    let hasty = rules(std::slice::from_ref(&origin), |limits| {
        limits.http_first_byte_ms = 50
    });
    let cut = get(&hasty, &origin).await;
    assert!(matches!(cut, Err(Error::ConnectionReadTimeout)), "{cut:?}");
    assert_eq!(
        hasty.record.denials.limit(),
        Some(("http_first_byte_ms", 50))
    );

    let silent = "|HTTP/1.1 200 OK\r\n\r\n";
    let origin = format!("http://127.0.0.1:{}", server(silent.into()).await);
    let hasty = rules(std::slice::from_ref(&origin), |limits| {
        limits.http_first_byte_ms = 50
    });
    let cut = get(&hasty, &origin).await;
    assert!(matches!(cut, Err(Error::ConnectionReadTimeout)), "{cut:?}");
    assert_eq!(
        hasty.record.denials.limit(),
        Some(("http_first_byte_ms", 50))
    );
}

#[tokio::test]
async fn requests_in_flight_are_counted_until_their_bodies_end() {
    let slow = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nhi|ho";
    let origin = format!("http://127.0.0.1:{}", server(slow.into()).await);
    let one = rules(std::slice::from_ref(&origin), |limits| {
        limits.http_in_flight = 1
    });
    let (first, second) = tokio::join!(get(&one, &origin), get(&one, &origin));
    assert!(first.is_ok());
    assert!(
        matches!(second, Err(Error::ConnectionLimitReached)),
        "{second:?}"
    );
    assert_eq!(one.record.denials.limit(), Some(("http_in_flight", 1)));
    assert!(get(&one, &origin).await.is_ok());
}

#[test]
fn a_time_that_the_guest_chose_is_not_the_host_s_limit() {
    let limits = Limits::standard();
    let timeout = Error::ConnectionTimeout;
    let hasty = RequestOptions {
        connect_timeout: Some(Duration::from_millis(1)),
        ..RequestOptions::default()
    };
    assert_eq!(reached(&limits, &hasty, &timeout), None);
    let patient = RequestOptions {
        connect_timeout: Some(Duration::from_secs(60)),
        ..RequestOptions::default()
    };
    let ours = Some(("http_connect_ms", limits.http_connect_ms));
    assert_eq!(reached(&limits, &patient, &timeout), ours);
}
