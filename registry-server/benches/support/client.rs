//! A minimal HTTP client over plain TCP, and a measure of answers per second over many connections.
//!
//! The client does next to nothing with an answer, so that servers are compared and not clients.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Bytes taken from the socket at once.
const READ_BYTES: usize = 256 << 10;

/// One kept connection and the request that is sent on it again and again.
pub(crate) struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr, path: &str) -> Self {
        let stream = TcpStream::connect(address).await.expect("a server");
        stream.set_nodelay(true).expect("a socket");
        Self {
            stream,
            request: format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes(),
            buffer: vec![0; READ_BYTES],
        }
    }

    /// Sends the request and reads the whole answer, which must be a success; gives back the length
    /// of its body.
    pub(crate) async fn get(&mut self) -> u64 {
        let sent = self.stream.write_all(&self.request).await;
        sent.expect("a connection that stays open");
        let mut filled = 0;
        let (head_bytes, length) = loop {
            let count = self.stream.read(&mut self.buffer[filled..]).await;
            let count = count.expect("an answer");
            assert!(count > 0, "the server closed the connection");
            filled += count;
            if let Some(head) = read_head(&self.buffer[..filled]) {
                break head;
            }
        };
        let mut left = length - (filled - head_bytes) as u64;
        while left > 0 {
            let count = self.stream.read(&mut self.buffer).await.expect("a body");
            assert!(count > 0, "the body broke off");
            left -= count as u64;
        }
        length
    }
}

/// The length of the head and of the body, once the head is complete.
fn read_head(bytes: &[u8]) -> Option<(usize, u64)> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&bytes[..end]).expect("a head in ASCII");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok())?
    });
    Some((end, length.expect("an answer of known length")))
}

/// Answers a second, over `connections` connections, for about `span`.
pub(crate) async fn answers_per_second(
    address: SocketAddr,
    path: &str,
    connections: usize,
    span: Duration,
) -> f64 {
    let mut open = Vec::with_capacity(connections);
    for _ in 0..connections {
        open.push(Connection::open(address, path).await);
    }
    let started = Instant::now();
    let running: Vec<_> = open
        .into_iter()
        .map(|mut connection| {
            tokio::spawn(async move {
                let mut answers = 0_u64;
                while started.elapsed() < span {
                    connection.get().await;
                    answers += 1;
                }
                answers
            })
        })
        .collect();
    let mut answers = 0;
    for one in running {
        answers += one.await.expect("a connection without trouble");
    }
    answers as f64 / started.elapsed().as_secs_f64()
}
