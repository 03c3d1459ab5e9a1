//! `tool adopt --undo`: puts the entries back as they were, and removes the tools for them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;
use tool_hub_manifest::{Digest, ToolKey};
use tool_hub_toolbox::open_toolbox::OpenToolbox;

use super::options::AdoptOptions;
use super::values;
use super::write_consent::consent;
use crate::adopt::{AdoptedFile, AdoptedServer, AdoptionRecord};
use crate::connect::{Change, Client, Document, Scope, Surroundings, WrittenServer};
use crate::consent::approval::Terminal;
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::problem::Problem;

/// Undoes what was adopted in the configurations that `asked` means.
pub(super) fn undo(
    asked: &AdoptOptions,
    client: Option<&'static Client>,
    session: &Session,
) -> anyhow::Result<ExitCode> {
    let Session { config, printer } = session;
    let record = AdoptionRecord::read(&config.settings)?;
    let is_meant = |file: &&AdoptedFile| {
        client.is_none_or(|client| client.name == file.client)
            && asked.scope.is_none_or(|scope| scope == file.scope)
            && asked.server.as_ref().is_none_or(|name| {
                file.servers
                    .iter()
                    .any(|server| server.written.name == *name)
            })
    };
    let meant: Vec<&AdoptedFile> = record.files.iter().filter(is_meant).collect();
    if meant.is_empty() {
        return Err(Problem::user("nothing of this was adopted")
            .hint("see what clients have with: tool adopt --dry-run")
            .into());
    }
    let undone: Vec<(&AdoptedFile, Undone)> = meant
        .into_iter()
        .map(|file| Ok((file, Undone::of(file, asked.server.as_deref())?)))
        .collect::<anyhow::Result<_>>()?;
    let digest = digest(undone.iter().map(|(_, undone)| undone));
    let is_approved = is_approved(asked, digest)?;
    let mut restored = Vec::new();
    let mut removed = Vec::new();
    for (file, undone) in undone {
        undone.show(session);
        if asked.dry_run {
            continue;
        }
        if !is_approved {
            let file = undone.change.shown();
            let hint = format!("look at what comes back, then write it with: --approve {digest}");
            consent(&file, &file, &hint)?;
        }
        undone.change.write(config)?;
        let names: Vec<&str> = undone.servers.iter().map(|it| &*it.written.name).collect();
        printer.note(&format!(
            "gave {} back to {}",
            names.join(", "),
            undone.document.client().title
        ));
        restored.push(json!({
            "client": file.client,
            "file": file.path,
            "servers": names,
        }));
        let left = forget(file, &undone.servers, config)?;
        for server in &undone.servers {
            if remove(server, &left, asked, session)? {
                removed.push(server.tool.clone());
            }
        }
    }
    if printer.wants_json() {
        printer.json(&json!({
            "restored": restored,
            "removed": removed,
            "written": !asked.dry_run,
            "approval_digest": digest,
        }))?;
    } else if asked.dry_run {
        printer.note(&format!("  digest     {digest}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// The digest of all that is written, by which a flag agrees to it.
fn digest<'a>(undone: impl Iterator<Item = &'a Undone>) -> Digest {
    let digests: Vec<String> = undone.map(|it| it.change.digest().to_string()).collect();
    Digest::of(digests.join("\n").as_bytes())
}

/// True if a flag agrees to what `digest` stands for: servers that come back run with all of the
/// user's rights.
fn is_approved(asked: &AdoptOptions, digest: Digest) -> anyhow::Result<bool> {
    match asked.approval.approve {
        None => Ok(false),
        Some(named) if named == digest => Ok(true),
        Some(named) => Err(Problem::refused(format!(
            "--approve names {named}, but what comes back is {digest}; nothing was written"
        ))
        .hint("look at what comes back with --dry-run, and name the digest that is shown")
        .into()),
    }
}

/// The entries that come back into one configuration.
struct Undone {
    document: Document,
    change: Change,
    servers: Vec<AdoptedServer>,
    /// The servers that somebody wrote anew since.
    rewritten: Vec<String>,
    /// The entry that goes.
    connection: Option<String>,
}

impl Undone {
    /// Prepares the return of the servers of `file`, or only of the one called `only`.
    fn of(file: &AdoptedFile, only: Option<&str>) -> anyhow::Result<Self> {
        let client = Client::find(&file.client).ok_or_else(|| {
            Problem::user(format!(
                "the record names an unknown client `{}`",
                file.client
            ))
        })?;
        let document = Document::open(client, file.path.clone())?;
        let is_meant =
            |server: &&AdoptedServer| only.is_none_or(|name| name == server.written.name);
        let servers: Vec<AdoptedServer> = file.servers.iter().filter(is_meant).cloned().collect();
        let is_all = servers.len() == file.servers.len();
        let connection = file.connection.clone().filter(|_| is_all);
        let whole = document.text().zip(file.splice.as_ref());
        let whole = whole.and_then(|(text, splice)| splice.undone(text));
        if let Some(before) = whole.filter(|_| is_all) {
            return Ok(Self {
                change: document.changed_to(before),
                document,
                servers,
                rewritten: Vec::new(),
                connection,
            });
        }
        let mut missing: Vec<WrittenServer> = Vec::new();
        let mut rewritten = Vec::new();
        for server in &servers {
            match document.written(&server.written.name)? {
                None => missing.push(server.written.clone()),
                // A run that was interrupted did not take it out.
                Some(there) if there.text == server.written.text => {}
                Some(there) => rewritten.push(there.name),
            }
        }
        // Somebody may have put something else in its place.
        let is_ours = |name: &String| {
            let connections = document.connections();
            connections.is_ok_and(|all| all.iter().any(|(other, _)| other == name))
        };
        let connection = connection.filter(is_ours);
        let change = document.restored(&missing, connection.as_deref())?;
        Ok(Self {
            document,
            change,
            servers,
            rewritten,
            connection,
        })
    }

    fn show(&self, session: &Session) {
        let names: Vec<&str> = self.servers.iter().map(|it| &*it.written.name).collect();
        let mut shown = format!(
            "{}\n  comes back: {}",
            self.change.shown(),
            names.join(", ")
        );
        if let Some(name) = &self.connection {
            shown.push_str(&format!("\n  goes: {name}"));
        }
        session.printer.before_a_question(&shown);
        for name in &self.rewritten {
            session.printer.warning(&format!(
                "`{name}` was written anew since and is left as it is"
            ));
        }
    }
}

/// Takes `servers` out of the record; returns what is left of it.
fn forget(
    file: &AdoptedFile,
    servers: &[AdoptedServer],
    config: &Config,
) -> anyhow::Result<AdoptionRecord> {
    AdoptionRecord::change(&config.settings, |record| {
        for other in record
            .files
            .iter_mut()
            .filter(|other| other.path == file.path)
        {
            let is_back = |name: &str| servers.iter().any(|server| server.written.name == name);
            other
                .servers
                .retain(|server| !is_back(&server.written.name));
            // The file is another one than after the adoption.
            other.splice = None;
        }
    })
}

/// Removes the tool of `server` from its toolbox, with consent, unless something else needs it.
fn remove(
    server: &AdoptedServer,
    left: &AdoptionRecord,
    asked: &AdoptOptions,
    session: &Session,
) -> anyhow::Result<bool> {
    let Session { config, printer } = session;
    let tool = &server.tool;
    let there = config.in_toolbox(&server.toolbox)?;
    if OpenToolbox::open(&there.settings)?.entry(tool).is_none() {
        values::forget(server, left, config)?;
        return Ok(false);
    }
    let users = users(server, left, &there)?;
    if server.was_there || left.needs(&server.toolbox, tool) || asked.yes && !users.is_empty() {
        printer.note(&format!(
            "`{tool}` stays in the toolbox: {}",
            match users.first() {
                Some(user) => format!("{user} uses it"),
                None => "it was not loaded for this alone".to_owned(),
            }
        ));
        return Ok(false);
    }
    if !asked.yes && !agrees(tool, &users)? {
        printer.note(&format!("`{tool}` stays in the toolbox"));
        return Ok(false);
    }
    OpenToolbox::remove(&there.settings, tool)?;
    printer.note(&format!("removed {tool} from the toolbox"));
    values::forget(server, left, config)?;
    if let Some(project) = &server.project {
        let removed = std::fs::remove_dir_all(project);
        if let Err(error) = removed
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(error).with_context(|| format!("{} cannot be removed", project.display()));
        }
    }
    Ok(true)
}

/// The clients that are still connected to the toolbox of `server` and are served its tool.
fn users(
    server: &AdoptedServer,
    left: &AdoptionRecord,
    config: &Config,
) -> anyhow::Result<BTreeSet<String>> {
    let surroundings = Surroundings::find(config)?;
    let mut users = BTreeSet::new();
    for client in Client::all() {
        for scope in [Scope::User, Scope::Project] {
            if scope == Scope::Project && !client.knows_projects() {
                continue;
            }
            let Ok(document) = surroundings.open(client, scope) else {
                continue;
            };
            // What adopting connected counts as long as it stands for something.
            if left.files.iter().any(|file| file.path == document.path()) {
                continue;
            }
            let connections = document.connections().unwrap_or_default().into_iter();
            let mut serving = connections.filter(|(_, started)| {
                let toolbox: Option<&PathBuf> = started.toolbox.as_ref();
                let is_same = toolbox.is_none_or(|it| *it == server.toolbox);
                let only = &started.only;
                is_same && (only.is_empty() || only.iter().any(|it| *it == server.tool.as_str()))
            });
            if serving.next().is_some() {
                users.insert(client.title.to_owned());
            }
        }
    }
    Ok(users)
}

fn agrees(tool: &ToolKey, users: &BTreeSet<String>) -> anyhow::Result<bool> {
    let Some(mut terminal) = Terminal::open() else {
        return Ok(false);
    };
    let but = match users.first() {
        Some(user) => format!(", which {user} is served too"),
        None => String::new(),
    };
    let question = format!("Remove `{tool}`{but} from the toolbox? [y/N] ");
    let answer = terminal.ask(&question)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
