//! A listener as the connection: the Model Context Protocol over streamable HTTP, for
//! clients that show a token.

mod guard;
mod sessions;

use std::future::{Future, IntoFuture as _};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower::limit::GlobalConcurrencyLimitLayer;

use crate::mcp::{MESSAGE_BYTES_MAX, Server};
use crate::{Gateway, ServeError, Toolset, openai};
use guard::Guard;
use sessions::Sessions;

pub use guard::{Access, AccessError, BearerToken};

/// Where the protocol is answered.
pub const MCP_PATH: &str = "/mcp";
/// Requests that are answered at once; further ones wait. The host has its own limit on
/// calls, below this one, so that a list can be had while calls wait for a place.
const REQUESTS_MAX: usize = 512;
/// How often something is sent to a client that waits for a long call, so that nobody between
/// takes the connection for dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How long connections have to end after a shutdown.
const GRACE: Duration = Duration::from_secs(5);

/// Answers clients of `listener` at [`MCP_PATH`] until `shutdown` completes.
///
/// Both eras of the protocol are spoken. Clients of revision 2025-11-25 and older have a
/// session, which is closed when nothing happened in it for a quarter of an hour, or when
/// another client needs the room. To others every request stands for itself. A request whose
/// client leaves stops its call. It is answered when
/// its `Host` is one of `access`, its `Origin`, if it has one, too, and it carries the bearer
/// token; otherwise it gets status 403 or 401. A message has at most 20 MiB. A shutdown stops
/// calls at once, and requests that are still being sent after five seconds. With a `gateway`,
/// what is below `/v1` goes to its endpoint.
///
/// # Errors
/// When the listener breaks, or the system has no random bytes.
///
/// # Panics
/// Outside of a tokio runtime with I/O and time enabled.
pub async fn serve_http(
    listener: TcpListener,
    toolset: Toolset,
    access: Access,
    gateway: Option<Gateway>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let stop = CancellationToken::new();
    let gateway = gateway.map(|gateway| openai::router(gateway, toolset.clone(), stop.clone()));
    let router = router(Server::new(toolset)?, gateway, access, stop.clone());
    let served = axum::serve(listener, router)
        .with_graceful_shutdown(stop.clone().cancelled_owned())
        .into_future();
    let mut served = pin!(served);
    tokio::select! {
        ended = &mut served => return ended.map_err(ServeError::Listener),
        () = shutdown => stop.cancel(),
    }
    // Somebody who is in the middle of a request may never come to its end.
    match tokio::time::timeout(GRACE, served).await {
        Ok(ended) => ended.map_err(ServeError::Listener),
        Err(_) => Ok(()),
    }
}

fn router(
    server: Server,
    gateway: Option<Router>,
    access: Access,
    stop: CancellationToken,
) -> Router {
    let mut config = StreamableHttpServerConfig::default();
    config.sse_keep_alive = Some(KEEP_ALIVE);
    config.json_response = true;
    // No stream is resumed: who leaves ends the call.
    config.sse_retry = None;
    config.cancellation_token = stop;
    config.max_request_body_bytes = MESSAGE_BYTES_MAX;
    // The guard has checked both, by the same lists for every route.
    config.allowed_hosts = Vec::new();
    config.allowed_origins = Vec::new();
    let sessions = Arc::new(Sessions::new());
    let mcp = StreamableHttpService::new(move || Ok(server.for_another()), sessions, config);
    let guard = Arc::new(Guard::new(access));
    Router::new()
        .route_service(MCP_PATH, mcp)
        .merge(gateway.unwrap_or_default())
        .layer(DefaultBodyLimit::disable())
        .layer(GlobalConcurrencyLimitLayer::new(REQUESTS_MAX))
        .layer(axum::middleware::from_fn_with_state(guard, guard::guard))
}
