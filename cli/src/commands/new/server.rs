//! Runs the MCP server of a package in the sandbox, with no rights, to see which tools it lists.

use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;
use tool_hub_host::inspect;
use tool_hub_manifest::Grants;
use tool_hub_manifest::contract::{Failure, Outcome};

use crate::build::{Form, LIST_TOOLS, ListedTool, SERVER_FILE, ServerFile, scratch};
use crate::commands::build::built_project::BuiltProject;
use crate::files;
use crate::session::Session;
use crate::terminal::problem::Problem;
use crate::toolbox::sandbox;

/// The manifest of the project that is only made to look.
const MANIFEST: &str =
    "schema = 1\nname = \"listing\"\nversion = \"0.0.0\"\ndescription = \"Lists.\"\n";

/// What a server told.
#[derive(Deserialize)]
pub(super) struct Listing {
    pub(super) tools: Vec<ListedTool>,
    /// The variables that it looked for.
    #[serde(default)]
    pub(super) variables: Vec<String>,
    /// The directories that it looked for.
    #[serde(default)]
    pub(super) directories: Vec<String>,
    /// The arguments of its command line with which it started.
    #[serde(default)]
    pub(super) arguments: Vec<String>,
}

/// Builds a project around the server, with the files `more` that say which packages it needs,
/// and has it list its tools.
///
/// # Errors
/// When it cannot be built or started, or lists nothing.
pub(super) async fn listing(
    server: &ServerFile,
    language: &str,
    more: &[(&str, &str)],
    session: &Session,
) -> anyhow::Result<Listing> {
    let place = scratch::directory("tool-listing-", &session.config)?;
    let directory = place.path();
    let write = |name: &str, text: &str| files::write(&directory.join(name), text.as_bytes());
    let build = format!("[build]\nlanguage = \"{language}\"\nfunctions = \"{SERVER_FILE}\"\n");
    write("tool.toml", &format!("{MANIFEST}{build}"))?;
    write(SERVER_FILE, &server.text()?)?;
    for (name, text) in more {
        write(name, text)?;
    }
    listed(directory, session).await
}

async fn listed(directory: &Path, session: &Session) -> anyhow::Result<Listing> {
    let built = BuiltProject::of(directory, Form::Package, session).await?;
    let host = sandbox::open_host(&session.config)?;
    let approved = inspect(&built.verified)?.approve(Grants::none())?;
    let tool = host.load(approved).await?;
    let reply = match tool
        .call(&LIST_TOOLS.replace('-', "_"), r#"{"arguments": "{}"}"#)
        .await
    {
        Outcome::Reply(reply) => reply,
        Outcome::Failure(failure) => return Err(not_listed(&failure).into()),
    };
    let structured = reply.structured.context("the server listed nothing")?;
    let mut listing: Listing =
        serde_json::from_str(&structured).context("what the server listed is not MCP's")?;
    listing.tools.retain(|tool| match tool.check() {
        Ok(()) => true,
        Err(error) => {
            session.printer.warning(&format!("left out: {error:#}"));
            false
        }
    });
    match listing.tools.is_empty() {
        true => Err(Problem::user("the server has no tools")
            .hint("where they depend on its configuration, start it yourself: tool new NAME --from-mcp COMMAND")
            .into()),
        false => Ok(listing),
    }
}

fn not_listed(failure: &Failure) -> Problem {
    Problem::user("the server did not list its tools in the sandbox")
        .caused_by(failure.message.clone())
        .hint("a server that needs its own process is read by: tool new NAME --from-mcp COMMAND")
}
