//! The gateway's routes: a proxy to an OpenAI-compatible API; the proxy runs models' tool calls.
//! The calls of the toolbox's functions are run here, and the client gets the final answer. Other
//! requests that clients need are passed on unchanged; the rest of the API is refused, because the
//! endpoint's key is the operator's.

mod answer;
mod api;
mod available_tools;
mod calls;
mod chat;
mod enforced_stream;
mod events;
pub(crate) mod gateway;
mod grammar_enforcement;
mod headers;
mod hidden_turns;
mod lenient;
mod model;
mod refusal;
mod reply_memory;
mod request_body;
mod responses;
mod route;
mod state;
mod upstream;
mod usage;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, post};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::budget::Share;
use crate::cache::CallerCache;
use crate::toolset::Toolset;
use api::Api;
use chat::Chat;
use gateway::Gateway;
use hidden_turns::HiddenTurns;
use refusal::Refusal;
use responses::Responses;
use state::GatewayState;

pub use model::OpenAiModel;
pub use upstream::{EndpointKey, GatewayError};

/// The routes below `/v1`. Answers end when `stop` does, replies take `replies` at most, and turns
/// are kept in `cache`.
pub(crate) fn router(
    gateway: Gateway,
    toolset: Toolset,
    replies: Share,
    cache: CallerCache,
    stop: CancellationToken,
) -> Router {
    let shared = Arc::new(GatewayState {
        gateway,
        toolset,
        hidden_turns: HiddenTurns::on(cache),
        replies,
        stop,
    });
    Router::new()
        .route(
            "/v1/chat/completions",
            post(answered::<Chat>).fallback(forward),
        )
        .route(
            "/v1/responses",
            post(answered::<Responses>).fallback(forward),
        )
        .route("/v1/{*rest}", any(forward))
        .layer(from_fn_with_state(shared.clone(), noted))
        .with_state(shared)
}

/// Answers a request, and records it if there is an audit log.
async fn noted(State(shared): State<Arc<GatewayState>>, request: Request, next: Next) -> Response {
    let Some(auditor) = shared.toolset.auditor() else {
        return next.run(request).await;
    };
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let response = auditor.request(&method, &path, next.run(request)).await;
    response.unwrap_or_else(|_| Refusal::Unnoted.into_response())
}

/// Hands a request on, and its answer back.
async fn forward(
    State(shared): State<Arc<GatewayState>>,
    request: Request,
) -> Result<Response, Refusal> {
    shared.gateway.upstream.forward(request).await
}

/// Answers a request for text, with as many rounds as it takes.
async fn answered<A: Api>(
    State(shared): State<Arc<GatewayState>>,
    head: Parts,
    body: Body,
) -> Result<Response, Refusal> {
    let request = request_body::object(body).await?;
    let streams = request.get("stream").and_then(Value::as_bool) == Some(true);
    let api = A::open(request, &shared)?;
    if !api.offers_functions() && shared.gateway.enforcement(api.request()).is_none() {
        // There is nothing to do here.
        return shared
            .gateway
            .upstream
            .ask(&head, api.request())
            .await
            .map(upstream::into_response);
    }
    if streams {
        answer::streamed(shared, api, head).await
    } else {
        answer::whole(shared, api, head).await
    }
}
