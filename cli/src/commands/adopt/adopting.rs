//! Asks what each server shall become, loads its tool, and rewrites the client's configuration.
//! The record of adoptions knows of a tool before the client's file does.

use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use tool_hub_toolbox::open_toolbox::OpenToolbox;

use super::found::FoundServer;
use super::listing::described;
use super::options::AdoptOptions;
use super::rights::ProposedRights;
use super::taking::{Taken, take};
use super::values;
use super::write_consent::consent;
use crate::adopt::{
    AdoptedFile, AdoptedForm, AdoptedServer, AdoptionRecord, KeptCredential, ServerKind, Splice,
};
use crate::connect::{Change, ChangeKind, Document, Scope, Server, Surroundings, WrittenServer};
use crate::consent::approval::Terminal;
use crate::files;
use crate::session::Session;
use crate::terminal::diagnosis;
use crate::terminal::escape::escape_line;
use crate::terminal::problem::Problem;

/// A server that was taken over in this run, for the others that start the same.
struct Same<'a> {
    kind: &'a ServerKind,
    scope: Scope,
    server: AdoptedServer,
}

/// Takes over what the person or the flags say.
pub(super) async fn adopt(
    asked: &AdoptOptions,
    found: &[FoundServer],
    surroundings: &Surroundings,
    session: &Session,
) -> anyhow::Result<ExitCode> {
    let wanted = |one: &&FoundServer| {
        let is_named = asked
            .server
            .as_ref()
            .is_none_or(|name| *name == one.server.name);
        is_named && (asked.server.is_some() || one.can_be_adopted())
    };
    let mut all: Vec<&FoundServer> = found.iter().filter(wanted).collect();
    if asked.dry_run {
        // One tool is shown; that of another client with the same name is shown by naming that.
        all.truncate(1);
    }
    if all.is_empty() {
        session
            .printer
            .note("no client has a server that can be taken over");
        return Ok(ExitCode::SUCCESS);
    }
    let mut told = Vec::new();
    let mut failed = None;
    let mut same = Vec::new();
    for servers in all.chunk_by(|a, b| a.file == b.file) {
        let own;
        // A toolbox of a project is for that project's clients only.
        let session = match servers[0].scope == Scope::User && surroundings.is_in_project {
            true => {
                own = Session {
                    config: session.config.in_toolbox(&session.config.settings.user)?,
                    printer: session.printer,
                };
                &own
            }
            false => session,
        };
        let file = File {
            asked,
            servers,
            surroundings,
            session,
        };
        match file.adopt(&mut same).await {
            Ok(servers) => told.extend(servers),
            Err(error) if asked.r#as.is_some() => return Err(error),
            Err(error) => {
                session.printer.error(&error, &diagnosis::of(&error).hints);
                failed = Some(diagnosis::of(&error).exit);
            }
        }
    }
    if session.printer.wants_json() && !asked.dry_run {
        session.printer.json(&json!({ "adopted": told }))?;
    }
    Ok(failed.map_or(ExitCode::SUCCESS, ExitCode::from))
}

/// The servers of one configuration.
struct File<'a, 'f> {
    asked: &'a AdoptOptions,
    servers: &'a [&'f FoundServer],
    surroundings: &'a Surroundings,
    session: &'a Session,
}

