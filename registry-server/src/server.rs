//! Accepting connections until told to stop.

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use crate::error::RegistryError;
use crate::http::{StalledWrites, client_address};
use crate::rates::Peer;
use crate::registry::Registry;
use crate::routes;
use crate::sweep;

/// Rest after the system refused a connection for want of file descriptors or memory.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves a registry on `listener` until `shutdown` is ready, then lets open requests end, within a grace period.
///
/// # Errors
///
/// [`RegistryError::Spool`] when leftovers of interrupted uploads cannot be removed. Failing connections are logged, not returned.
pub async fn serve(
    listener: TcpListener,
    registry: Registry,
    shutdown: impl Future<Output = ()> + Send,
) -> Result<(), RegistryError> {
    sweep::incoming(&registry)?;
    let mut sweeping = JoinSet::new();
    sweeping.spawn(sweep::now_and_then(registry.clone()));
    let router = routes::router(registry.clone());
    accept_until(listener, &registry, router, shutdown).await;
    Ok(())
}

/// Serves `/metrics` in the text form of Prometheus, and `/health/live` and `/health/ready`, until `shutdown` is ready.
///
/// Metrics tell how much a registry is used and by which requests, so they are on no address but the one the operator chose for
/// them: a loopback one, or one that only the monitoring reaches. A rule by the sender's address on the common listener would let
/// everybody in as soon as a proxy stands before it.
pub async fn serve_metrics(
    listener: TcpListener,
    registry: Registry,
    shutdown: impl Future<Output = ()> + Send,
) {
    let router = routes::metrics_router(registry.clone());
    accept_until(listener, &registry, router, shutdown).await;
}

async fn accept_until(
    listener: TcpListener,
    registry: &Registry,
    router: Router,
    shutdown: impl Future<Output = ()> + Send,
) {
    let limits = registry.limits().clone();
    let service = TowerToHyperService::new(router);
    let connections = Arc::new(Semaphore::new(limits.connections_max));
    let graceful = GracefulShutdown::new();
    let mut shutdown = std::pin::pin!(shutdown);

    let mut builder = Builder::new();
    // The timer for a request's head also runs while a kept connection waits for its next request, so this one value ends both
    // idle connections and clients that send their headers a byte at a time.
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.idle_connection_max);

    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &connections) => accepted,
            () = &mut shutdown => break,
        };
        let Some((stream, peer, permit)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        prepare(&stream);
        let stream = StalledWrites::new(stream, &limits);
        let open = registry.metrics().connection();
        let (registry, service) = (registry.clone(), service.clone());
        let from_peer = service_fn(move |mut request: Request<Incoming>| {
            let address = client_address(peer, request.headers(), registry.trusted_proxies());
            request.extensions_mut().insert(Peer(address));
            service.call(request)
        });
        let connection = graceful.watch(builder.serve_connection(TokioIo::new(stream), from_peer));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection broke off");
            }
            drop((open, permit));
        });
    }
    drop(listener);
    if tokio::time::timeout(limits.shutdown_grace_max, graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("requests were still open when the grace period ended");
    }
}

/// Waits for room and then for a connection; `None` when the system refused one.
async fn accept(
    listener: &TcpListener,
    connections: &Arc<Semaphore>,
) -> Option<(TcpStream, IpAddr, OwnedSemaphorePermit)> {
    let permit = Arc::clone(connections).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, address)) => Some((stream, address.ip(), permit)),
        Err(error) => {
            tracing::warn!(%error, "a connection could not be accepted");
            None
        }
    }
}

fn prepare(stream: &TcpStream) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "small answers may be delayed on this connection");
    }
}
