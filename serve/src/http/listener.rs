//! Accepts connections until shutdown, up to a limit: idle ones give way to new ones.
//! Worker threads answer them.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
#[cfg(target_os = "linux")]
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::connections::{Admission, Connections, IncompleteRequest, State};
use super::guard::Guard;
use super::workers::Workers;

/// The longest time that a request's head may take. The same clock runs while a kept connection
/// waits for its next request, so it ends idle connections as well as heads that come a byte at a
/// time.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// Like [`HEAD_TIME`], for connections opened while there are many.
const HEAD_TIME_UNDER_PRESSURE: Duration = Duration::from_secs(5);
/// The longest head, and the most of a body that is read at once, in bytes. Every connection may
/// take this much before its client is known.
const HEAD_BYTES_MAX: usize = 16 << 10;
/// The longest time that written bytes may wait for a client that does not read. Where the system
/// has no such clock, such clients keep their connection.
#[cfg(target_os = "linux")]
const WRITE_TIME: Duration = Duration::from_secs(30);
/// The pause after the system refused a connection for want of descriptors or memory, and while all
/// connections are being answered.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The time that connections have to end after a shutdown.
const GRACE: Duration = Duration::from_secs(5);

/// Answers connections with what is behind `guard` until `shutdown` completes, and open ones a
/// little longer: somebody who is in the middle of a request may never come to its end. Dropping
/// the future ends all of them.
pub(super) async fn answer(
    listener: TcpListener,
    guard: Arc<Guard>,
    workers: &Workers,
    shutdown: impl Future<Output = ()>,
) {
    let mut connections = Connections::default();
    let graceful = GracefulShutdown::new();
    let mut open = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            Some(ended) = open.join_next_with_id() => {
                connections.ended(ended.map_or_else(|error| error.id(), |(id, ())| id));
                continue;
            }
            accepted = accept(&listener, &connections) => accepted,
            () = &mut shutdown => break,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let Admission::Admitted { is_under_pressure } = connections.make_room(address) else {
            tracing::debug!(%address, "a connection was refused: its address has too many");
            continue;
        };
        let state = connections.waiting();
        let answered = connection(
            stream,
            head_time(is_under_pressure),
            guard.clone(),
            state.clone(),
            graceful.watcher(),
        );
        let task = workers.spawn(&mut open, answered);
        connections.opened(address, state, task);
    }
    drop(listener);
    if tokio::time::timeout(GRACE, graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("requests were still open when the time for their end was over");
    }
}

fn head_time(is_under_pressure: bool) -> Duration {
    match is_under_pressure {
        true => HEAD_TIME_UNDER_PRESSURE,
        false => HEAD_TIME,
    }
}

/// Answers the requests of one connection.
async fn connection(
    stream: std::net::TcpStream,
    head_time: Duration,
    guard: Arc<Guard>,
    state: Arc<State>,
    watcher: Watcher,
) {
    let stream = match TcpStream::from_std(stream) {
        Ok(stream) => TokioIo::new(stream),
        Err(error) => {
            tracing::warn!(%error, "a connection could not be taken over");
            return;
        }
    };
    let service = service_fn(move |request: Request<Incoming>| {
        let (guard, arriving) = (guard.clone(), IncompleteRequest::begin(&state));
        async move { Ok::<_, Infallible>(guard.answer(request.map(Body::new), arriving).await) }
    });
    let mut builder = Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(head_time)
        .max_buf_size(HEAD_BYTES_MAX);
    let connection = watcher.watch(builder.serve_connection(stream, service));
    if let Err(error) = connection.await {
        tracing::debug!(%error, "a connection broke off");
    }
}

/// Accepts a connection. While all connections are being answered, so that none can be closed for
/// it, it waits.
async fn accept(
    listener: &TcpListener,
    connections: &Connections,
) -> io::Result<(std::net::TcpStream, IpAddr)> {
    while connections.is_full_of_active() {
        tokio::time::sleep(ACCEPT_PAUSE).await;
    }
    let (stream, address) = listener.accept().await?;
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "small answers may be delayed on this connection");
    }
    #[cfg(target_os = "linux")]
    if let Err(error) = SockRef::from(&stream).set_tcp_user_timeout(Some(WRITE_TIME)) {
        tracing::debug!(%error, "who does not read keeps this connection");
    }
    Ok((stream.into_std()?, address.ip()))
}