impl<'f> File<'_, 'f> {
    /// Takes over the servers that the person chooses; returns what is told of them.
    async fn adopt(&self, same: &mut Vec<Same<'f>>) -> anyhow::Result<Vec<Value>> {
        let Self { asked, session, .. } = self;
        let one = self.servers[0];
        let document = Document::open(one.client, one.file.clone())?;
        if !asked.dry_run {
            self.refuse_unwritable(&document)?;
        }
        let mut taken = Vec::new();
        for one in self.servers {
            let wanted = match asked.r#as {
                Some(wanted) => wanted,
                None => ask(one, session)?,
            };
            if wanted == AdoptedForm::Stay {
                continue;
            }
            match self.take(one, wanted, &document, same).await {
                Ok(Some(server)) => taken.push(server),
                Ok(None) => {}
                Err(error) if asked.r#as.is_some() => return Err(error),
                Err(error) => {
                    session.printer.error(&error, &diagnosis::of(&error).hints);
                    session
                        .printer
                        .note(&format!("`{}` stays as it is", one.server.name));
                }
            }
        }
        if taken.is_empty() {
            return Ok(Vec::new());
        }
        self.write(&document, &taken)?;
        Ok(taken.iter().map(|server| self.as_json(server)).collect())
    }

    /// Loads the tool for one server, and records it before anything else happens.
    async fn take(
        &self,
        one: &'f FoundServer,
        wanted: AdoptedForm,
        document: &Document,
        same: &mut Vec<Same<'f>>,
    ) -> anyhow::Result<Option<AdoptedServer>> {
        let Self { asked, session, .. } = self;
        let settings = &session.config.settings;
        let name = &one.server.name;
        let written = document.written(name)?;
        let written = written.ok_or_else(|| {
            Problem::user(format!(
                "{} has no server `{name}` any more",
                one.file.display()
            ))
        })?;
        // Nothing is loaded for an entry that could not be taken out.
        let toolbox = OpenToolbox::open(settings)?;
        let serve = Server::of(&toolbox, Vec::new(), settings)?;
        document.replaced(std::slice::from_ref(name), &asked.name, &serve)?;
        let known = same.iter().find(|other| {
            *other.kind == one.server.kind
                && other.scope == one.scope
                && other.server.became == wanted.as_str()
        });
        let server = match known {
            Some(other) => {
                session.printer.note(&format!(
                    "`{name}` starts the same as before: `{}` stands for it too",
                    other.server.tool
                ));
                AdoptedServer {
                    written,
                    ..other.server.clone()
                }
            }
            None => {
                let Some((taken, rights)) = take(asked, one, wanted, session).await? else {
                    return Ok(None);
                };
                let server = adopted(taken, &rights, written, &toolbox);
                self.record(&server)?;
                server
            }
        };
        self.record(&server)?;
        same.push(Same {
            kind: &one.server.kind,
            scope: one.scope,
            server: server.clone(),
        });
        Ok(Some(server))
    }

    /// Rewrites the configuration, with consent.
    fn write(&self, document: &Document, taken: &[AdoptedServer]) -> anyhow::Result<()> {
        let Self { asked, session, .. } = self;
        let (config, printer) = (&session.config, &session.printer);
        let toolbox = OpenToolbox::open(&config.settings)?;
        let names: Vec<String> = taken.iter().map(|it| it.written.name.clone()).collect();
        let serve = Server::of(&toolbox, self.only(document, taken)?, &config.settings)?;
        let change = document.replaced(&names, &asked.name, &serve)?;
        let title = document.client().title;
        let shown = change.shown();
        printer.before_a_question(&format!(
            "{shown}\n  goes: {}\n  comes: {}, which starts {} serve --toolbox {}",
            names.join(", "),
            asked.name,
            serve.command,
            toolbox.directory().display()
        ));
        if self.servers[0].scope == Scope::Project {
            printer.warning(&format!(
                "{shown} belongs to the project, and the paths that it will name are those of this machine"
            ));
        }
        if asked.approval.approve.is_none() {
            let what = format!("the configuration of {title}");
            let hint = "approve the tool by its digest with --approve, which approves this as well";
            let consented = consent(&shown, &what, hint);
            if let Err(error) = consented {
                for server in taken {
                    self.release(server)?;
                }
                return Err(error);
            }
        }
        if change.kind() == ChangeKind::Nothing {
            return Ok(());
        }
        self.record_change(document, &change)?;
        change.write(config)?;
        for server in taken {
            printer.note(&format!(
                "`{}` of {title} is now `{}` ({})",
                server.written.name, server.tool, server.became
            ));
        }
        printer.hint(&format!("start {title} anew, or reload its servers"));
        printer.hint(&format!(
            "take it back with: tool adopt --undo {}",
            document.client().name
        ));
        Ok(())
    }

    /// The tools that the entry serves: all, unless it served only some before.
    fn only(&self, document: &Document, taken: &[AdoptedServer]) -> anyhow::Result<Vec<String>> {
        let connections = document.connections()?;
        let mut connections = connections.into_iter();
        let before = connections.find(|(name, _)| *name == self.asked.name);
        let mut only = before.map(|(_, started)| started.only).unwrap_or_default();
        if !only.is_empty() {
            only.extend(taken.iter().map(|server| server.tool.to_string()));
            only.dedup();
        }
        Ok(only)
    }

    /// Records that `server` is about to be taken out of the configuration.
    fn record(&self, server: &AdoptedServer) -> anyhow::Result<()> {
        let is_other = |other: &AdoptedServer| other.written.name != server.written.name;
        self.change_record(|file| {
            file.servers.retain(is_other);
            file.servers.push(server.clone());
        })
    }

    fn record_change(&self, document: &Document, change: &Change) -> anyhow::Result<()> {
        let had_it = document.has(&self.asked.name)?;
        let Some((before, after)) = change.texts() else {
            return Ok(());
        };
        self.change_record(|file| {
            // Where nobody else changed the file since, the first text is the one to come back to.
            let first = file
                .splice
                .as_ref()
                .and_then(|earlier| earlier.undone(before));
            let first =
                first.or_else(|| is_first(document, file, had_it).then(|| before.to_owned()));
            file.splice = first.map(|first| Splice::between(&first, after));
            if !had_it {
                file.connection = Some(self.asked.name.clone());
            }
        })
    }

    /// Forgets a server that was not taken out after all, and the values that were kept for it.
    fn release(&self, server: &AdoptedServer) -> anyhow::Result<()> {
        let Session { config, printer } = self.session;
        self.change_record(|file| {
            file.servers
                .retain(|other| other.written.name != server.written.name);
        })?;
        values::forget(server, &AdoptionRecord::read(&config.settings)?, config)?;
        if !server.was_there {
            printer.hint(&format!(
                "`{0}` stays in the toolbox; remove it with: tool remove {0}",
                server.tool
            ));
        }
        Ok(())
    }

    fn change_record(&self, change: impl FnOnce(&mut AdoptedFile)) -> anyhow::Result<()> {
        let one = self.servers[0];
        AdoptionRecord::change(&self.session.config.settings, |record| {
            let mut file = record.file(&one.file).cloned().unwrap_or(AdoptedFile {
                client: one.client.name.to_owned(),
                scope: one.scope,
                path: one.file.clone(),
                connection: None,
                splice: None,
                servers: Vec::new(),
            });
            change(&mut file);
            record.put(file);
        })?;
        Ok(())
    }

    /// Fails before anything is loaded where the file could not be written afterwards.
    fn refuse_unwritable(&self, document: &Document) -> anyhow::Result<()> {
        if self.servers[0].scope == Scope::Project {
            files::refuse_outside(&self.surroundings.project, document.path())?;
        }
        let is_read_only =
            |path: &Path| path.metadata().is_ok_and(|it| it.permissions().readonly());
        if is_read_only(document.target()) {
            let shown = document.path().display();
            return Err(Problem::user(format!(
                "{shown} is read-only, so no server can be taken out of it"
            ))
            .hint(format!("make it writable, such as with: chmod u+w {shown}"))
            .into());
        }
        Ok(())
    }

    fn as_json(&self, server: &AdoptedServer) -> Value {
        let one = self.servers[0];
        json!({
            "client": one.client.name,
            "file": one.file,
            "name": server.written.name,
            "became": server.became,
            "tool": server.tool,
            "toolbox": server.toolbox,
        })
    }
}

