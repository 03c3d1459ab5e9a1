//! The proxy of one cage: the only way out, to granted origins, over connections made by hand.
//!
//! It takes `CONNECT` for `https`, and for `http` where every method is granted, and requests in
//! absolute form for `http`. Each request is read and written anew, so that nothing which two
//! servers read in two ways gets through. What a tunnel carries is not seen: it leads to the
//! granted host and port, and to nothing else.

mod forward;
mod refusal;
mod tunnel;

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::{Method, Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;
use tool_hub_egress::Resolver;
use tool_hub_manifest::Network;

use crate::proxy::refusal::Body;
use crate::proxy::tunnel::Tunnel;

/// The address that a caged program connects to. Nothing listens there: the connection is handed
/// over before it is made.
pub(crate) const PROXY_ADDRESS: SocketAddr =
    SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 3128));

/// The longest head of a request.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// The time for the head of a request.
const HEAD_TIME_MAX: Duration = Duration::from_secs(30);

/// A connection of the program, and its place among those that there may be at a time.
pub(crate) struct Arrival {
    pub(crate) stream: TcpStream,
    pub(crate) place: OwnedSemaphorePermit,
}

/// What all connections of a cage share.
struct Ways {
    network: Arc<Network>,
    resolver: Resolver,
}

/// Serves connections until no more can arrive, and ends those that are left.
pub(crate) async fn serve(network: Arc<Network>, mut arrivals: UnboundedReceiver<Arrival>) {
    let ways = Arc::new(Ways {
        network,
        resolver: Resolver::default(),
    });
    let mut connections = JoinSet::new();
    while let Some(arrival) = arrivals.recv().await {
        while connections.try_join_next().is_some() {}
        connections.spawn(connection(Arc::clone(&ways), arrival));
    }
}

async fn connection(ways: Arc<Ways>, arrival: Arrival) {
    let _place = arrival.place;
    let stream = arrival.stream;
    let Ok(()) = stream.set_nonblocking(true) else {
        return;
    };
    let Ok(stream) = tokio::net::TcpStream::from_std(stream) else {
        return;
    };
    let opened: Arc<Mutex<Option<Tunnel>>> = Arc::default();
    let service = service_fn(|request| {
        let (ways, opened) = (Arc::clone(&ways), Arc::clone(&opened));
        async move { Ok::<_, Infallible>(answer(&ways, request, &opened).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME_MAX)
        // Some clients end their side with the request.
        .half_close(true)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
    let tunnel = opened.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let (Ok(()), Some(tunnel)) = (served, tunnel) {
        tunnel.carry().await;
    }
}

async fn answer(
    ways: &Ways,
    request: Request<Incoming>,
    opened: &Mutex<Option<Tunnel>>,
) -> Response<Body> {
    let answered = if request.method() == Method::CONNECT {
        tunnel::open(&ways.network, &ways.resolver, request)
            .await
            .map(|tunnel| {
                *opened.lock().unwrap_or_else(PoisonError::into_inner) = Some(tunnel);
                Response::new(refusal::empty())
            })
    } else {
        forward::forward(&ways.network, &ways.resolver, request).await
    };
    answered.unwrap_or_else(|refusal| {
        tracing::info!(%refusal, "a caged program was refused");
        refusal.response()
    })
}

#[cfg(test)]
mod tests;
