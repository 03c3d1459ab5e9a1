//! Runs the toolbox in front of an OpenAI-compatible endpoint: it runs a model's calls of the
//! toolbox's functions, and the client gets the final answer. Other requests that clients need are
//! passed on unchanged; the rest of the API is refused, because the endpoint's key is the
//! operator's.

mod calls;
mod chat;
mod events;
mod headers;
mod holding;
mod kept;
mod memory;
mod model;
mod offered;
mod refusal;
mod responses;
mod rounds;
mod route;
mod upstream;
mod usage;

use std::num::NonZeroU32;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, post};
use reqwest::Url;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use tool_hub_agent::Backend;

use crate::Toolset;
use crate::budget::Share;
use crate::cache::CallerCache;
use crate::mcp::MESSAGE_BYTES_MAX;
use chat::Chat;
use holding::Holding;
use memory::Memory;
use refusal::Refusal;
use responses::Responses;
use rounds::Api;
use upstream::Upstream;

pub use model::OpenAiModel;
pub use upstream::{EndpointKey, GatewayError};

/// How often a model is asked for one answer, where nobody says otherwise.
const ROUNDS_MAX: u32 = 8;

/// An endpoint whose models get the toolbox's functions. Cloning is cheap.
#[derive(Clone)]
pub struct Gateway {
    upstream: Upstream,
    rounds_max: u32,
    writing: Writing,
    holding: Option<Holding>,
}

/// How the toolbox's functions are written for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writing {
    /// As they are.
    Plain,
    /// So that the model can write nothing but arguments of the right shape.
    Strict,
}

impl Gateway {
    /// Before the endpoint at `url`, which is what clients call its base URL. One without a path
    /// gets the usual one, `/v1`.
    ///
    /// # Errors
    /// When `url` is no http or https URL, or holds a user, a query or a fragment; when the
    /// system has no certificates to trust.
    pub fn new(url: Url) -> Result<Self, GatewayError> {
        Ok(Self {
            upstream: Upstream::new(url)?,
            rounds_max: ROUNDS_MAX,
            writing: Writing::Plain,
            holding: None,
        })
    }

    /// Shows `key` to the endpoint. Without one it is asked anonymously: what clients show is for
    /// this server.
    #[must_use]
    pub fn with_key(mut self, key: EndpointKey) -> Self {
        self.upstream.show(key);
        self
    }

    /// Asks the model at most `rounds` times for one answer, 8 unless told otherwise. In the last
    /// of several it may call nothing, so that it has to answer.
    #[must_use]
    pub fn with_rounds_max(mut self, rounds: NonZeroU32) -> Self {
        self.rounds_max = rounds.get();
        self
    }

    /// Writes the functions with `"strict": true`, for endpoints that hold a model to it.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.writing = Writing::Strict;
        self
    }

    /// Holds models to calls by a grammar, as `backend` takes it, for endpoints that know no tools:
    /// `tools` and every `tool_choice` of the Chat Completions API work before them, one call at a
    /// time. What a model writes is shown when it is whole.
    #[must_use]
    pub fn held_by(mut self, backend: Backend) -> Self {
        self.holding = Some(Holding::new(backend));
        self
    }
}

impl Gateway {
    /// What holds the model in such a request, where anything has to.
    fn holding(&self, request: &Map<String, Value>) -> Option<&Holding> {
        self.holding.as_ref().filter(|_| Holding::concerns(request))
    }
}

/// What every request needs.
pub(crate) struct Shared {
    gateway: Gateway,
    toolset: Toolset,
    memory: Memory,
    /// The caller's share of the memory, for replies.
    replies: Share,
    /// Ends answers that are under way.
    stop: CancellationToken,
}

/// The routes below `/v1`. Answers end when `stop` does, replies take `replies` at most, and turns
/// are kept in `cache`.
pub(crate) fn router(
    gateway: Gateway,
    toolset: Toolset,
    replies: Share,
    cache: CallerCache,
    stop: CancellationToken,
) -> Router {
    let shared = Arc::new(Shared {
        gateway,
        toolset,
        memory: Memory::on(cache),
        replies,
        stop,
    });
    Router::new()
        .route(
            "/v1/chat/completions",
            post(answer::<Chat>).fallback(forward),
        )
        .route("/v1/responses", post(answer::<Responses>).fallback(forward))
        .route("/v1/{*rest}", any(forward))
        .layer(from_fn_with_state(shared.clone(), noted))
        .with_state(shared)
}

/// Answers a request, and records it if there is an audit log.
async fn noted(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let Some(auditor) = shared.toolset.auditor() else {
        return next.run(request).await;
    };
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let came = auditor.request(&method, &path, next.run(request)).await;
    came.unwrap_or_else(|_| Refusal::Unnoted.into_response())
}

/// Hands a request on, and its answer back.
async fn forward(State(shared): State<Arc<Shared>>, request: Request) -> Result<Response, Refusal> {
    shared.gateway.upstream.forward(request).await
}

/// Answers a request for text, with as many rounds as it takes.
async fn answer<A: Api>(
    State(shared): State<Arc<Shared>>,
    head: Parts,
    body: Body,
) -> Result<Response, Refusal> {
    let request = read(body).await?;
    let streams = request.get("stream").and_then(Value::as_bool) == Some(true);
    let api = A::open(request, &shared)?;
    if !api.offers_functions() && shared.gateway.holding(api.request()).is_none() {
        // There is nothing to do here.
        return shared
            .gateway
            .upstream
            .ask(&head, api.request())
            .await
            .map(upstream::into_response);
    }
    if streams {
        rounds::streamed(shared, api, head).await
    } else {
        rounds::whole(shared, api, head).await
    }
}

async fn read(body: Body) -> Result<Map<String, Value>, Refusal> {
    serde_json::from_slice(&bytes(body).await?)
        .map_err(|error| Refusal::request(format!("the body is no JSON object: {error}"), None))
}

/// Reads a body. Its length was checked before it came here.
async fn bytes(body: Body) -> Result<Bytes, Refusal> {
    axum::body::to_bytes(body, MESSAGE_BYTES_MAX)
        .await
        .map_err(|error| Refusal::request(error.to_string(), None))
}