/// True if `document` has all that undoing has to bring back, and nothing that adopting made.
fn is_first(document: &Document, file: &AdoptedFile, had_connection: bool) -> bool {
    let mut names = file.servers.iter().map(|server| &server.written.name);
    let has_all = names.all(|name| document.written(name).is_ok_and(|it| it.is_some()));
    has_all && !(had_connection && file.connection.is_some())
}

fn adopted(
    taken: Taken,
    rights: &ProposedRights,
    written: WrittenServer,
    toolbox: &OpenToolbox,
) -> AdoptedServer {
    let credentials = rights.credentials.iter();
    AdoptedServer {
        toolbox: toolbox.directory().to_owned(),
        tool: taken.tool,
        became: taken.became.as_str().to_owned(),
        was_there: taken.was_there,
        project: taken.project,
        variables: rights
            .variables
            .iter()
            .map(|(name, _)| name.clone())
            .collect(),
        written,
        credentials: credentials
            .map(|(name, origin, _)| KeptCredential {
                name: name.clone(),
                origin: origin.clone(),
            })
            .collect(),
    }
}

/// Asks what a server shall become. Nothing typed means that it stays.
fn ask(one: &FoundServer, session: &Session) -> anyhow::Result<AdoptedForm> {
    let Some(mut terminal) = Terminal::open() else {
        return Ok(AdoptedForm::Stay);
    };
    let place = format!("{}, {}", one.client.title, one.file.display());
    let lines = [vec![place], described(one)].concat();
    session.printer.before_a_question(&lines.join("\n"));
    let choices = one.plan.choices();
    let words: Vec<&str> = choices.iter().map(|it| it.as_str()).collect();
    let question = format!(
        "What shall `{}` become: {}? Empty for stay: ",
        escape_line(&one.server.name),
        words.join(", ")
    );
    loop {
        let answer = terminal.ask(&question)?;
        let answer = answer.trim();
        if answer.is_empty() {
            return Ok(AdoptedForm::Stay);
        }
        if let Some(choice) = choices.iter().find(|it| it.as_str() == answer) {
            return Ok(*choice);
        }
    }
}
