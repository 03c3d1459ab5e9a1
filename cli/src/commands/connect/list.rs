//! `tool connect --list`: lists the MCP clients whose configurations start `tool serve`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;

use crate::connect::{Client, Scope, ServeCommand, Surroundings};
use crate::terminal::diagnosis;
use crate::terminal::printer::Printer;
use crate::terminal::table::table;

/// A server that a client starts.
struct Connection {
    client: &'static Client,
    scope: Scope,
    file: PathBuf,
    name: String,
    started: ServeCommand,
}

/// Lists every connection. A configuration that cannot be read is warned about, and the others
/// are listed.
pub(super) fn list(surroundings: &Surroundings, printer: &Printer) -> anyhow::Result<ExitCode> {
    let mut connections = Vec::new();
    for client in Client::all() {
        for scope in [Scope::User, Scope::Project] {
            if scope == Scope::Project && !client.knows_projects() {
                continue;
            }
            match connections_of(client, scope, surroundings) {
                Ok(found) => connections.extend(found),
                Err(error) => {
                    printer.warning(&format!("left out: {error:#}"));
                    for hint in diagnosis::of(&error).hints {
                        printer.hint(&hint);
                    }
                }
            }
        }
    }
    if printer.wants_json() {
        let connections: Vec<_> = connections.iter().map(as_json).collect();
        printer.json(&json!({ "connections": connections }))?;
    } else if connections.is_empty() {
        printer.note("no client is connected");
        printer.hint("connect one with: tool connect CLIENT");
    } else {
        let rows = connections.iter().map(as_row).collect();
        printer.data(&table(
            ["CLIENT", "SCOPE", "NAME", "TOOLS", "TOOLBOX", "FILE"],
            rows,
        ))?;
    }
    for gone in connections.iter().filter(|connection| connection.is_gone()) {
        printer.warning(&format!(
            "there is no {}, which `{}` in {} starts",
            gone.started.command,
            gone.name,
            gone.file.display()
        ));
        printer.hint(&format!(
            "connect it anew with: tool connect {} --scope {} --name {}",
            gone.client.name,
            gone.scope.as_str(),
            gone.name
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn connections_of(
    client: &'static Client,
    scope: Scope,
    surroundings: &Surroundings,
) -> anyhow::Result<Vec<Connection>> {
    let document = surroundings.open(client, scope)?;
    let connections = document.connections()?.into_iter();
    let connections = connections.map(|(name, started)| Connection {
        client,
        scope,
        file: document.path().to_owned(),
        name,
        started,
    });
    Ok(connections.collect())
}

impl Connection {
    /// True if the program that it starts is not there any more. The client looks for a program
    /// that is written without a directory.
    fn is_gone(&self) -> bool {
        let command = Path::new(&self.started.command);
        command.is_absolute() && !command.exists()
    }
}

fn as_json(connection: &Connection) -> serde_json::Value {
    json!({
        "client": connection.client.name,
        "scope": connection.scope,
        "file": connection.file,
        "name": connection.name,
        "starts": connection.started,
        "program_is_there": !connection.is_gone(),
    })
}

fn as_row(connection: &Connection) -> [String; 6] {
    let started = &connection.started;
    let tools = match &started.only[..] {
        [] => "all".to_owned(),
        only => only.join(" "),
    };
    let toolbox = match &started.toolbox {
        Some(directory) => directory.display().to_string(),
        None => "nearest".to_owned(),
    };
    [
        connection.client.name.to_owned(),
        connection.scope.as_str().to_owned(),
        connection.name.clone(),
        tools,
        toolbox,
        connection.file.display().to_string(),
    ]
}
