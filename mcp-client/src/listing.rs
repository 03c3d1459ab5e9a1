//! The `Listing` of a server: its tools as functions, bounded, and those that cannot be offered.

use std::collections::BTreeSet;

use rmcp::model::{PaginatedRequestParams, Tool};
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde_json::Value;
use tool_hub_agent::definition::Dialect;
use tool_hub_agent::definition::export::export;
use tool_hub_manifest::{
    Annotations, FunctionSpec, RefusedServerTool, SERVER_TOOLS_MAX, ServerDescription, ServerStart,
    ServerTool, function_name_of,
};

use crate::error::ServerError;

/// The most pages of a list.
const PAGES_MAX: usize = 100;
/// The most bytes of all names, texts and schemas together.
const TEXT_BYTES_MAX: usize = 2 << 20;
/// The most characters of a name or a version that a server gives itself.
const NAME_CHARS_MAX: usize = 128;

/// The name, version and tools that a server tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// The name that it gives itself.
    pub name: String,
    /// The version that it gives itself.
    pub version: String,
    /// Its tools, in its order.
    pub tools: Vec<ServerTool>,
    /// Those of its tools that cannot be offered.
    pub refused: Vec<RefusedServerTool>,
    /// True if it has prompts.
    pub prompts: bool,
    /// True if it has resources.
    pub resources: bool,
}

impl Listing {
    /// The description of the server, which is started by `start`.
    pub fn description(self, start: ServerStart) -> ServerDescription {
        let Self {
            name,
            version,
            tools,
            refused,
            prompts,
            resources,
        } = self;
        let mut description = ServerDescription::new(start, name, version, tools, refused);
        description.prompts = prompts;
        description.resources = resources;
        description
    }

    /// Asks for the list, page by page.
    pub(crate) async fn read(peer: &Peer<RoleClient>) -> Result<Self, ListingError> {
        let mut listing = Self::of_peer(peer);
        let (mut names, mut functions) = (BTreeSet::new(), BTreeSet::new());
        let (mut cursor, mut bytes) = (None, 0);
        for _ in 0..PAGES_MAX {
            let mut page = PaginatedRequestParams::default();
            page.cursor = cursor;
            let answered = peer.list_tools(Some(page)).await;
            let answered = answered.map_err(ListingError::Service)?;
            for tool in answered.tools {
                bytes += serde_json::to_string(&tool).map_or(0, |text| text.len());
                if bytes > TEXT_BYTES_MAX {
                    return Err(too_much(
                        "bytes of names, texts and schemas",
                        TEXT_BYTES_MAX,
                    ));
                }
                if listing.tools.len() + listing.refused.len() >= SERVER_TOOLS_MAX {
                    return Err(too_much("tools", SERVER_TOOLS_MAX));
                }
                let name = tool.name.to_string();
                let read = match names.insert(name.clone()) {
                    true => read(tool),
                    false => Err("another tool of the server has the same name".to_owned()),
                };
                match read {
                    Ok(tool) if functions.insert(tool.spec.name.clone()) => {
                        listing.tools.push(tool);
                    }
                    Ok(tool) => listing.refuse(
                        name,
                        format!("another tool is called `{}` already", tool.spec.name),
                    ),
                    Err(reason) => listing.refuse(name, reason),
                }
            }
            cursor = answered.next_cursor;
            if cursor.is_none() {
                return Ok(listing);
            }
        }
        Err(too_much("pages of tools", PAGES_MAX))
    }

    fn of_peer(peer: &Peer<RoleClient>) -> Self {
        let about = peer.peer_info();
        let about = about.as_deref();
        let itself = about.and_then(|it| it.server_info.as_ref());
        let cut = |text: &str| text.chars().take(NAME_CHARS_MAX).collect::<String>();
        Self {
            name: itself.map_or_else(String::new, |it| cut(&it.name)),
            version: itself.map_or_else(String::new, |it| cut(&it.version)),
            tools: Vec::new(),
            refused: Vec::new(),
            prompts: about.is_some_and(|it| it.capabilities.prompts.is_some()),
            resources: about.is_some_and(|it| it.capabilities.resources.is_some()),
        }
    }

    fn refuse(&mut self, name: String, reason: String) {
        self.refused.push(RefusedServerTool { name, reason });
    }
}

/// The list was not had.
#[derive(Debug)]
pub(crate) enum ListingError {
    Service(ServiceError),
    Server(ServerError),
}

fn too_much(what: &'static str, max: usize) -> ListingError {
    ListingError::Server(ServerError::TooMuch { what, max })
}

/// The tool as a function, or the reason why agents cannot be offered it.
fn read(tool: Tool) -> Result<ServerTool, String> {
    let function = function_name_of(&tool.name);
    let function = function.ok_or("its name has no letters that a function's name may have")?;
    let mut input_schema = Value::Object((*tool.input_schema).clone());
    match input_schema.get("type").and_then(Value::as_str) {
        Some("object") => {}
        None => input_schema["type"] = "object".into(),
        Some(_) => return Err("its arguments are not an object".to_owned()),
    }
    let hints = tool.annotations.as_ref();
    let spec = FunctionSpec {
        name: function.to_string(),
        title: tool
            .title
            .clone()
            .or_else(|| hints.and_then(|it| it.title.clone())),
        description: tool.description.as_deref().unwrap_or_default().to_owned(),
        input_schema,
        output_schema: tool
            .output_schema
            .as_ref()
            .map(|schema| Value::Object((**schema).clone())),
        annotations: Annotations {
            read_only: hints.and_then(|it| it.read_only_hint),
            idempotent: hints.and_then(|it| it.idempotent_hint),
            destructive: hints.and_then(|it| it.destructive_hint),
            open_world: hints.and_then(|it| it.open_world_hint),
        },
    };
    let losses = export(std::slice::from_ref(&spec), Dialect::Mcp).losses;
    match losses.iter().find(|loss| loss.kind.is_refusal()) {
        Some(loss) => Err(loss.kind.to_string()),
        None => Ok(ServerTool {
            name: tool.name.to_string(),
            spec,
        }),
    }
}
