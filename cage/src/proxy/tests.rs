//! Tests of the proxy by bytes as programs may write them: what is not granted reaches nobody.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc};
use tool_hub_manifest::Methods;

use super::*;

/// Two ends of a connection.
fn pair() -> (TcpStream, TcpStream) {
    let listening = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = TcpStream::connect(listening.local_addr().unwrap()).unwrap();
    (client, listening.accept().unwrap().0)
}

/// Sends `text` through a proxy with `network`, and returns all that it answers.
async fn say(network: Network, text: String) -> String {
    let (mut client, ours) = pair();
    let (send, arrivals) = mpsc::unbounded_channel();
    let served = tokio::spawn(serve(Arc::new(network), arrivals));
    let place = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
    let arrival = Arrival {
        stream: ours,
        place,
    };
    assert!(send.send(arrival).is_ok());
    let answer = tokio::task::spawn_blocking(move || {
        client
            .set_read_timeout(Some(Duration::from_secs(5)))
            .unwrap();
        client.write_all(text.as_bytes()).unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        let _ = client.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    });
    let answer = answer.await.unwrap();
    drop(send);
    served.await.unwrap();
    answer
}

/// A server that answers one connection, and then tells what it was sent.
fn server() -> (u16, JoinHandle<String>) {
    let listening = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listening.local_addr().unwrap().port();
    let heard = std::thread::spawn(move || {
        let (mut stream, _) = listening.accept().unwrap();
        stream
            .set_read_timeout(Some(Duration::from_millis(500)))
            .unwrap();
        let mut heard = Vec::new();
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = stream.read(&mut buffer) {
            heard.extend_from_slice(&buffer[..read]);
            if heard.windows(4).any(|it| it == b"\r\n\r\n") {
                break;
            }
        }
        let answer = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello";
        let _ = stream.write_all(answer.as_bytes());
        while let Ok(read @ 1..) = stream.read(&mut buffer) {
            heard.extend_from_slice(&buffer[..read]);
        }
        String::from_utf8_lossy(&heard).into_owned()
    });
    (port, heard)
}

fn granted(origin: &str, methods: Methods) -> Network {
    [(origin.parse().unwrap(), methods)].into_iter().collect()
}

fn only(method: &str) -> Methods {
    Methods::Only([method.parse().unwrap()].into())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_granted_request_is_written_anew() {
    let (port, heard) = server();
    let network = granted(&format!("http://localhost:{port}"), only("GET"));
    let text = format!(
        "GET http://LOCALHOST:{port}/a?b=c HTTP/1.1\r\nHost: other.example\r\nHost: b.example\r\n\
         Proxy-Authorization: Basic eDp5\r\nConnection: X-Private, close\r\nX-Private: 1\r\n\
         Accept: */*\r\n\r\n"
    );
    let answer = say(network, text).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.ends_with("hello"), "{answer}");
    let heard = heard.join().unwrap();
    assert!(heard.starts_with("GET /a?b=c HTTP/1.1\r\n"), "{heard}");
    let lower = heard.to_ascii_lowercase();
    let host = format!("host: localhost:{port}\r\n");
    assert!(lower.contains(&host) && lower.contains("accept: */*"));
    for absent in ["other.example", "b.example", "proxy", "x-private"] {
        assert!(!lower.contains(absent), "{absent} in {heard}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tunnel_leads_to_a_granted_origin() {
    for scheme in ["http", "https"] {
        let (port, heard) = server();
        let network = granted(&format!("{scheme}://localhost:{port}"), Methods::Any);
        let text = format!("CONNECT localhost:{port} HTTP/1.1\r\nHost: x\r\n\r\nany bytes\r\n\r\n");
        let answer = say(network, text).await;
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.ends_with("hello"), "{answer}");
        assert_eq!(heard.join().unwrap(), "any bytes\r\n\r\n");
    }
}

/// Nothing reaches the canary, which listens where a mistake would lead.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_granted_reaches_nobody() {
    let canary = TcpListener::bind("127.0.0.1:0").unwrap();
    canary.set_nonblocking(true).unwrap();
    let port = canary.local_addr().unwrap().port();
    let other = port ^ 1;
    // Granted are another port by the same name, another name at the same port, and GET only.
    let network = || {
        let mut network = granted(&format!("http://localhost:{other}"), Methods::Any);
        let named = format!("https://granted.example:{port}").parse().unwrap();
        network.insert(named, Methods::Any);
        network
    };
    let connects = [
        format!("localhost:{port}"),
        format!("127.0.0.1:{port}"),
        format!("[::1]:{port}"),
        format!("[::ffff:127.0.0.1]:{port}"),
        format!("2130706433:{port}"),
        format!("0x7f.1:{port}"),
        format!("localhost.:{port}"),
        format!("granted.example@localhost:{port}"),
        format!("localhost:{port}@localhost:{other}"),
        format!("localhost:{other}:{port}"),
        format!("127.0.0.1:{other}"),
        "localhost".into(),
        "granted.example:22".into(),
    ];
    for authority in connects {
        let text = format!("CONNECT {authority} HTTP/1.1\r\nHost: localhost:{other}\r\n\r\n");
        let answer = say(network(), text).await;
        let refused = ["HTTP/1.1 403", "HTTP/1.1 400"];
        assert!(
            refused.iter().any(|it| answer.starts_with(it)),
            "{authority}: {answer}"
        );
    }
    let forms = [
        format!("http://localhost:{port}/"),
        format!("http://127.0.0.1:{port}/"),
        format!("http://granted.example:{port}/"),
        format!("http://localhost:{other}@localhost:{port}/"),
        format!("https://granted.example:{port}/"),
        format!("ftp://localhost:{other}/"),
        "/".into(),
        "*".into(),
    ];
    for form in forms {
        let text = format!("GET {form} HTTP/1.1\r\nHost: localhost:{other}\r\n\r\n");
        let answer = say(network(), text).await;
        let refused = ["HTTP/1.1 403", "HTTP/1.1 400"];
        assert!(
            refused.iter().any(|it| answer.starts_with(it)),
            "{form}: {answer}"
        );
    }
    assert!(canary.accept().is_err(), "somebody connected");
}

