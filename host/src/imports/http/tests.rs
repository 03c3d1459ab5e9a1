//! Tests of the gate for guests' HTTP requests: origins, methods, limits, secrets, recordings.
//! Servers on the loopback interface are canaries, which must not be reached without a grant.

use std::pin::Pin;
use std::sync::Mutex;

use bytes::Bytes;
use http_body_util::{Empty, Full};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tool_hub_manifest::contract::{Failure, FailureKind, Reply};

use super::*;
use crate::recording::{HttpDecision, RecordedRequest, RecordedResponse};
use crate::secret::{Secret, Secrets};
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

/// Answers each connection with `answer`. At a `|` it waits until the client has closed the
/// connection.
async fn server(answer: String) -> u16 {
    gated_server(answer, Arc::default()).await
}

/// The same, but a `|` is also passed once `gate` is notified.
async fn gated_server(answer: String, gate: Arc<Notify>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            for (index, piece) in answer.split('|').enumerate() {
                if index > 0 {
                    tokio::select! {
                        () = gate.notified() => {}
                        _ = stream.read(&mut request) => break,
                    }
                }
                let _ = stream.write_all(piece.as_bytes()).await;
            }
        }
    });
    port
}

fn rules(granted: &[String], edit: impl FnOnce(&mut Limits)) -> Rules {
    rules_with(granted, &Methods::Any, edit)
}

fn rules_with(granted: &[String], methods: &Methods, edit: impl FnOnce(&mut Limits)) -> Rules {
    let mut grants = Grants::none();
    for origin in granted {
        grants = grants.network(origin.parse().unwrap(), methods.clone());
    }
    let mut limits = Limits::standard();
    edit(&mut limits);
    Rules {
        credentials: Default::default(),
        tool: Arc::new(ToolIdentity::new("demo".into())),
        granted: Arc::new(grants),
        asked: Arc::default(),
        in_flight: Arc::new(Semaphore::new(limits.http_in_flight as usize)),
        record: Arc::new(Record::blank(limits)),
        resolver: Resolver::default(),
        tls: Arc::default(),
        recorder: None,
    }
}

async fn get(rules: &Rules, uri: &str) -> Result<(http::StatusCode, Bytes), Error> {
    let nothing = Empty::<Bytes>::new();
    let request = http::Request::get(uri).header("host", "x").body(nothing);
    send(rules, request.unwrap()).await
}

