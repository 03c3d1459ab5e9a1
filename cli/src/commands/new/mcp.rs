//! Starts an MCP server, reads its list of tools for `tool new --from-mcp`, and ends it.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use anyhow::anyhow;
use rmcp::model::{PaginatedRequestParams, ProtocolVersion, Tool};
use rmcp::service::ServiceError;
use rmcp::{ClientLifecycleMode, ClientServiceExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::process::Command;
use tokio::time::timeout;
use tool_hub_agent::definition::import::{IMPORT_BYTES_MAX, IMPORT_FUNCTIONS_MAX, Import};

use crate::build::converse;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::text::definitions;

/// The longest wait for a server's greeting. Some are downloaded by the program that starts them.
const GREETING: Duration = Duration::from_secs(60);
/// The most pages that a list is read to.
const PAGES_MAX: usize = 100;
/// The most that a server may send in all: its list, and everything beside that.
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
    let talk = |output, input| list(output, input, GREETING);
    let listed = converse("listing the server's tools", &mut command, talk, printer).await?;
    definitions::parse(&listed.to_string(), "the server's list")
}

/// The server's list, with the next page's cursor where there are more than are read.
async fn list(
    output: impl AsyncRead + Send + Unpin + 'static,
    input: impl AsyncWrite + Send + Unpin + 'static,
    greeting: Duration,
) -> anyhow::Result<Value> {
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::LATEST],
        legacy_version: None,
    };
    let transport = (output.take(SAID_BYTES_MAX), input);
    let greeted = timeout(greeting, ().serve_with_lifecycle(transport, lifecycle)).await;
    let client = greeted.map_err(|_| {
        anyhow!(
            "it did not answer as an MCP server does on its standard output within {greeting:?}"
        )
    })??;
    let pages = pages(&client).await;
    client.cancel().await?;
    let (tools, cursor) = pages?;
    Ok(json!({ "tools": tools, "nextCursor": cursor }))
}

async fn pages(
    client: &rmcp::Peer<rmcp::RoleClient>,
) -> Result<(Vec<Tool>, Option<String>), ServiceError> {
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
    Ok((tools, cursor))
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    #[tokio::test]
    async fn a_program_that_is_no_server_is_not_waited_for() {
        let (mut there, here) = tokio::io::duplex(1 << 10);
        there.write_all(b"Ready.\n").await.unwrap();
        let (output, input) = tokio::io::split(here);
        let error = list(output, input, Duration::from_millis(50)).await;
        let said = error.unwrap_err().to_string();
        assert!(
            said.contains("did not answer as an MCP server does"),
            "{said}"
        );
    }
}