#[tokio::test(flavor = "multi_thread")]
async fn methods_hold_over_plain_http() {
    let canary = TcpListener::bind("127.0.0.1:0").unwrap();
    canary.set_nonblocking(true).unwrap();
    let port = canary.local_addr().unwrap().port();
    let network = || granted(&format!("http://localhost:{port}"), only("GET"));
    let url = format!("http://localhost:{port}/");
    for text in [
        format!("DELETE {url} HTTP/1.1\r\nHost: x\r\n\r\n"),
        format!("GET {url} HTTP/1.1\r\nHost: x\r\nX-HTTP-Method-Override: DELETE\r\n\r\n"),
        format!("GET {url} HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"),
        format!("CONNECT localhost:{port} HTTP/1.1\r\nHost: x\r\n\r\nDELETE / HTTP/1.1\r\n\r\n"),
    ] {
        let answer = say(network(), text.clone()).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{text}: {answer}");
        assert!(answer.contains("is not granted"), "{answer}");
    }
    assert!(canary.accept().is_err(), "somebody connected");
}

/// Two ways to tell where a request ends hide a second one behind the first.
#[tokio::test(flavor = "multi_thread")]
async fn no_request_is_hidden_in_another() {
    let hidden = "DELETE /hidden HTTP/1.1\r\nHost: x\r\n\r\n";
    let length = hidden.len();
    for head in [
        format!("Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n"),
        format!("Content-Length: 0\r\nContent-Length: {length}\r\n"),
        format!("Content-Length: 0, {length}\r\n"),
        format!("Transfer-Encoding: xchunked\r\nContent-Length: {length}\r\n"),
        "Transfer-Encoding: chunked, identity\r\n".into(),
        format!("Content-Length: +{length}\r\n"),
        format!("Content-Length : {length}\r\n"),
        format!("X: a\n\nContent-Length: {length}\r\n"),
    ] {
        let canary = TcpListener::bind("127.0.0.1:0").unwrap();
        canary.set_nonblocking(true).unwrap();
        let port = canary.local_addr().unwrap().port();
        let network = granted(&format!("http://localhost:{port}"), only("POST"));
        let text = format!(
            "POST http://localhost:{port}/ HTTP/1.1\r\nHost: x\r\n{head}\r\n0\r\n\r\n{hidden}"
        );
        let answer = say(network, text).await;
        assert!(!answer.starts_with("HTTP/1.1 2"), "{head}: {answer}");
        if let Ok((mut stream, _)) = canary.accept() {
            stream.set_nonblocking(false).unwrap();
            stream
                .set_read_timeout(Some(Duration::from_secs(1)))
                .unwrap();
            let mut heard = Vec::new();
            let _ = stream.read_to_end(&mut heard);
            let heard = String::from_utf8_lossy(&heard);
            assert!(!heard.contains("hidden"), "{head}: {heard}");
        }
    }
}
