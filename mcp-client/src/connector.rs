//! The `Connector`: gives the host connections to approved servers, and tells a person of drift.

use std::fmt;
use std::sync::Arc;

use tokio::runtime::Handle;
use tool_hub_host::{ApprovedServer, ServerConnection, ServerConnector};

use crate::connection::{Connection, Tell};
use crate::opening::Surroundings;

pub use crate::connection::ServerNotice;

/// Makes connections, on one runtime, whichever runtime a call comes from.
#[derive(Clone)]
pub struct Connector {
    surroundings: Surroundings,
    runtime: Handle,
    tell: Tell,
}

impl Connector {
    /// A connector that runs sessions on the runtime that this is called on, and hands what a
    /// person should know to `tell`.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn new(
        surroundings: Surroundings,
        tell: impl Fn(ServerNotice<'_>) + Send + Sync + 'static,
    ) -> Self {
        Self {
            surroundings,
            runtime: Handle::current(),
            tell: Arc::new(tell),
        }
    }
}

impl ServerConnector for Connector {
    fn connect(&self, server: ApprovedServer) -> Arc<dyn ServerConnection> {
        let (surroundings, runtime) = (self.surroundings.clone(), self.runtime.clone());
        Arc::new(Connection::new(
            server,
            surroundings,
            runtime,
            Arc::clone(&self.tell),
        ))
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector")
            .field("surroundings", &self.surroundings)
            .finish_non_exhaustive()
    }
}
