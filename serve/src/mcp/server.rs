//! What the server says about itself and its tools, and where calls go.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::call;
use super::question::Seal;
use crate::{Catalogue, ServeError};

/// How much of an unknown name is given back.
const SHOWN_CHARACTERS_MAX: usize = 80;

/// What answers a client. Cloning is cheap; clones share everything.
#[derive(Clone)]
pub(crate) struct Server(Arc<Shared>);

struct Shared {
    catalogue: Catalogue,
    /// Made once: a list of a thousand tools is cloned by reference, not rebuilt.
    tools: ListToolsResult,
    about: ServerConfig,
    seal: Seal,
}

impl Server {
    pub(crate) fn new(catalogue: Catalogue) -> Result<Self, ServeError> {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let implementation =
            Implementation::new("tool-hub", env!("CARGO_PKG_VERSION")).with_title("tool-hub");
        Ok(Self(Arc::new(Shared {
            tools: ListToolsResult::with_all_items(catalogue.definitions()),
            catalogue,
            about: ServerConfig::new(capabilities).with_server_info(implementation),
            seal: Seal::new()?,
        })))
    }

    fn unknown_tool(&self, name: &str) -> ErrorData {
        let name: String = name
            .chars()
            .take(SHOWN_CHARACTERS_MAX)
            .flat_map(char::escape_debug)
            .collect();
        let message = match self.0.catalogue.nearest(&name) {
            Some(nearest) => format!("unknown tool `{name}`; did you mean `{nearest}`?"),
            None => format!("unknown tool `{name}`; `tools/list` names every tool"),
        };
        ErrorData::invalid_params(message, None)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        self.0.about.clone()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.0
            .catalogue
            .entry(name)
            .map(|entry| entry.definition.clone())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(self.0.tools.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let entry = self
            .0
            .catalogue
            .entry(&request.name)
            .ok_or_else(|| self.unknown_tool(&request.name))?;
        call::call(entry, request, context, &self.0.seal).await
    }
}
