//! Over HTTP: who is let in, both eras, and clients that leave.

use std::time::{Duration, Instant};

use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tool_hub_serve::{Access, BearerToken, MCP_PATH, serve_http};

use crate::support::catalogue;
use crate::{PATIENCE, check, text};

/// A server of the guest, and a client for it.
struct Served {
    url: String,
    token: BearerToken,
    client: Client,
    stop: oneshot::Sender<()>,
    server: JoinHandle<()>,
}

impl Served {
    async fn start(calls_max: u32) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}{MCP_PATH}", listener.local_addr().unwrap());
        let token = BearerToken::random().unwrap();
        let access = Access::new(token.clone());
        let (stop, stopped) = oneshot::channel();
        let catalogue = catalogue(calls_max).await;
        let server = tokio::spawn(async move {
            let shutdown = async { stopped.await.unwrap() };
            serve_http(listener, catalogue.into(), access, shutdown)
                .await
                .unwrap();
        });
        Self {
            url,
            token,
            client: Client::new(),
            stop,
            server,
        }
    }

    /// A request as every client makes it, but for the token.
    fn anonymous(&self, body: &Value) -> RequestBuilder {
        self.client
            .post(&self.url)
            .header("accept", "application/json, text/event-stream")
            .json(body)
    }

    fn request(&self, body: &Value) -> RequestBuilder {
        self.anonymous(body).bearer_auth(self.token.expose())
    }

    /// The answer to `body` of a client of revision 2025-11-25.
    async fn answer(&self, body: &Value) -> Value {
        let request = self.request(body);
        let request = request.header("mcp-protocol-version", "2025-11-25");
        let response = request.timeout(PATIENCE).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        response.json().await.unwrap()
    }

    async fn shut_down(self) {
        self.stop.send(()).unwrap();
        tokio::time::timeout(PATIENCE, self.server)
            .await
            .unwrap()
            .unwrap();
    }
}

fn call(function: &str, arguments: &Value) -> Value {
    let params = json!({"name": format!("guest__{function}"), "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
}

fn sum() -> Value {
    call("add", &json!({"a": 20, "b": 22}))
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_both_eras_are_answered() {
    let served = Served::start(4).await;
    let opened = served
        .answer(&json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "test", "version": "0"},
            },
        }))
        .await;
    assert_eq!(opened["result"]["protocolVersion"], "2025-11-25");
    let answered = served.answer(&sum()).await;
    check(&answered["result"], &json!({"content": text("42")}));
    // Without a session and without a word before it.
    let mut alone = sum();
    alone["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let response = served
        .request(&alone)
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "guest__add")
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let answered: Value = response.json().await.unwrap();
    check(
        &answered["result"],
        &json!({"content": text("42"), "resultType": "complete"}),
    );
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_is_streamed() {
    let served = Served::start(4).await;
    let mut work = call("work", &json!({}));
    work["params"]["_meta"] = json!({"progressToken": "p"});
    let response = served
        .request(&work)
        .header("mcp-protocol-version", "2025-11-25")
        .send()
        .await
        .unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let stream = response.text().await.unwrap();
    let events = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    let events: Vec<Value> = events
        .filter_map(|data| serde_json::from_str(data).ok())
        .collect();
    let [progress, result] = &events[..] else {
        panic!("{stream}");
    };
    assert_eq!(progress["method"], "notifications/progress");
    assert_eq!(progress["params"]["message"], "halfway");
    assert_eq!(result["result"]["isError"], false);
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_ask_is_not_answered() {
    let served = Served::start(4).await;
    let sum = sum();
    let cases: [(RequestBuilder, StatusCode); 7] = [
        (served.anonymous(&sum), StatusCode::UNAUTHORIZED),
        (
            served.anonymous(&sum).bearer_auth("0123456789abcdef"),
            StatusCode::UNAUTHORIZED,
        ),
        (
            served.request(&sum).header("host", "evil.example"),
            StatusCode::FORBIDDEN,
        ),
        (
            served
                .request(&sum)
                .header("origin", "https://evil.example"),
            StatusCode::FORBIDDEN,
        ),
        (
            served.request(&sum).header("origin", "null"),
            StatusCode::FORBIDDEN,
        ),
        (
            served
                .client
                .get(&served.url)
                .bearer_auth(served.token.expose()),
            StatusCode::METHOD_NOT_ALLOWED,
        ),
        (
            served.client.get(served.url.replace(MCP_PATH, "/")),
            StatusCode::UNAUTHORIZED,
        ),
    ];
    for (request, expect) in cases {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), expect);
        let challenge = response.headers().contains_key("www-authenticate");
        assert_eq!(challenge, expect == StatusCode::UNAUTHORIZED);
    }
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_message_is_refused_and_the_server_lives_on() {
    let served = Served::start(4).await;
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#,
        "x".repeat(21 << 20)
    );
    for (body, is_too_long) in [("{", false), ("[]", false), (&deep, false), (&long, true)] {
        // The connection of a body that nobody reads to its end is of no further use.
        let alone = Client::new().post(&served.url).body(body.to_owned());
        let response = alone
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .bearer_auth(served.token.expose())
            .timeout(PATIENCE)
            .send()
            .await
            .unwrap();
        let status = response.status();
        assert!(status.is_client_error(), "{status} for {body:.40}");
        assert_eq!(status == StatusCode::PAYLOAD_TOO_LARGE, is_too_long);
    }
    let answered = served.answer(&sum()).await;
    check(&answered["result"], &json!({"content": text("42")}));
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_ends_when_its_client_leaves() {
    // One call at once: were the endless one not stopped, no other would be answered.
    let served = Served::start(1).await;
    for era in ["2025-11-25", "2026-07-28"] {
        let mut times = Vec::new();
        for _ in 0..3 {
            times.push(after_leaving(&served, era).await);
        }
        // Now and then the machine has something else to do.
        let least = times.iter().min().unwrap();
        assert!(*least < Duration::from_millis(200), "{era}: {times:?}");
    }
    served.shut_down().await;
}

/// How long another call takes after the client of an endless one has left.
async fn after_leaving(served: &Served, era: &str) -> Duration {
    let mut spin = call("spin", &json!({}));
    spin["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": era,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let endless = served
        .request(&spin)
        .header("mcp-protocol-version", era)
        .header("mcp-method", "tools/call")
        .header("mcp-name", "guest__spin")
        .send();
    let left = tokio::time::timeout(Duration::from_millis(300), endless).await;
    assert!(left.is_err(), "it is endless");
    let begun = Instant::now();
    let answered = served.answer(&sum()).await;
    check(&answered["result"], &json!({"content": text("42")}));
    begun.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_under_way_do_not_hold_a_shutdown_up() {
    let served = Served::start(4).await;
    let address = served.url["http://".len()..].trim_end_matches(MCP_PATH);
    let mut half = TcpStream::connect(address).await.unwrap();
    half.write_all(b"POST /mcp HTTP/1.1\r\nhost: loc")
        .await
        .unwrap();
    let endless = served.request(&call("spin", &json!({})));
    let endless = endless.header("mcp-protocol-version", "2025-11-25");
    let endless = tokio::spawn(async move { endless.send().await });
    tokio::time::sleep(Duration::from_millis(200)).await;
    let begun = Instant::now();
    served.shut_down().await;
    assert!(
        begun.elapsed() < Duration::from_secs(8),
        "{:?}",
        begun.elapsed()
    );
    endless.abort();
}
