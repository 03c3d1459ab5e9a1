//! Tests of slow clients over HTTP: time limits, and connections that give way when all are taken.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::http_server::{Served, call};
use crate::support::catalogue;
use crate::{PATIENCE, check, text};
use tool_hub_serve::{MCP_PATH, Toolset};

const ROBINS: &str = "robinrobinrobinrobin";

impl Served {
    async fn connect(&self) -> TcpStream {
        let address = self.url["http://".len()..].trim_end_matches(MCP_PATH);
        TcpStream::connect(address).await.unwrap()
    }
}

/// What is answered until the server closes the connection, and how long that takes.
async fn answered(mut stream: TcpStream) -> (String, Duration) {
    let begun = Instant::now();
    let mut answer = Vec::new();
    // A connection that is reset is closed as well.
    let _ = tokio::time::timeout(Duration::from_secs(60), stream.read_to_end(&mut answer))
        .await
        .expect("the server closes the connection");
    (
        String::from_utf8_lossy(&answer).into_owned(),
        begun.elapsed(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_and_bodies_have_their_time() {
    let served = Served::start(1).await;
    let token = served.token.expose();
    let silent = served.connect().await;
    let mut half = served.connect().await;
    half.write_all(b"POST /mcp HTTP/1.1\r\nhost: loc")
        .await
        .unwrap();
    let mut slow = served.connect().await;
    let head = format!(
        "POST /v1/tools/guest__add HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: 100\r\n\r\n{{"
    );
    slow.write_all(head.as_bytes()).await.unwrap();
    let mut long = served.connect().await;
    let head = head.replace("length: 100", "length: 100000000");
    long.write_all(head.as_bytes()).await.unwrap();
    let (silent, half, slow, long) = tokio::join!(
        answered(silent),
        answered(half),
        answered(slow),
        answered(long)
    );
    assert!(long.1 < Duration::from_secs(20), "{long:?}");
    assert!(long.0.starts_with("HTTP/1.1 413 "), "{}", long.0);
    for (answer, time) in [&silent, &half, &slow] {
        assert!(*time > Duration::from_secs(20), "{time:?} {answer}");
        assert!(*time < Duration::from_secs(45), "{time:?} {answer}");
    }
    assert!(slow.0.starts_with("HTTP/1.1 408 "), "{}", slow.0);
    served.shut_down().await;
}

/// Raises the limit on open files: both ends of every connection are in this process.
fn use_all_descriptors() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
        let current = maximum;
        setrlimit(Resource::Nofile, Rlimit { current, maximum }).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_says_nothing_keeps_nobody_out() {
    use_all_descriptors();
    let served = Served::start(1).await;
    let sum = call("add", &json!({"a": 20, "b": 22}));
    let mut silent = Vec::new();
    // More than the limit, from the address that all local clients share.
    for number in 0..1_100 {
        let mut half = served.connect().await;
        if number % 2 == 0 {
            half.write_all(b"POST /mcp HTTP/1.1\r\nhost: loc")
                .await
                .unwrap();
        }
        silent.push(half);
    }
    for _ in 0..20 {
        silent.push(served.connect().await);
        let begun = Instant::now();
        let answered = served.answer(&sum).await;
        check(&answered["result"], &json!({"content": text("42")}));
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
    // The oldest connection was closed.
    let (_, time) = answered(silent.swap_remove(0)).await;
    assert!(time < Duration::from_secs(5), "{time:?}");
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_bodies_of_one_caller_keep_nobody_out() {
    use_all_descriptors();
    let both = Toolset::new(catalogue(1).await);
    let served = Served::start_with(&[("ann", both.clone()), ("robin", both)]).await;
    let head = format!(
        "POST /v1/tools/guest__add HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\ncontent-length: 4000\r\n\r\n{{",
        served.token.expose()
    );
    let mut slow = Vec::new();
    // More than the limit, each with a whole head and the beginning of a body.
    for _ in 0..1_100 {
        let mut body = served.connect().await;
        body.write_all(head.as_bytes()).await.unwrap();
        slow.push(body);
    }
    for _ in 0..20 {
        // By now, none of Robin's connections is among those that wait.
        let robin = reqwest::Client::new();
        let begun = Instant::now();
        let list = robin.get(served.rest("/tools")).bearer_auth(ROBINS);
        let list = list.timeout(PATIENCE).send().await.unwrap();
        assert_eq!(list.status(), 200);
        assert!(begun.elapsed() < Duration::from_secs(5));
        slow.push(served.connect().await);
    }
    // The body that was awaited the longest was given up.
    let (answer, time) = answered(slow.swap_remove(0)).await;
    assert!(time < Duration::from_secs(5), "{time:?} {answer}");
    served.shut_down().await;
}

/// The status line and the headers of what is answered first.
async fn head_of(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_streams_keeps_its_place() {
    // Each of 64 callers has 8 places, and 15 connections.
    let all = Toolset::new(catalogue(8).await);
    let names: Vec<String> = (0..62).map(|number| format!("caller{number}")).collect();
    let mut callers = vec![("ann", all.clone()), ("robin", all.clone())];
    callers.extend(names.iter().map(|name| (name.as_str(), all.clone())));
    let served = Served::start_with(&callers).await;
    let token = served.token.expose();
    let head = format!("host: localhost\r\nauthorization: Bearer {token}\r\n");
    let ask = async |request: &str, body: &str| {
        let mut stream = served.connect().await;
        let length = body.len();
        let request = format!("{request} HTTP/1.1\r\n{head}content-length: {length}\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    };
    let endless = "POST /v1/tools/guest__spin";
    let mut streams = Vec::new();
    for _ in 0..8 {
        let events = "accept: text/event-stream\r\ncontent-type: application/json\r\n";
        let mut stream = served.connect().await;
        let request = format!("{endless} HTTP/1.1\r\n{head}{events}content-length: 2\r\n\r\n{{}}");
        stream.write_all(request.as_bytes()).await.unwrap();
        let begun = head_of(&mut stream).await;
        assert!(begun.starts_with("HTTP/1.1 200 "), "{begun}");
        streams.push(stream);
    }
    let mut waiting = Vec::new();
    for _ in 8..15 {
        waiting.push(ask("GET /v1/tools", "").await);
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let answer = tokio::time::timeout(Duration::from_millis(300), waiting[0].read_u8()).await;
    assert!(answer.is_err(), "all places are taken");
    // Beyond its connections nobody waits.
    let (refused, _) = answered(ask("GET /v1/tools", "").await).await;
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    for header in ["retry-after: 3\r\n", "connection: close\r\n"] {
        assert!(refused.contains(header), "{refused}");
    }
    let robins = served.client.get(served.rest("/tools")).bearer_auth(ROBINS);
    let robins = robins.timeout(Duration::from_secs(5)).send().await;
    assert_eq!(robins.unwrap().status(), 200);
    // A place is free when the client of a stream has left.
    streams.pop();
    let answer = tokio::time::timeout(Duration::from_secs(5), head_of(&mut waiting[0])).await;
    let answer = answer.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    served.shut_down().await;
}
