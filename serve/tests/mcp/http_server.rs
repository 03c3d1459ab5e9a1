//! `Served`: a server of MCP over HTTP for one test, with a client that has a session on it.

use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tool_hub_serve::{Access, BearerToken, Caller, MCP_PATH, REST_PATH, Toolset, serve_http};

use crate::PATIENCE;
use crate::support::catalogue;

/// A server of the guest, and a client for it that has a session.
pub(crate) struct Served {
    pub(crate) url: String,
    pub(crate) token: BearerToken,
    pub(crate) client: Client,
    pub(crate) session: String,
    stop: oneshot::Sender<()>,
    server: JoinHandle<()>,
}

impl Served {
    pub(crate) async fn start(calls_max: u32) -> Self {
        Self::start_with(&[("ann", Toolset::new(catalogue(calls_max).await))]).await
    }

    /// Whatever is asked is asked by the first of `callers`. The token of the others is their
    /// name, four times.
    pub(crate) async fn start_with(callers: &[(&str, Toolset)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}{MCP_PATH}", listener.local_addr().unwrap());
        let token = BearerToken::random().unwrap();
        let mut access = Access::none();
        for (index, (name, toolset)) in callers.iter().enumerate() {
            let shown = match index {
                0 => token.clone(),
                _ => name.repeat(4).parse().unwrap(),
            };
            let name = name.parse().unwrap();
            let caller = Caller::new(name, shown.digest(), toolset.clone());
            access = access.with_caller(caller).unwrap();
        }
        let (stop, stopped) = oneshot::channel();
        let server = tokio::spawn(async move {
            let shutdown = async { stopped.await.unwrap() };
            serve_http(listener, access, None, shutdown).await.unwrap();
        });
        let mut served = Self {
            url,
            token,
            client: Client::new(),
            session: String::new(),
            stop,
            server,
        };
        served.session = served.open(&json!({})).await;
        served
    }

    /// Opens a session of a client with `capabilities`.
    pub(crate) async fn open(&self, capabilities: &Value) -> String {
        let initialize = json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25", "capabilities": capabilities,
                "clientInfo": {"name": "test", "version": "0"},
            },
        });
        let response = self.request(&initialize).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let session = response.headers()["mcp-session-id"].to_str().unwrap();
        let session = session.to_owned();
        let opened = events(&response.text().await.unwrap());
        assert_eq!(opened[0]["result"]["protocolVersion"], "2025-11-25");
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let response = self.within(&session, &initialized).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::ACCEPTED);
        session
    }

    /// A request of revision 2025-11-25 within a session.
    pub(crate) fn within(&self, session: &str, body: &Value) -> RequestBuilder {
        self.request(body)
            .header("mcp-protocol-version", "2025-11-25")
            .header("mcp-session-id", session)
    }

    /// The URL of something below `/v1`.
    pub(crate) fn rest(&self, path: &str) -> String {
        self.url.replace(MCP_PATH, &format!("{REST_PATH}{path}"))
    }

    /// A request as every client makes it, but for the token.
    pub(crate) fn anonymous(&self, body: &Value) -> RequestBuilder {
        self.client
            .post(&self.url)
            .header("accept", "application/json, text/event-stream")
            .json(body)
    }

    pub(crate) fn request(&self, body: &Value) -> RequestBuilder {
        self.anonymous(body).bearer_auth(self.token.expose())
    }

    /// The answer to `body` of a client of revision 2025-11-25.
    pub(crate) async fn answer(&self, body: &Value) -> Value {
        let request = self.within(&self.session, body);
        let response = request.timeout(PATIENCE).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let mut events = events(&response.text().await.unwrap());
        events.pop().unwrap()
    }

    /// The same, whatever its status and as it came.
    pub(crate) async fn answer_text(&self, body: &Value) -> String {
        let request = self.within(&self.session, body).timeout(PATIENCE);
        request.send().await.unwrap().text().await.unwrap()
    }

    pub(crate) async fn shut_down(self) {
        self.stop.send(()).unwrap();
        tokio::time::timeout(PATIENCE, self.server)
            .await
            .unwrap()
            .unwrap();
    }
}

/// The messages of a stream.
pub(crate) fn events(stream: &str) -> Vec<Value> {
    let data = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    data.filter_map(|data| serde_json::from_str(data).ok())
        .collect()
}

/// A request that calls a function of the guest.
pub(crate) fn call(function: &str, arguments: &Value) -> Value {
    let params = json!({"name": format!("guest__{function}"), "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
}