async fn send<B>(
    rules: &Rules,
    request: http::Request<B>,
) -> Result<(http::StatusCode, Bytes), Error>
where
    B: http_body::Body<Data = Bytes, Error = std::convert::Infallible> + Send + 'static,
{
    let request = request.map(|body| body.map_err(|never| match never {}).boxed_unsync());
    let (response, driver) = rules
        .send_and_record(request, RequestOptions::default())
        .await?;
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

/// The error of a request whose response is cut by a limit that `edit` sets, and that limit.
async fn cut(
    response: String,
    edit: impl FnOnce(&mut Limits),
) -> (Error, Option<(&'static str, u64)>) {
    let origin = format!("http://127.0.0.1:{}", server(response).await);
    let rules = rules(std::slice::from_ref(&origin), edit);
    let error = get(&rules, &origin).await.unwrap_err();
    (error, rules.record.denials.limit())
}

#[tokio::test]
async fn long_and_slow_responses_are_cut() {
    let long = format!(
        "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{}",
        "x".repeat(2_000)
    );
    let (error, limit) = cut(long, |limits| limits.http_response_bytes = 1_000).await;
    assert!(
        matches!(error, Error::HttpResponseBodySize(Some(1_000))),
        "{error:?}"
    );
    assert_eq!(limit, Some(("http_response_bytes", 1_000)));

    let slow = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nhi|ho";
    let silent = "|HTTP/1.1 200 OK\r\n\r\n";
    for response in [slow, silent] {
        let hasty = |limits: &mut Limits| limits.http_first_byte_ms = 50;
        let (error, limit) = cut(response.to_owned(), hasty).await;
        assert!(matches!(error, Error::ConnectionReadTimeout), "{error:?}");
        assert_eq!(limit, Some(("http_first_byte_ms", 50)));
    }
}

#[tokio::test]
async fn requests_in_flight_are_counted_until_their_bodies_end() {
    let slow = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nhi|ho";
    let gate = Arc::<Notify>::default();
    let port = gated_server(slow.into(), gate.clone()).await;
    let origin = format!("http://127.0.0.1:{port}");
    let one = rules(std::slice::from_ref(&origin), |limits| {
        limits.http_in_flight = 1
    });
    // The first answer ends after the second request was refused.
    let (first, second) = tokio::join!(get(&one, &origin), async {
        let refused = get(&one, &origin).await;
        gate.notify_one();
        refused
    });
    assert!(first.is_ok());
    assert!(
        matches!(second, Err(Error::ConnectionLimitReached)),
        "{second:?}"
    );
    assert_eq!(one.record.denials.limit(), Some(("http_in_flight", 1)));
    gate.notify_one();
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
    assert_eq!(limit_of(&limits, &hasty, &timeout), None);
    let patient = RequestOptions {
        connect_timeout: Some(Duration::from_secs(60)),
        ..RequestOptions::default()
    };
    let ours = Some(("http_connect_ms", limits.http_connect_ms));
    assert_eq!(limit_of(&limits, &patient, &timeout), ours);
}

/// A server that must not be contacted.
fn canary() -> (String, std::net::TcpListener) {
    let canary = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    canary.set_nonblocking(true).unwrap();
    let origin = format!("http://{}", canary.local_addr().unwrap());
    (origin, canary)
}

/// A body of unknown length, as guests send it.
fn piecewise(
    pieces: &[&'static str],
) -> impl http_body::Body<Data = Bytes, Error = std::convert::Infallible> + Send + use<> {
    let frames: Vec<_> = pieces
        .iter()
        .map(|piece| Ok(Frame::data(Bytes::from_static(piece.as_bytes()))))
        .collect();
    http_body_util::StreamBody::new(futures::stream::iter(frames))
}

#[tokio::test]
async fn methods_that_are_not_granted_come_by_no_other_way() {
    let (origin, canary) = canary();
    let only = Methods::Only(["GET".parse().unwrap(), "HEAD".parse().unwrap()].into());
    let request = |method: &str| {
        http::Request::builder()
            .method(method)
            .uri(&origin)
            .header("host", "x")
    };
    let refused = async |what: &str, request: http::Request<_>| {
        let rules = rules_with(std::slice::from_ref(&origin), &only, |_| {});
        let answered = send(&rules, request).await;
        assert!(
            matches!(answered, Err(Error::HttpRequestDenied)),
            "{what}: {answered:?}"
        );
        let failure = Failure::new(FailureKind::Failed, "no answer");
        rules.record.released::<Reply>(Err(failure)).unwrap_err()
    };
    for header in [
        "X-HTTP-Method-Override",
        "x-method-override",
        "X-Http-Method",
    ] {
        let request = request("GET").header(header, "delete").body(piecewise(&[]));
        let failure = refused(header, request.unwrap()).await;
        let capability = format!("network {origin} with DELETE");
        assert_eq!(failure.kind, FailureKind::Denied { capability });
    }
    for method in ["GET", "HEAD"] {
        let body = request(method).body(piecewise(&["", "_method=DELETE"]));
        let failure = refused(method, body.unwrap()).await;
        let capability = format!("network {origin} with a body in {method}");
        assert_eq!(failure.kind, FailureKind::Denied { capability });
        let announced = request(method)
            .header("content-length", "14")
            .body(piecewise(&[]));
        refused(method, announced.unwrap()).await;
    }
    assert!(canary.accept().is_err(), "something was sent");
}

#[tokio::test]
async fn a_body_that_is_opened_and_empty_is_none() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let only = Methods::Only(["GET".parse().unwrap()].into());
    let rules = rules_with(std::slice::from_ref(&origin), &only, |_| {});
    let request = http::Request::get(&origin)
        .header("host", "x")
        .header("x-http-method-override", "GET")
        .body(piecewise(&["", ""]));
    let heard = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = vec![0; 4096];
        let length = stream.read(&mut head).await.unwrap();
        let answer = b"HTTP/1.1 204 No Content\r\n\r\n";
        stream.write_all(answer).await.unwrap();
        String::from_utf8_lossy(&head[..length]).to_lowercase()
    };
    let (answered, head) = tokio::join!(send(&rules, request.unwrap()), heard);
    assert_eq!(answered.unwrap().0.as_u16(), 204);
    assert!(!head.contains("transfer-encoding"), "{head}");
}

/// The messages of refused requests, to the agent and in the audit log.
#[tokio::test]
async fn no_refusal_holds_a_part_of_a_secret() {
    const SECRET: &str = "sk-Canary77AA01secretX";
    let written = LogBuffer::default();
    let writer = written.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let _listening = tracing::subscriber::set_default(subscriber);
    let mut output = String::new();
    // For many positions at which the origin's name is cut.
    for before in (0..220).step_by(3) {
        let mut rules = rules(&[], |_| {});
        let mut record = Record::blank(Limits::standard());
        record.secrets = Secrets::new([Secret::new(SECRET.to_owned())]);
        rules.record = Arc::new(record);
        let uri = format!("http://{}:{SECRET}@example.com/", "u".repeat(before));
        assert!(get(&rules, &uri).await.is_err());
        let failure = Failure::new(FailureKind::Failed, format!("no {uri}"));
        let failure = rules.record.released::<Reply>(Err(failure));
        output += &format!("{failure:?}");
    }
    output += &String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    assert!(output.contains("tool_hub_host::audit: refused"), "{output}");
    let output = output.to_lowercase();
    for part in SECRET.to_lowercase().as_bytes().windows(5) {
        let part = std::str::from_utf8(part).unwrap();
        assert!(!output.contains(part), "{part} in {output}");
    }
}

#[derive(Clone, Default)]
struct LogBuffer(Arc<std::sync::Mutex<Vec<u8>>>);

impl std::io::Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Answers every request with `answer`, and keeps what it was asked and told.
#[derive(Default)]
struct Recorder {
    answer: Option<RecordedResponse>,
    asked: Mutex<Vec<RecordedRequest>>,
    told: Mutex<Vec<RecordedResponse>>,
}

impl HttpRecorder for Recorder {
    fn decide(&self, request: &RecordedRequest) -> HttpDecision {
        self.asked.lock().unwrap().push(request.clone());
        self.answer
            .clone()
            .map_or(HttpDecision::Send, HttpDecision::Answer)
    }

    fn record(&self, _request: &RecordedRequest, response: &RecordedResponse) {
        self.told.lock().unwrap().push(response.clone());
    }
}

fn answer(body: &'static str) -> RecordedResponse {
    RecordedResponse {
        status: 201,
        headers: vec![("x-recorded".into(), "yes".into())],
        body: body.into(),
    }
}

#[tokio::test]
async fn a_recording_opens_no_gate() {
    let recorder = Arc::new(Recorder {
        answer: Some(answer("hi")),
        ..Recorder::default()
    });
    let only_get = Methods::Only(["GET".parse().unwrap()].into());
    let granted = ["https://allowed.example".to_owned()];
    let mut rules = rules_with(&granted, &only_get, |limits| limits.http_response_bytes = 2);
    rules.recorder = Some(recorder.clone());
    let with_body = |method: &str| {
        let request = http::Request::builder().method(method);
        let request = request.uri("https://allowed.example/");
        request.body(Full::new(Bytes::from("x"))).unwrap()
    };
    for denied in [
        get(&rules, "https://other.example/").await,
        send(&rules, with_body("POST")).await,
        send(&rules, with_body("GET")).await,
    ] {
        assert!(
            matches!(denied, Err(Error::HttpRequestDenied)),
            "{denied:?}"
        );
    }
    assert_eq!(*recorder.asked.lock().unwrap(), []);
    // Nothing listens there: the answer comes from the recorder.
    let (status, body) = get(&rules, "https://allowed.example/a").await.unwrap();
    assert_eq!((status.as_u16(), &body[..]), (201, &b"hi"[..]));
    let asked = recorder.asked.lock().unwrap().pop().unwrap();
    assert_eq!(asked.url, "https://allowed.example/a");
    // A recording is held to the same limits.
    rules.recorder = Some(Arc::new(Recorder {
        answer: Some(answer("too long")),
        ..Recorder::default()
    }));
    let refused = get(&rules, "https://allowed.example/a").await;
    assert!(matches!(refused, Err(Error::HttpResponseBodySize(Some(2)))));
}

#[tokio::test]
async fn what_is_recorded_holds_no_secret() {
    let head = "HTTP/1.1 200 OK\r\nset-cookie: id=1\r\nx-echo: hunter2hunter2\r\n";
    let text = format!("{head}content-length: 14\r\n\r\nhunter2hunter2");
    let origin = format!("http://127.0.0.1:{}", server(text).await);
    let recorder = Arc::new(Recorder::default());
    let mut rules = rules(std::slice::from_ref(&origin), |_| {});
    let secrets = Secrets::new([Secret::new("hunter2hunter2".into())]);
    Arc::get_mut(&mut rules.record).unwrap().secrets = secrets;
    rules.recorder = Some(recorder.clone());
    let url = format!("{origin}/?key=hunter2hunter2");
    let (_, body) = get(&rules, &url).await.unwrap();
    assert_eq!(&body[..], b"hunter2hunter2", "the guest gets what was sent");
    let asked = recorder.asked.lock().unwrap().pop().unwrap();
    assert_eq!(asked.url, format!("{origin}/?key=***"));
    let told = recorder.told.lock().unwrap().pop().unwrap();
    assert_eq!(&told.body[..], b"***");
    assert_eq!(told.headers, [("x-echo".to_owned(), "***".to_owned())]);
}
