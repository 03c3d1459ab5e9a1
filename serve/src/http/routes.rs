//! What a caller finds behind the door: the Model Context Protocol, REST, and the gateway where
//! there is one.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request};
use axum::response::Response;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::body::{BufferedBody, CallerBudget};
use super::sessions::Sessions;
use super::{KEEP_ALIVE, MCP_PATH};
use crate::mcp::{MESSAGE_BYTES_MAX, Server};
use crate::{Gateway, ServeError, Toolset, openai, rest};

/// The routes of one caller.
pub(super) struct Routes {
    mcp: StreamableHttpService<Server, Sessions>,
    others: Router,
    /// For requests that are answered at once.
    places: Semaphore,
    /// The caller's share of the memory for bodies.
    budget: CallerBudget,
}

impl Routes {
    /// Routes for `toolset`, which answer as many requests at once as there are `places`, with
    /// bodies as far as `budget` has memory.
    pub(super) fn new(
        toolset: Toolset,
        gateway: Option<Gateway>,
        (places, budget): (usize, CallerBudget),
        stop: &CancellationToken,
    ) -> Result<Self, ServeError> {
        let mut config = StreamableHttpServerConfig::default();
        config.sse_keep_alive = Some(KEEP_ALIVE);
        config.json_response = true;
        // No stream is resumed: who leaves ends the call.
        config.sse_retry = None;
        config.cancellation_token = stop.clone();
        config.max_request_body_bytes = MESSAGE_BYTES_MAX;
        // The guard has checked both, by the same lists for every route.
        config.allowed_hosts = Vec::new();
        config.allowed_origins = Vec::new();
        let server = Server::new(toolset.clone())?;
        let server = move || Ok(server.for_another());
        let mut others = rest::routes(toolset.clone(), stop.clone());
        if let Some(gateway) = gateway {
            others = others.merge(openai::router(gateway, toolset, stop.clone()));
        }
        Ok(Self {
            mcp: StreamableHttpService::new(server, Arc::new(Sessions::new()), config),
            others: others.layer(DefaultBodyLimit::disable()),
            places: Semaphore::new(places),
            budget,
        })
    }

    /// Answers a request once there is a place for it, and all of it is here.
    pub(super) async fn answer(&self, request: Request) -> Response {
        let _place = self.places.acquire().await;
        let (head, body) = request.into_parts();
        let buffered = match self.budget.read(body).await {
            Ok(buffered) => buffered,
            Err(refusal) => return refusal,
        };
        let BufferedBody { body, taken: _held } = buffered;
        let request = Request::from_parts(head, body);
        if request.uri().path() == MCP_PATH {
            return self.mcp.handle(request).await.map(Body::new);
        }
        match self.others.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}
