//! The errors of a server that cannot start or that breaks off.

use std::io;

use rmcp::service::ServerInitializeError;

/// Serving could not start or broke off.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The system gave no random bytes for the key that seals a client's state.
    #[error("cannot get random bytes for the session key")]
    Random(#[source] getrandom::Error),
    /// The system gave no thread that answers connections.
    #[error("cannot start a thread that answers connections")]
    Worker(#[source] io::Error),
    /// The client's opening was not one of the protocol's.
    #[error("the client did not open the session as the protocol demands")]
    Handshake(#[source] Box<ServerInitializeError>),
    /// The task that answers the client died.
    #[error("the task that answers the client died")]
    Died(#[source] tokio::task::JoinError),
}
