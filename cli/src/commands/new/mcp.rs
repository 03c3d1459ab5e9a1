//! The functions that `tool new --from-mcp` starts with: those that somebody's MCP server lists
//! while it runs, which it does no longer than that takes.

use std::ffi::OsString;
use std::path::Path;

use rmcp::model::{PaginatedRequestParams, ProtocolVersion, Tool};
use rmcp::service::ServiceError;
use rmcp::{ClientLifecycleMode, ClientServiceExt as _};
use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::process::{ChildStdin, ChildStdout, Command};
use tool_hub_agent::{IMPORT_BYTES_MAX, IMPORT_FUNCTIONS_MAX, Import};

use super::definitions;
use crate::build::converse;
use crate::diagnosis::Problem;
use crate::printer::Printer;

/// The most pages that a list is read to.
const PAGES_MAX: usize = 100;
/// How much a server may say in all: its list, and what it says beside that.
const SAID_BYTES_MAX: u64 = 4 * IMPORT_BYTES_MAX as u64;

/// Starts the server that `words` say in the directory `working`, and reads what it lists.
pub(super) async fn read(
    words: &[OsString],
    working: &Path,
    printer: &Printer,
) -> anyhow::Result<Import> {
    // As it is often written before somebody else's command.
    let words = match words {
        [dashes, rest @ ..] if dashes == "--" => rest,
        words => words,
    };
    let [program, arguments @ ..] = words else {
        return Err(Problem::user("--from-mcp names no server")
            .hint("write the command that starts it after --from-mcp, as its documentation has it")
            .into());
    };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(working);
    let tools = converse("listing the server's tools", &mut command, list, printer).await?;
    let listed = json!({ "tools": tools }).to_string();
    definitions::parse(&listed, "the server's list")
}

async fn list(output: ChildStdout, input: ChildStdin) -> anyhow::Result<Vec<Tool>> {
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::LATEST],
        legacy_version: None,
    };
    let transport = (output.take(SAID_BYTES_MAX), input);
    let client = ().serve_with_lifecycle(transport, lifecycle).await?;
    let tools = pages(&client).await;
    client.cancel().await?;
    Ok(tools?)
}

async fn pages(client: &rmcp::Peer<rmcp::RoleClient>) -> Result<Vec<Tool>, ServiceError> {
    let (mut tools, mut cursor) = (Vec::new(), None);
    for _ in 0..PAGES_MAX {
        let asked = PaginatedRequestParams::default().with_cursor(cursor);
        let page = client.list_tools(Some(asked)).await?;
        tools.extend(page.tools);
        cursor = page.next_cursor;
        // One more than may be defined is enough to be refused.
        if cursor.is_none() || tools.len() > IMPORT_FUNCTIONS_MAX {
            break;
        }
    }
    Ok(tools)
}
