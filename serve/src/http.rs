//! Serves MCP, REST and an OpenAI gateway over HTTP on a listener, to clients with a token.

mod access;
mod access_error;
mod body;
mod caller;
pub(crate) mod caller_name;
mod connections;
mod cors;
mod guard;
mod listener;
pub(crate) mod problem;
mod response_body;
mod routes;
mod sessions;
mod workers;

use std::future::Future;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::budget::Budget;
use crate::cache::SharedCache;
use crate::error::ServeError;
use crate::openai::gateway::Gateway;
use guard::Guard;
use routes::{CallerLimits, Routes};
use workers::Workers;

pub use access::Access;
pub use access_error::AccessError;
pub use caller::{BearerToken, Caller};
pub use caller_name::CallerName;

/// Requests that are answered at once; further ones wait for a while. The host has its own limit on
/// calls, below this one, so that a list can be had while calls wait for a place.
const REQUESTS_MAX: usize = 512;

/// Answers clients of `listener` until `shutdown` completes: the Model Context Protocol at
/// [`MCP_PATH`](crate::MCP_PATH), and REST below [`REST_PATH`](crate::REST_PATH).
///
/// Both eras of the protocol are spoken. Clients of revision 2025-11-25 and older have a session,
/// which is closed when nothing happened in it for a quarter of an hour, or when another client
/// needs the room. To others every request stands for itself. A call stops when the client of its
/// request leaves. A request is answered when its `Host` is one of `access`, its `Origin`, if it
/// has one, too, and it carries the bearer token of a caller, whose tools it then sees; otherwise
/// it gets status 403 or 401. A request has at most 20 MiB; its head and its body have 30 seconds
/// each to arrive. A shutdown stops calls at once, and requests that are still being sent after
/// five seconds. With a `gateway`, what is below `/v1` and not ours goes to its endpoint.
///
/// Requests are answered by threads of its own, as many as there are processors, each with its
/// own runtime, and long ones by another; the caller's only accepts.
///
/// # Errors
/// When the system has no random bytes, or no threads.
///
/// # Panics
/// Outside of a tokio runtime with I/O and time enabled.
pub async fn serve_http(
    listener: TcpListener,
    access: Access,
    gateway: Option<Gateway>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let stop = CancellationToken::new();
    // Whoever drops the future wants calls to end as well.
    let _stopped = stop.clone().drop_guard();
    // Callers share what there is, so that none keeps the others out.
    let callers = access.callers.len();
    let (memory, cache) = (Budget::new(), SharedCache::default());
    let workers = Workers::start()?;
    let guard = Guard::new(access, |caller| {
        let portion = CallerLimits {
            connections: connections::share(callers),
            places: (REQUESTS_MAX / callers.max(1)).max(1),
            memory: memory.share(callers),
            cache: cache.for_caller(),
            long: workers.for_long(),
        };
        Routes::new(caller, gateway.clone(), portion, &stop)
    })?;
    let shutdown = async {
        shutdown.await;
        stop.cancel();
    };
    listener::answer(listener, Arc::new(guard), &workers, shutdown).await;
    Ok(())
}
