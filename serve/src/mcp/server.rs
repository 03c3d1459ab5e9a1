//! What the server says about itself and its tools, and where calls go.

use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::pages::page;
use super::question::Seal;
use super::{call, changes};
use crate::{ServeError, Toolset};

/// How long a client may take a list for what is offered, in milliseconds, if it does not
/// listen for changes. Longer would keep a new tool from it, shorter saves nothing.
const FRESH_MS: u64 = 60_000;

/// What answers a client. Cloning is cheap; clones share everything.
#[derive(Clone)]
pub(crate) struct Server(Arc<Shared>);

struct Shared {
    toolset: Toolset,
    about: ServerConfig,
    seal: Seal,
}

impl Server {
    pub(crate) fn new(toolset: Toolset) -> Result<Self, ServeError> {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        let implementation =
            Implementation::new("tool-hub", env!("CARGO_PKG_VERSION")).with_title("tool-hub");
        Ok(Self(Arc::new(Shared {
            toolset,
            about: ServerConfig::new(capabilities).with_server_info(implementation),
            seal: Seal::new()?,
        })))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        self.0.about.clone()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let callee = self.0.toolset.function(name).ok()?;
        Some(callee.definition().clone())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let catalogue = self.0.toolset.catalogue();
        let (tools, next) = page(catalogue.definitions(), cursor.as_deref())?;
        let mut listed = ListToolsResult::with_all_items(tools)
            .with_ttl_ms(FRESH_MS)
            .with_cache_scope(CacheScope::Private);
        listed.next_cursor = next;
        Ok(listed)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let callee = self
            .0
            .toolset
            .function(&request.name)
            .map_err(|unknown| ErrorData::invalid_params(unknown.to_string(), None))?;
        // It is long, and the service would move it about with every request, whatever it asks.
        Box::pin(call::call(callee, request, context, &self.0.seal)).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let changes = self.0.toolset.changes();
        tokio::spawn(changes::tell(context.peer, changes));
    }

    fn accepted_subscription_filter(
        &self,
        _requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        changes::tell_listener(context, self.0.toolset.changes()).await
    }
}
