//! The client's side of the protocol: refuses what a server asks of it, and notes changed lists.
#![expect(deprecated, reason = "servers that know roots still ask for them")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ErrorData, Implementation, ListRootsRequestMethod,
    ListRootsResult,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};

/// A client that offers a server nothing. Sampling and questions to the person are refused as the
/// library refuses them; roots, which it would answer with an empty list, are refused here.
#[derive(Clone, Default)]
pub(crate) struct Handler {
    list_changed: Arc<AtomicBool>,
}

impl Handler {
    /// True if the server has said, since this was last asked, that its list is another one.
    pub(crate) fn take_list_changed(&self) -> bool {
        self.list_changed.swap(false, Relaxed)
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let client = Implementation::new("tool-hub", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), client)
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListRootsRequestMethod>())
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.list_changed.store(true, Relaxed);
    }
}
