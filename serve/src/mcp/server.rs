//! What the server says about itself and its tools, and where calls go.

use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    GetPromptRequestParams, GetPromptResponse, Implementation, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    PromptsCapability, ReadResourceRequestParams, ReadResourceResponse, ResourcesCapability,
    ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::pages::page;
use super::question::Seal;
use super::{call, changes, prompts, resources};
use crate::{ServeError, Toolset};

/// How long a client may take a list for what is offered, in milliseconds, if it does not
/// listen for changes. Longer would keep a new tool from it, shorter saves nothing.
const FRESH_MS: u64 = 60_000;

/// What answers a client. Cloning is cheap; clones share everything.
#[derive(Clone)]
pub(crate) struct Server(Arc<Shared>);

struct Shared {
    toolset: Toolset,
    seal: Seal,
}

impl Server {
    pub(crate) fn new(toolset: Toolset) -> Result<Self, ServeError> {
        Ok(Self(Arc::new(Shared {
            toolset,
            seal: Seal::new()?,
        })))
    }

    /// What is declared is there: clients ask for nothing else.
    fn capabilities(&self) -> ServerCapabilities {
        let catalogue = self.0.toolset.catalogue();
        let beside = catalogue.beside();
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        if beside.has_prompts() {
            let mut prompts = PromptsCapability::default();
            prompts.list_changed = Some(true);
            capabilities.prompts = Some(prompts);
        }
        if beside.has_resources() {
            let mut resources = ResourcesCapability::default();
            resources.list_changed = Some(true);
            capabilities.resources = Some(resources);
        }
        let has_arguments = beside.has_prompts() || beside.has_resources();
        capabilities.completions = has_arguments.then(JsonObject::default);
        capabilities
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let implementation =
            Implementation::new("tool-hub", env!("CARGO_PKG_VERSION")).with_title("tool-hub");
        ServerConfig::new(self.capabilities()).with_server_info(implementation)
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
        Box::pin(call::call(&callee, request, context, &self.0.seal)).await
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let catalogue = self.0.toolset.catalogue();
        Ok(prompts::list(catalogue.beside()).await)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let catalogue = self.0.toolset.catalogue();
        prompts::get(catalogue.beside(), request, &context, &self.0.seal).await
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let catalogue = self.0.toolset.catalogue();
        Ok(resources::list(catalogue.beside()).await)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let catalogue = self.0.toolset.catalogue();
        Ok(resources::templates(catalogue.beside()).await)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let catalogue = self.0.toolset.catalogue();
        resources::read(catalogue.beside(), request, &context, &self.0.seal).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let catalogue = self.0.toolset.catalogue();
        resources::complete(catalogue.beside(), request).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let changes = self.0.toolset.changes();
        tokio::spawn(changes::tell(context.peer, changes));
    }

    fn accepted_subscription_filter(
        &self,
        _requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let lists = SubscriptionFilter::builder()
            .tools_list_changed()
            .prompts_list_changed()
            .resources_list_changed();
        Some(lists.build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        changes::tell_listener(context, self.0.toolset.changes()).await
    }
}
