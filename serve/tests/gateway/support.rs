//! A scripted endpoint, and the gateway before it with the functions of one real tool.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Json, Response};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tool_hub_host::authoring::derive_manifest;
use tool_hub_host::{Approved, Host, HostConfig};
use tool_hub_manifest::{Grants, Package, Verified};
use tool_hub_serve::{
    Access, Audit, BearerToken, Caller, Catalogue, Gateway, Offer, Toolset, serve_http,
};

use crate::PATIENCE;

/// The functions of `guest.wat`, the tool of the MCP tests.
async fn toolset(calls_max: u32) -> Toolset {
    let component = wat::parse_str(include_str!("../mcp/guest.wat")).unwrap();
    let manifest = derive_manifest(&component, "guest".parse().unwrap()).unwrap();
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
        interpreter: None,
        sbom: None,
    };
    let approved =
        Approved::from_lock_record(Verified::check(package).unwrap(), Grants::none()).unwrap();
    let mut config = HostConfig::new();
    config.calls_in_flight_max = calls_max;
    let tool = Host::new(config).unwrap().load(approved).await.unwrap();
    let offers = Offer::all(&"guest".parse().unwrap(), &tool).unwrap();
    Toolset::new(Catalogue::new(offers).unwrap())
}

/// What an endpoint answers.
#[derive(Clone)]
pub(crate) enum Reply {
    Whole(Value),
    /// Events, and whether `[DONE]` follows.
    Stream(Vec<Value>, bool),
    /// A status with headers and a body.
    Other(u16, &'static [(&'static str, &'static str)], String),
    /// Nothing, until whoever asked has left.
    Nothing,
}

/// What an endpoint was asked.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

#[derive(Default)]
struct Script {
    replies: Mutex<VecDeque<Reply>>,
    asked: Mutex<Vec<Asked>>,
    was_left: AtomicBool,
}

/// The gateway and its endpoint.
pub(crate) struct Served {
    pub(crate) url: String,
    pub(crate) client: reqwest::Client,
    pub(crate) token: BearerToken,
    script: Arc<Script>,
}

impl Served {
    pub(crate) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::start_with(4, replies, |gateway| gateway).await
    }

    pub(crate) async fn start_with(
        calls_max: u32,
        replies: impl IntoIterator<Item = Reply>,
        set_up: impl FnOnce(Gateway) -> Gateway,
    ) -> Self {
        Self::start_on(toolset(calls_max).await, replies, set_up).await
    }

    /// Like `start`; `log` records what the caller `test` does.
    pub(crate) async fn start_audited(
        log: Arc<dyn Audit>,
        replies: impl IntoIterator<Item = Reply>,
    ) -> Self {
        let toolset = toolset(4).await.audited(log, "test".parse().unwrap());
        Self::start_on(toolset, replies, |gateway| gateway).await
    }

    async fn start_on(
        toolset: Toolset,
        replies: impl IntoIterator<Item = Reply>,
        set_up: impl FnOnce(Gateway) -> Gateway,
    ) -> Self {
        let script = Arc::new(Script {
            replies: Mutex::new(replies.into_iter().collect()),
            ..Script::default()
        });
        let endpoint = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", endpoint.local_addr().unwrap());
        let router = Router::new()
            .fallback(reply)
            .with_state(Arc::clone(&script));
        tokio::spawn(async { axum::serve(endpoint, router).await });
        let gateway = Gateway::new(base.parse().unwrap()).unwrap();
        let gateway = set_up(gateway.with_rounds_max(NonZeroU32::new(3).unwrap()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let token = BearerToken::random().unwrap();
        let caller = Caller::new("test".parse().unwrap(), token.digest(), toolset);
        let access = Access::none().with_caller(caller).unwrap();
        let serving = serve_http(listener, access, Some(gateway), std::future::pending());
        tokio::spawn(serving);
        Self {
            url,
            client: reqwest::Client::new(),
            token,
            script,
        }
    }

    /// Scripts what the endpoint answers next.
    pub(crate) fn then(&self, replies: impl IntoIterator<Item = Reply>) {
        self.script.replies.lock().unwrap().extend(replies);
    }

    /// What the endpoint was asked since the last look.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        assert!(
            self.script.replies.lock().unwrap().is_empty(),
            "it was asked too little"
        );
        std::mem::take(&mut self.script.asked.lock().unwrap())
    }

    /// Whether whoever asked for nothing has left.
    pub(crate) fn was_left(&self) -> bool {
        self.script.was_left.load(Ordering::SeqCst)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> RequestBuilder {
        let request = self.client.post(format!("{}{path}", self.url)).json(body);
        request.bearer_auth(self.token.expose()).timeout(PATIENCE)
    }

    pub(crate) async fn answer(&self, path: &str, body: &Value) -> Value {
        let response = self.post(path, body).send().await.unwrap();
        let status = response.status();
        let answer: Value = response.json().await.unwrap();
        assert_eq!(status, StatusCode::OK, "{answer}");
        answer
    }

    pub(crate) async fn chat(&self, body: &Value) -> Value {
        self.answer("/v1/chat/completions", body).await
    }

    pub(crate) async fn respond(&self, body: &Value) -> Value {
        self.answer("/v1/responses", body).await
    }

    /// The data of the events of an answer.
    pub(crate) async fn events(&self, path: &str, body: &Value) -> Vec<Value> {
        let response = self.post(path, body).send().await.unwrap();
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let text = response.text().await.unwrap();
        let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
        data.map(|data| serde_json::from_str(data).unwrap_or_else(|_| data.into()))
            .collect()
    }
}

/// Records, when it is dropped, that the client has left.
struct Leaving(Arc<Script>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.was_left.store(true, Ordering::SeqCst);
    }
}

async fn reply(State(script): State<Arc<Script>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let path = parts.uri.path_and_query().unwrap().to_string();
    script.asked.lock().unwrap().push(Asked {
        path,
        headers: parts.headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    });
    let next = script.replies.lock().unwrap().pop_front();
    match next.expect("it was asked too much") {
        Reply::Whole(reply) => Json(reply).into_response(),
        Reply::Stream(events, is_done) => {
            let mut text: String = events
                .iter()
                .map(|event| format!("data: {event}\n\n"))
                .collect();
            if is_done {
                text.push_str("data: [DONE]\n\n");
            }
            ([("content-type", "text/event-stream; charset=utf-8")], text).into_response()
        }
        Reply::Other(status, headers, body) => {
            let mut response = Response::new(Body::from(body));
            *response.status_mut() = StatusCode::from_u16(status).unwrap();
            for (name, value) in headers {
                response.headers_mut().insert(*name, value.parse().unwrap());
            }
            response
        }
        Reply::Nothing => {
            let _leaving = Leaving(script);
            std::future::pending().await
        }
    }
}

/// A question for either API.
pub(crate) fn question(more: &Value) -> Value {
    let mut question = json!({
        "model": "m", "seed": 7,
        "messages": [{"role": "user", "content": "20 + 22?"}],
        "input": "20 + 22?",
    });
    for (name, value) in more.as_object().unwrap() {
        question[name] = value.clone();
    }
    question
}

/// The definition of a function of the client's own.
pub(crate) fn own(name: &str) -> Value {
    json!({"type": "function", "function": {
        "name": name, "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    }})
}
