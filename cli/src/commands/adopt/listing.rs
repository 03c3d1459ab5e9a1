//! Shows the servers that clients have and what each could become, without any secret.

use std::path::Path;

use serde_json::{Value, json};

use super::found::FoundServer;
use crate::adopt::{AdoptedForm, AdoptionRecord, ServerKind, shown_address, shown_command};
use crate::connect::{Client, Document};
use crate::session::Session;

/// Prints the plan.
pub(super) fn list(found: &[FoundServer], session: &Session) -> anyhow::Result<()> {
    let printer = &session.printer;
    if printer.wants_json() {
        let servers: Vec<Value> = found.iter().map(as_json).collect();
        return printer.json(&json!({ "servers": servers }));
    }
    if found.is_empty() {
        printer.note("no client has an MCP server");
        return Ok(());
    }
    let mut lines = Vec::new();
    let mut last: Option<&Path> = None;
    for one in found {
        if last != Some(&one.file) {
            lines.push(format!("{}, {}", one.client.title, one.file.display()));
            last = Some(&one.file);
        }
        lines.extend(described(one));
    }
    printer.data(&lines.join("\n"))
}

/// A server with its command, and what it could become, on lines of their own.
pub(super) fn described(one: &FoundServer) -> Vec<String> {
    let mut lines = vec![format!(
        "  {}: {}",
        one.server.name,
        shown(&one.server.kind)
    )];
    for (at, route) in one.plan.routes.iter().enumerate() {
        let or = if at == 0 { "" } else { "or " };
        let what = route.form().as_str();
        lines.push(format!("    {or}{what}: {}", route.why()));
    }
    let stays = if one.can_be_adopted() { "" } else { "stay: " };
    for note in &one.plan.notes {
        lines.push(format!("    {stays}{note}"));
    }
    lines
}

/// The command or the address of a server, with its variables by name.
fn shown(kind: &ServerKind) -> String {
    match kind {
        ServerKind::Local(command) => {
            let names: Vec<&str> = command.env.keys().map(String::as_str).collect();
            let line = shown_command(command);
            match names.is_empty() {
                true => line,
                false => format!("{line} (sets {})", names.join(", ")),
            }
        }
        ServerKind::Remote(remote) => shown_address(remote),
        ServerKind::Ours => "tool serve".to_owned(),
        ServerKind::Other(_) => "…".to_owned(),
    }
}

fn as_json(one: &FoundServer) -> Value {
    let variables: Vec<&String> = match &one.server.kind {
        ServerKind::Local(command) => command.env.keys().collect(),
        ServerKind::Remote(remote) => remote.headers.keys().collect(),
        _ => Vec::new(),
    };
    let routes = one.plan.routes.iter();
    let routes: Vec<Value> = routes
        .map(|route| json!({ "becomes": route.form(), "why": route.why() }))
        .collect();
    json!({
        "client": one.client.name,
        "scope": one.scope,
        "file": one.file,
        "name": one.server.name,
        "command": shown(&one.server.kind),
        "secrets": variables,
        "becomes": one.plan.proposed(),
        "choices": one.plan.choices().iter().map(|it: &AdoptedForm| it.as_str()).collect::<Vec<_>>(),
        "routes": routes,
        "notes": one.plan.notes,
    })
}

/// Tells of servers that an earlier run loaded a tool for and did not take out of their file.
pub(super) fn tell_interrupted(found: &[FoundServer], session: &Session) -> anyhow::Result<()> {
    let record = AdoptionRecord::read(&session.config.settings)?;
    for file in &record.files {
        let Some(client) = Client::find(&file.client) else {
            continue;
        };
        if !found.iter().any(|one| one.file == file.path) {
            continue;
        }
        let document = Document::open(client, file.path.clone())?;
        for server in &file.servers {
            let name = &server.written.name;
            if document
                .written(name)?
                .is_some_and(|it| it.text == server.written.text)
            {
                session.printer.warning(&format!(
                    "taking over `{name}` of {} was interrupted: `{}` is in the toolbox, and the client still starts the server",
                    client.title, server.tool
                ));
                session.printer.hint(&format!(
                    "go on with: tool adopt --server {name}, or take it back with: tool adopt --undo {}",
                    client.name
                ));
            }
        }
    }
    Ok(())
}
