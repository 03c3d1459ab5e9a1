//! The HTTP servers of the registry and of its metrics: accept and answer until told to stop.

mod connections;

use std::convert::Infallible;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use axum::Router;
use axum::response::Response;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use ipnet::IpNet;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::abandoned_uploads;
use crate::error::RegistryError;
use crate::http::{Hosts, StalledWrites, client_address, keeping};
use crate::limits::Limits;
use crate::rates::{Peer, Subject};
use crate::registry::Registry;
use crate::routes;
use crate::witnesses;

use connections::{Connections, Slot};

/// The interval at which connections that wait too long are closed.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);
/// hyper's smallest buffer.
const HEAD_BYTES_MIN: usize = 8 << 10;
/// Rest after the system refused a connection for want of file descriptors or memory.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves a registry on `listener` until `shutdown` is ready, then lets open requests end, within a
/// grace period.
///
/// # Errors
///
/// [`RegistryError::Spool`] when leftovers of interrupted uploads cannot be removed, and if the
/// database cannot make a transparency log. Failing
/// connections are logged, not returned.
pub async fn serve(
    listener: TcpListener,
    registry: Registry,
    shutdown: impl Future<Output = ()> + Send,
) -> Result<(), RegistryError> {
    abandoned_uploads::incoming(&registry)?;
    registry.database().open_log().await?;
    let mut sweeping = JoinSet::new();
    sweeping.spawn(abandoned_uploads::now_and_then(registry.clone()));
    sweeping.spawn(witnesses::ask_now_and_then(registry.clone()));
    // If the listener has no address to report, assume a loopback one.
    let listens_at = listener.local_addr();
    let listens_at = listens_at.map_or(Ipv4Addr::LOCALHOST.into(), |address| address.ip());
    let hosts = Hosts::new(registry.hosts(), listens_at);
    let router = routes::router(registry.clone(), hosts);
    accept_until(listener, &registry, router, shutdown).await;
    Ok(())
}

/// Serves `/metrics` in the text form of Prometheus, and `/health/live` and `/health/ready`, until
/// `shutdown` is ready.
///
/// Metrics tell how much a registry is used and by which requests, so they are on no address but
/// the one the operator chose for them: a loopback one, or one that only the monitoring reaches. A
/// rule by the sender's address on the common listener would let everybody in as soon as a proxy
/// stands before it.
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
    let connections = Connections::new(&limits);
    let graceful = GracefulShutdown::new();
    let builder = http1(&limits);
    let mut pressure = registry.pressure();
    let mut looking = tokio::time::interval(SWEEP_INTERVAL);
    let mut shutdown = std::pin::pin!(shutdown);

    loop {
        let (stream, address) = tokio::select! {
            accepted = accept(&listener, &connections) => match accepted {
                Some(accepted) => accepted,
                None => continue,
            },
            _ = looking.tick() => {
                connections.evict_expired(Instant::now());
                pressure.report(connections.is_under_pressure());
                continue;
            }
            () = &mut shutdown => break,
        };
        let counted = counted(address, registry.trusted_proxies());
        let (slot, evicted) = match connections.admit(counted, Instant::now()) {
            Ok(entered) => entered,
            Err(_) => {
                refuse(&stream);
                continue;
            }
        };
        prepare(&stream);
        let stream = StalledWrites::new(stream, registry);
        let open = registry.metrics().connection();
        let service = Service {
            registry: registry.clone(),
            service: service.clone(),
            address,
            slot: slot.clone(),
        };
        let from_peer = service_fn(move |request| service.clone().answer(request));
        let connection = graceful.watch(builder.serve_connection(TokioIo::new(stream), from_peer));
        tokio::spawn(async move {
            tokio::select! {
                ended = connection => if let Err(error) = ended {
                    tracing::debug!(%error, "a connection broke off");
                },
                Ok(()) = evicted => tracing::debug!("an idle connection was closed to make room"),
            }
            drop((open, slot));
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

fn http1(limits: &Limits) -> Builder {
    let mut builder = Builder::new();
    // hyper's timer for a request head also runs while a kept connection waits for its next
    // request, so this value ends idle connections. Connections without a first request have less
    // time, see `connections`.
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.idle_connection_max)
        .max_buf_size(limits.head_bytes_max.max(HEAD_BYTES_MIN));
    builder
}

/// The service of one connection.
#[derive(Clone)]
struct Service {
    registry: Registry,
    service: TowerToHyperService<Router>,
    address: IpAddr,
    slot: Slot,
}

impl Service {
    async fn answer(self, mut request: Request<Incoming>) -> Result<Response, Infallible> {
        let busy = self.slot.begin();
        let trusted = self.registry.trusted_proxies();
        let address = client_address(self.address, request.headers(), trusted);
        request.extensions_mut().insert(Peer(address));
        let response = self.service.call(request).await?;
        // The request is under way until the last byte of its answer.
        Ok(keeping(response, busy))
    }
}

/// The address that a connection is counted for; `None` if many clients share it.
fn counted(address: IpAddr, trusted: &[IpNet]) -> Option<IpAddr> {
    let address = address.to_canonical();
    if trusted.iter().any(|network| network.contains(&address)) {
        return None;
    }
    match Peer(address).subject() {
        Some(Subject::Address(address)) => Some(address),
        _ => None,
    }
}

/// Tells a client that there is no slot for it, if the answer can be written at once.
fn refuse(stream: &TcpStream) {
    const ANSWER: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let _ = stream.try_write(ANSWER);
}

/// Waits for room and then for a connection; `None` when the system refused one.
async fn accept(listener: &TcpListener, connections: &Connections) -> Option<(TcpStream, IpAddr)> {
    connections.room().await;
    match listener.accept().await {
        Ok((stream, address)) => Some((stream, address.ip())),
        Err(error) => {
            tracing::warn!(%error, "a connection could not be accepted");
            tokio::time::sleep(ACCEPT_PAUSE).await;
            None
        }
    }
}

fn prepare(stream: &TcpStream) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "small answers may be delayed on this connection");
    }
}
