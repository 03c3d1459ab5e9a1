//! Accepting connections until told to stop: so many at once, and none that only waits. Workers
//! answer them.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
#[cfg(target_os = "linux")]
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use super::guard::Guard;
use super::workers::Workers;

/// Connections that are open at once; further ones wait to be accepted.
const CONNECTIONS_MAX: usize = 1_024;
/// How long a request's head may take. The same clock runs while a kept connection waits for its
/// next request, so it ends idle connections as well as heads that come a byte at a time.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// How long what is written may wait for who does not read. Where the system has no such clock,
/// they keep their connection.
#[cfg(target_os = "linux")]
const WRITE_TIME: Duration = Duration::from_secs(30);
/// Rest after the system refused a connection for want of descriptors or memory.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How long connections have to end after a shutdown.
const GRACE: Duration = Duration::from_secs(5);

/// Answers connections with what is behind `guard` until `shutdown` completes, and open ones a little longer:
/// somebody who is in the middle of a request may never come to its end. Dropping the future ends
/// all of them.
pub(super) async fn answer(
    listener: TcpListener,
    guard: Arc<Guard>,
    workers: &Workers,
    shutdown: impl Future<Output = ()>,
) {
    let connections = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let graceful = GracefulShutdown::new();
    let mut builder = Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME);
    let mut open = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &connections) => accepted,
            Some(_) = open.join_next() => continue,
            () = &mut shutdown => break,
        };
        let (stream, permit) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let (builder, guard) = (builder.clone(), guard.clone());
        let watcher = graceful.watcher();
        workers.spawn(&mut open, async move {
            let stream = match TcpStream::from_std(stream) {
                Ok(stream) => TokioIo::new(stream),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be taken over");
                    return;
                }
            };
            let service = service_fn(move |request: Request<Incoming>| {
                let guard = guard.clone();
                async move { Ok::<_, Infallible>(guard.answer(request.map(Body::new)).await) }
            });
            let connection = watcher.watch(builder.serve_connection(stream, service));
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection broke off");
            }
            drop(permit);
        });
    }
    drop(listener);
    if tokio::time::timeout(GRACE, graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("requests were still open when the time for their end was over");
    }
}

/// Waits for room, and then for a connection.
async fn accept(
    listener: &TcpListener,
    connections: &Arc<Semaphore>,
) -> io::Result<(std::net::TcpStream, OwnedSemaphorePermit)> {
    let permit = Arc::clone(connections).acquire_owned().await;
    let permit = permit.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "small answers may be delayed on this connection");
    }
    #[cfg(target_os = "linux")]
    if let Err(error) = SockRef::from(&stream).set_tcp_user_timeout(Some(WRITE_TIME)) {
        tracing::debug!(%error, "who does not read keeps this connection");
    }
    Ok((stream.into_std()?, permit))
}
