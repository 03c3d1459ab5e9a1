//! Clients that take their time: heads and bodies that never end, and more of them than there
//! is room for.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::check;
use crate::http::{Served, call};
use crate::text;
use tool_hub_serve::MCP_PATH;

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
    let (silent, half, slow) = tokio::join!(answered(silent), answered(half), answered(slow));
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
