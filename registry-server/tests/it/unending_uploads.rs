//! Tests that uploads which never end take no more disk than twice their owner's quota.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::lfs_requests::{BATCH, address, batch, content, put};
use crate::support::{TestRegistry, file, header, hex};

const QUOTA: u64 = 4 << 20;
/// Bytes of a part of an upload; about as many are sent of each body.
const PART: usize = 3 << 20;
const BODIES: usize = 10;

async fn registry() -> TestRegistry {
    let hub = TestRegistry::start_with(|limits| limits.lfs_part_bytes = PART as u64).await;
    hub.create("alice/tool").await;
    hub.registry.set_quota("alice", Some(QUOTA)).await.unwrap();
    hub
}

/// Sends a request without the last byte of its body.
async fn begin(hub: &TestRegistry, method: &str, path: &str, body: &[u8]) -> TcpStream {
    let address = hub.endpoint.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let (token, length) = (&hub.alice, body.len() + 1);
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body).await.unwrap();
    stream
}

fn incoming_bytes(hub: &TestRegistry) -> u64 {
    let files = std::fs::read_dir(hub.incoming()).unwrap();
    // A file may be removed while it is looked at.
    let lengths = files.filter_map(|file| Some(file.ok()?.metadata().ok()?.len()));
    lengths.sum()
}

/// The bytes of incoming files once no more arrive.
async fn settled_bytes(hub: &TestRegistry) -> u64 {
    let mut before = u64::MAX;
    loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let now = incoming_bytes(hub);
        if now == before {
            return now;
        }
        before = now;
    }
}

/// Sends bodies that never end and looks at the disk; when they are gone there is room again.
async fn check(hub: &TestRegistry, bodies: Vec<(&str, String, Vec<u8>)>) {
    let mut open = Vec::new();
    for (method, path, body) in &bodies {
        open.push(begin(hub, method, path, body).await);
    }
    let there = settled_bytes(hub).await;
    let mut answer = vec![0; 2_000];
    let reading = open[0].read(&mut answer);
    let _ = tokio::time::timeout(Duration::from_millis(100), reading).await;
    let answer = String::from_utf8_lossy(&answer);
    assert!(there > QUOTA / 2, "{there} bytes, and {answer}");
    assert!(there <= 2 * QUOTA, "{there} bytes for a quota of {QUOTA}");
    drop(open);
    while incoming_bytes(hub) > 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The addresses for an object that is announced again and again.
async fn announced(hub: &TestRegistry, bytes: &[u8], transfer: &str) -> Vec<Value> {
    let oid = hex(bytes);
    let mut addresses = Vec::new();
    for _ in 0..BODIES {
        let object = batch(hub, BATCH, &oid, bytes.len(), &[transfer]).await;
        addresses.push(object["actions"]["upload"].clone());
    }
    addresses
}

#[tokio::test]
async fn objects_that_never_end_take_no_more_than_twice_the_quota() {
    let hub = registry().await;
    let bytes = content(PART);
    let addresses = announced(&hub, &bytes, "basic").await;
    let path = |at: &Value| address(&hub, &at["href"]);
    let bodies = addresses
        .iter()
        .map(|at| ("PUT", path(at), bytes[1..].to_vec()));
    check(&hub, bodies.collect()).await;
    let arrived = put(&hub, &path(&addresses[0]), &bytes).await;
    assert_eq!(arrived.status(), 200);
}

#[tokio::test]
async fn parts_that_never_end_take_no_more_than_twice_the_quota() {
    let hub = registry().await;
    let bytes = content(PART + 1_000);
    let addresses = announced(&hub, &bytes, "multipart").await;
    let path = |at: &Value| address(&hub, &at["header"]["00001"]);
    let bodies = addresses
        .iter()
        .map(|at| ("PUT", path(at), bytes[1..PART].to_vec()));
    check(&hub, bodies.collect()).await;
    let arrived = put(&hub, &path(&addresses[0]), &bytes[..PART]).await;
    assert_eq!(arrived.status(), 200);
}

#[tokio::test]
async fn commits_that_never_end_take_no_more_than_twice_the_quota() {
    let hub = registry().await;
    let body = header("large") + &file("large", &content(PART));
    let path = "/api/models/alice/tool/commit/main";
    let bodies = (0..BODIES).map(|_| ("POST", path.to_owned(), body.clone().into_bytes()));
    check(&hub, bodies.collect()).await;
    hub.commit("alice/tool", "large", &[("large", &content(PART))])
        .await;
}
