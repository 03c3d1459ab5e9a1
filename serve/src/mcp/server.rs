//! The MCP server of one client: its capabilities, and each request for tools, prompts, resources.

#![expect(
    deprecated,
    reason = "clients of older revisions set levels of logs, and subscribe to resources"
)]

use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse,
    Implementation, InitializeRequestParams, InitializeResult, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    PromptsCapability, ReadResourceRequestParams, ReadResourceResponse, ResourcesCapability,
    ServerCapabilities, ServerConfig, SetLevelRequestMethod, SetLevelRequestParams,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::call::{self, Client, unless_cancelled};
use super::changes::{self, Changes};
use super::pagination::{self, FRESH_MS, page};
use super::question::{Seal, is_stateless};
use super::session::{Session, WATCHED_MAX};
use super::{prompts, resources};
use crate::catalogue::Catalogue;
use crate::error::ServeError;
use crate::quoted_text::quoted_name;
use crate::resolved_function::ResolvedFunction;
use crate::toolset::Toolset;

/// The server of one client. Cloning is cheap; clones share everything.
#[derive(Clone)]
pub(crate) struct Server {
    shared: Arc<Shared>,
    session: Arc<Session>,
}

/// The state that the servers of different clients share.
struct Shared {
    toolset: Toolset,
    seal: Seal,
}

impl Server {
    pub(crate) fn new(toolset: Toolset) -> Result<Self, ServeError> {
        let seal = Seal::new()?;
        Ok(Self {
            shared: Arc::new(Shared { toolset, seal }),
            session: Arc::default(),
        })
    }

    /// The server of another client.
    pub(crate) fn for_another(&self) -> Self {
        Self {
            shared: self.shared.clone(),
            session: Arc::default(),
        }
    }

    fn catalogue(&self) -> Arc<Catalogue> {
        self.shared.toolset.catalogue()
    }

    fn client(&self) -> Client<'_> {
        Client {
            session: &self.session,
            seal: &self.shared.seal,
            auditor: self.shared.toolset.auditor(),
        }
    }

    /// The declared capabilities: clients ask for nothing else.
    fn capabilities(&self) -> ServerCapabilities {
        let catalogue = self.catalogue();
        let offerings = catalogue.offerings();
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        if offerings.has_prompts() {
            let mut prompts = PromptsCapability::default();
            prompts.list_changed = Some(true);
            capabilities.prompts = Some(prompts);
        }
        if offerings.has_resources() {
            let mut resources = ResourcesCapability::default();
            resources.list_changed = Some(true);
            resources.subscribe = Some(true);
            capabilities.resources = Some(resources);
        }
        if catalogue.answer_bytes_max().is_some() {
            // Long answers are kept as resources, which nobody lists.
            capabilities.resources.get_or_insert_default();
        }
        let has_arguments = offerings.has_prompts() || offerings.has_resources();
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

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut about = self.negotiate_initialize(&request)?;
        context.peer.set_peer_info(request);
        // Only the revisions that begin with this know of logs.
        about.capabilities.logging = Some(JsonObject::default());
        Ok(about)
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_stateless(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.session.set_level(request.level);
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let offerings = self.shared.toolset.offerings();
        let reader = offerings.reader(&request.uri);
        match Box::pin(unless_cancelled(&context, reader)).await? {
            Some(reader) => self.session.watch(request.uri, reader.key.clone()),
            None => Err(resources::not_found(&request.uri, None)),
        }
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session.unwatch(&request.uri);
        Ok(())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        // Over HTTP every call is held against the schema; nothing else of it is looked at.
        let resolved = ResolvedFunction::find(&self.shared.toolset, name).ok()?;
        let schema = resolved.definition().input_schema.clone();
        Some(Tool::new(name.to_owned(), "", schema))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let cursor = pagination::cursor(request);
        let catalogue = self.catalogue();
        let (tools, next) = page(catalogue.definitions(), cursor.as_deref())?;
        let tools = tools.into_iter().cloned().collect();
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
        let resolved = ResolvedFunction::find(&self.shared.toolset, &request.name)
            .map_err(|unknown| ErrorData::invalid_params(unknown.to_string(), None))?;
        // The future is large: unless it is boxed, the service moves it with every request of any
        // kind.
        Box::pin(call::call(resolved, request, context, self.client())).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let (offerings, cursor) = (self.shared.toolset.offerings(), pagination::cursor(request));
        let listed = prompts::list(&offerings, cursor.as_deref());
        Box::pin(unless_cancelled(&context, listed)).await?
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let offerings = self.shared.toolset.offerings();
        Box::pin(prompts::get(&offerings, request, &context, self.client())).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let (offerings, cursor) = (self.shared.toolset.offerings(), pagination::cursor(request));
        let listed = resources::list(&offerings, cursor.as_deref());
        Box::pin(unless_cancelled(&context, listed)).await?
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let (offerings, cursor) = (self.shared.toolset.offerings(), pagination::cursor(request));
        let listed = resources::templates(&offerings, cursor.as_deref());
        Box::pin(unless_cancelled(&context, listed)).await?
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if let Some(kept) = self.shared.toolset.stored_result(&request.uri) {
            return Ok(resources::answer(vec![kept], None).into());
        }
        let offerings = self.shared.toolset.offerings();
        Box::pin(resources::read(
            &offerings,
            request,
            &context,
            self.client(),
        ))
        .await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let offerings = self.shared.toolset.offerings();
        let completed = resources::complete(&offerings, request);
        Box::pin(unless_cancelled(&context, completed)).await?
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // As rmcp answers it, but for long names.
        let (code, name) = (ErrorCode::METHOD_NOT_FOUND, quoted_name(&request.method));
        Err(ErrorData::new(code, name, None))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let (toolset, session) = (&self.shared.toolset, self.session.clone());
        tokio::spawn(changes::notify(context.peer, Changes::of(toolset), session));
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let watched = requested.resource_subscriptions.iter().flatten();
        let all = SubscriptionFilter::builder()
            .tools_list_changed()
            .prompts_list_changed()
            .resources_list_changed()
            .resource_subscriptions(watched.take(WATCHED_MAX));
        Some(all.build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let changes = Changes::of(&self.shared.toolset);
        Box::pin(changes::tell_listener(
            context,
            changes,
            self.shared.toolset.offerings(),
        ))
        .await
    }
}
