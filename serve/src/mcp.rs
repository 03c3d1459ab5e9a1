//! Serves one client the Model Context Protocol over a pair of byte streams.

mod call;
mod changes;
mod content;
mod line_transport;
mod pagination;
mod prompts;
mod question;
mod report;
mod resources;
pub(crate) mod result;
pub(crate) mod server;
mod session;

use std::future::Future;
use std::pin::pin;

use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::error::ServeError;
use crate::toolset::Toolset;
use line_transport::LineTransport;
use server::Server;

/// The reason why serving ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// The client closed its side.
    InputClosed,
    /// The caller asked for it.
    ShutDown,
}

/// Answers one client, one JSON message a line, until it closes its side or `shutdown`
/// completes.
///
/// Calls run concurrently. When the client leaves, calls under way get five seconds to
/// answer; when `shutdown` completes they are stopped at once. Dropping the future stops
/// everything, too.
///
/// # Errors
/// When the client opens with something that is not the protocol, or the serving task dies.
pub async fn serve<R, W>(
    toolset: Toolset,
    reader: R,
    writer: W,
    shutdown: impl Future<Output = ()>,
) -> Result<End, ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let server = Server::new(toolset)?;
    let mut shutdown = pin!(shutdown);
    let opened = tokio::select! {
        opened = server.serve(LineTransport::new(reader, writer)) => opened,
        () = &mut shutdown => return Ok(End::ShutDown),
    };
    let running = match opened {
        Ok(running) => running,
        // A client may look whether the program starts, and leave without a word.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(End::InputClosed),
        Err(error) => return Err(ServeError::Handshake(Box::new(error))),
    };
    let stop = running.cancellation_token();
    let mut waiting = pin!(running.waiting());
    let reason = tokio::select! {
        reason = &mut waiting => reason,
        () = &mut shutdown => {
            stop.cancel();
            waiting.await
        }
    };
    match reason.map_err(ServeError::Died)? {
        QuitReason::Closed => Ok(End::InputClosed),
        QuitReason::JoinError(error) => Err(ServeError::Died(error)),
        _ => Ok(End::ShutDown),
    }
}
