//! What a caller finds behind the door: the Model Context Protocol, REST, and the gateway where
//! there is one.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::body::{BUDGET_TIME, BufferedBody, CallerBudget, MCP_VALUE_BYTES, VALUE_BYTES};
use super::connections::Arriving;
use super::held::until_end_of;
use super::problem::Problem;
use super::sessions::Sessions;
use super::{KEEP_ALIVE, MCP_PATH};
use crate::budget;
use crate::mcp::{MESSAGE_BYTES_MAX, Server};
use crate::{Gateway, ServeError, Toolset, openai, rest};

/// The routes of one caller.
pub(super) struct Routes {
    mcp: StreamableHttpService<Server, Sessions>,
    others: Router,
    /// Connections on which the caller's requests are being answered, or wait for a place.
    connections: Arc<Semaphore>,
    /// For requests that are answered at once.
    places: Arc<Semaphore>,
    bodies: CallerBudget,
}

/// One caller's limits on what all callers share.
pub(super) struct Portion {
    /// Connections that are not closed for others.
    pub(super) connections: usize,
    /// Requests that are answered at once.
    pub(super) places: usize,
    /// Memory for what clients send.
    pub(super) bodies: CallerBudget,
    /// Memory for what the gateway's endpoint answers.
    pub(super) replies: budget::Share,
}

impl Routes {
    /// Routes for `toolset`, which take no more than `portion`.
    pub(super) fn new(
        toolset: Toolset,
        gateway: Option<Gateway>,
        portion: Portion,
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
            others = others.merge(openai::router(
                gateway,
                toolset,
                portion.replies,
                stop.clone(),
            ));
        }
        Ok(Self {
            mcp: StreamableHttpService::new(server, Arc::new(Sessions::new()), config),
            others: others.layer(DefaultBodyLimit::disable()),
            connections: Arc::new(Semaphore::new(portion.connections)),
            places: Arc::new(Semaphore::new(portion.places)),
            bodies: portion.bodies,
        })
    }

    /// Answers a request once all of it is here, and there is a place for it. Its place, its
    /// connection and the memory of its body are its own until the answer has been sent.
    pub(super) async fn answer(&self, request: Request, arriving: Arriving) -> Response {
        let (head, body) = request.into_parts();
        let is_mcp = head.uri.path() == MCP_PATH;
        let value_bytes = if is_mcp { MCP_VALUE_BYTES } else { VALUE_BYTES };
        let whole = match self.bodies.read(body, value_bytes).await {
            Ok(whole) => whole,
            Err(refusal) => return refusal,
        };
        let active = arriving.complete().await;
        // A stream on which a session waits for news does no work.
        let is_idle = is_mcp && head.method == Method::GET;
        let Some(admitted) = self.admitted(is_idle).await else {
            let detail = "the server is busy with requests of this caller; try again";
            return Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).and_close();
        };
        let BufferedBody { body, taken } = whole;
        let response = self.routed(Request::from_parts(head, body)).await;
        response.map(|body| until_end_of(body, (active, admitted, taken)))
    }

    /// The connection and the place of a request; nothing where its caller has all that it may
    /// have, at once or when it has waited for as long as it may.
    async fn admitted(&self, is_idle: bool) -> Option<Admitted> {
        let connection = self.connections.clone().try_acquire_owned().ok()?;
        let place = match is_idle {
            true => None,
            false => {
                let place = self.places.clone().acquire_owned();
                Some(timeout(BUDGET_TIME, place).await.ok()?.ok()?)
            }
        };
        Some(Admitted {
            _connection: connection,
            _place: place,
        })
    }

    async fn routed(&self, request: Request) -> Response {
        if request.uri().path() == MCP_PATH {
            return self.mcp.handle(request).await.map(Body::new);
        }
        match self.others.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}

/// A request that is answered, out of those that its caller may have.
struct Admitted {
    _connection: OwnedSemaphorePermit,
    _place: Option<OwnedSemaphorePermit>,
}
