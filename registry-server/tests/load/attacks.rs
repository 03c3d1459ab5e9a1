//! Attacks by HTTP clients that send half of a request's head or body, or never read the answer.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpSocket, TcpStream};

use crate::support::{file, header, hex};
use crate::target::Target;

/// Longest time in which a server takes what is sent to it.
const SEND_MAX: Duration = Duration::from_millis(200);

/// A connection that takes little of what is sent to it.
async fn connect(target: &Target) -> TcpStream {
    let address = target.address().parse().unwrap();
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4 << 10).unwrap();
    socket.connect(address).await.unwrap()
}

/// Sends this much of a request, as far as the server takes it, and stays there.
async fn send(target: &Target, text: &[u8]) -> TcpStream {
    let mut stream = connect(target).await;
    // The server may close the connection, or stop reading so that the write blocks.
    let _ = tokio::time::timeout(SEND_MAX, stream.write_all(text)).await;
    stream
}

fn head(method: &str, path: &str, token: Option<&str>, length: usize) -> String {
    let token = token.map_or(String::new(), |it| {
        format!("Authorization: Bearer {it}\r\n")
    });
    format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\n{token}Content-Length: {length}\r\n\r\n"
    )
}

/// Half of a head, nearly as long as a head may be.
pub(crate) async fn half_heads(target: &Target, count: usize, length: usize) -> Vec<TcpStream> {
    let text = format!("GET /health HTTP/1.1\r\nX: {}", "x".repeat(length));
    let mut open = Vec::new();
    for _ in 0..count {
        open.push(send(target, text.as_bytes()).await);
    }
    open
}

/// Bodies of strangers that stop before they end.
pub(crate) async fn strangers_bodies(target: &Target, count: usize) -> Vec<TcpStream> {
    let body = " ".repeat(60_000);
    let text = head("POST", "/api/validate-yaml", None, 65_000) + &body;
    let mut open = Vec::new();
    for _ in 0..count {
        open.push(send(target, text.as_bytes()).await);
    }
    open
}

/// Long bodies of somebody with a token, which stop before they end.
pub(crate) async fn long_bodies(target: &Target, count: usize) -> Vec<TcpStream> {
    let path = "/api/models/alice/tool/preupload/main";
    let text = head("POST", path, Some(&target.hub.alice), 30 << 20) + &" ".repeat(20 << 20);
    let mut open = Vec::new();
    for _ in 0..count {
        open.push(send(target, text.as_bytes()).await);
    }
    open
}

/// Commits in the middle of a file.
pub(crate) async fn files_of_commits(target: &Target, count: usize) -> Vec<TcpStream> {
    let content = "A".repeat(400_000);
    let line = format!(r#"{{"key":"file","value":{{"path":"a","content":"{content}"#);
    let path = "/api/models/alice/tool/commit/main";
    let text = head("POST", path, Some(&target.hub.alice), 1 << 30) + &header("x") + &line;
    let mut open = Vec::new();
    for _ in 0..count {
        open.push(send(target, text.as_bytes()).await);
    }
    open
}

/// Commits of very many short files, without their end.
pub(crate) async fn commits_without_end(target: &Target, count: usize) -> Vec<TcpStream> {
    let lines: String = (0..20_000)
        .map(|at| file(&format!("d{}/f{at}", at % 100), at.to_string().as_bytes()))
        .collect();
    let path = "/api/models/alice/tool/commit/main";
    let text = head("POST", path, Some(&target.hub.alice), 1 << 30) + &header("x") + &lines;
    let sending = (0..count).map(async |_| {
        let mut stream = connect(target).await;
        let sent = stream.write_all(text.as_bytes());
        let _ = tokio::time::timeout(Duration::from_secs(20), sent).await;
        stream
    });
    futures::future::join_all(sending).await
}

/// Objects over LFS that stop before they end.
pub(crate) async fn objects(target: &Target, count: usize) -> Vec<TcpStream> {
    let oid = hex(b"announced and never sent");
    let question = json!({"operation": "upload", "objects": [{"oid": oid, "size": 1 << 30}]});
    let path = "/alice/tool.git/info/lfs/objects/batch";
    let token = &target.hub.alice;
    let answer = target.hub.send_json(Method::POST, path, token, question);
    let answer: serde_json::Value = answer.await.json().await.unwrap();
    let href = answer["objects"][0]["actions"]["upload"]["href"].as_str();
    let path = href.unwrap().strip_prefix(&target.hub.endpoint).unwrap();
    let text = head("PUT", path, None, 1 << 30) + &"x".repeat(300_000);
    let mut open = Vec::new();
    for _ in 0..count {
        open.push(send(target, text.as_bytes()).await);
    }
    open
}

/// Strangers that ask for a long answer and never read it.
pub(crate) async fn unread_answers(target: &Target, path: &str, count: usize) -> Vec<TcpStream> {
    let text = head("GET", path, None, 0);
    let mut open = Vec::new();
    for _ in 0..count {
        open.push(send(target, text.as_bytes()).await);
    }
    open
}
