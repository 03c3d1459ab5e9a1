//! The routes of one caller: MCP, REST and gateway, with limits on concurrent requests and memory.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::body::{self, BUDGET_TIME, BufferedBody, MCP_COST, PLAIN_COST};
use super::caller::Caller;
use super::connections::IncompleteRequest;
use super::problem::Problem;
use super::response_body::hold_until_sent;
use super::sessions::Sessions;
use crate::budget::Share;
use crate::cache::CallerCache;
use crate::error::ServeError;
use crate::mcp::server::Server;
use crate::message_limits::{KEEP_ALIVE, MESSAGE_BYTES_MAX};
use crate::openai::gateway::Gateway;
use crate::paths::MCP_PATH;
use crate::{openai, rest};

/// The length, in bytes, above which requests are answered on the thread for long ones.
const LONG_BYTES: usize = 256 << 10;

/// The routes of one caller.
pub(super) struct Routes {
    mcp: StreamableHttpService<Server, Sessions>,
    others: Router,
    /// Connections on which the caller's requests are being answered, or wait for a place.
    connections: Arc<Semaphore>,
    /// For requests that are answered at once.
    places: Arc<Semaphore>,
    memory: Share,
    long: Handle,
}

/// One caller's limits on what all callers share.
pub(super) struct CallerLimits {
    /// Connections that are not closed for others.
    pub(super) connections: usize,
    /// Requests that are answered at once.
    pub(super) places: usize,
    /// Memory for what clients send, for what the gateway's endpoint answers, and for answers.
    pub(super) memory: Share,
    /// The cache of long answers and of turns.
    pub(super) cache: CallerCache,
    /// The thread that answers long requests.
    pub(super) long: Handle,
}

impl Routes {
    /// Routes for `caller`, which take no more than `portion`.
    pub(super) fn new(
        caller: &Caller,
        gateway: Option<Gateway>,
        portion: CallerLimits,
        stop: &CancellationToken,
    ) -> Result<Self, ServeError> {
        let toolset = caller.toolset.clone();
        let toolset = toolset.for_caller(&caller.name, portion.cache.clone());
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
                portion.memory.clone(),
                portion.cache,
                stop.clone(),
            ));
        }
        Ok(Self {
            mcp: StreamableHttpService::new(server, Arc::new(Sessions::new()), config),
            others: others.layer(DefaultBodyLimit::disable()),
            connections: Arc::new(Semaphore::new(portion.connections)),
            places: Arc::new(Semaphore::new(portion.places)),
            memory: portion.memory,
            long: portion.long,
        })
    }

    /// Answers a request once all of it is here, and there is a place for it. Its place, its
    /// connection and the memory of its body are its own until the answer has been sent.
    pub(super) async fn answer(&self, request: Request, arriving: IncompleteRequest) -> Response {
        let (head, body) = request.into_parts();
        let is_mcp = head.uri.path() == MCP_PATH;
        let cost = if is_mcp { MCP_COST } else { PLAIN_COST };
        let whole = match body::read(body, cost, &self.memory).await {
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
        let BufferedBody { bytes, mut held } = whole;
        let is_long = bytes.len() > LONG_BYTES;
        let routed = self.routed(Request::from_parts(head, Body::from(bytes)));
        let response = match is_long {
            true => run_on(&self.long, routed).await,
            false => routed.await,
        };
        if let Some(length) = response.body().size_hint().exact() {
            // What has been answered is not taken back, even if there is no room for it.
            let _ = held.hold(usize::try_from(length).unwrap_or(usize::MAX));
        }
        response.map(|body| hold_until_sent(body, (active, admitted, held)))
    }

    /// The connection and the place of a request. `None` if its caller has no further connection,
    /// or if no place became free in time.
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

    fn routed(&self, request: Request) -> impl Future<Output = Response> + Send + 'static {
        let (mcp, others) = (self.mcp.clone(), self.others.clone());
        async move {
            if request.uri().path() == MCP_PATH {
                return mcp.handle(request).await.map(Body::new);
            }
            match others.oneshot(request).await {
                Ok(response) => response,
                Err(never) => match never {},
            }
        }
    }
}

/// Runs `routed` on another thread, which keeps nobody waiting on this one. Dropping the future
/// ends it.
async fn run_on(
    thread: &Handle,
    routed: impl Future<Output = Response> + Send + 'static,
) -> Response {
    let mut task = JoinSet::new();
    task.spawn_on(routed, thread);
    match task.join_next().await {
        Some(Ok(response)) => response,
        _ => {
            let detail = "internal error while handling the request";
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, detail).into_response()
        }
    }
}

/// A request that is answered, out of those that its caller may have.
struct Admitted {
    _connection: OwnedSemaphorePermit,
    _place: Option<OwnedSemaphorePermit>,
}
