//! Serves one MCP client over standard input and output.

use std::future::Future;

use rmcp::transport::io::stdio_pipes;

use crate::error::ServeError;
use crate::mcp::End;
use crate::mcp::serve;
use crate::toolset::Toolset;

/// Answers the client at the other end of standard input and output until it closes its
/// side or `shutdown` completes. Nothing but the protocol is written to standard output.
///
/// Pipes, which is how clients start servers, are driven without blocking. Where standard
/// input is something else it is read on a blocking thread, and a runtime that is dropped
/// waits for that read: end such a program with `Runtime::shutdown_background`.
///
/// A call is answered soonest on a runtime of the current thread, where no step of it wakes
/// another thread: guests that take long have threads of the host's.
///
/// # Errors
/// As [`serve`].
///
/// # Panics
/// Outside of a tokio runtime with I/O enabled.
pub async fn serve_stdio(
    toolset: Toolset,
    shutdown: impl Future<Output = ()>,
) -> Result<End, ServeError> {
    let (reader, writer) = stdio_pipes();
    serve(toolset, reader, writer, shutdown).await
}
