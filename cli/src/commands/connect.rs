//! `tool connect`: adds `tool serve` to the configuration of an MCP client, or removes it again.
//! The difference is shown first, and nothing is written without consent.

mod list;

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_toolbox::open_toolbox::OpenToolbox;

use crate::connect::{Change, ChangeKind, Client, Document, Scope, Server, Surroundings};
use crate::consent::approval::Terminal;
use crate::files;
use crate::session::Session;
use crate::terminal::escape::escape_line;
use crate::terminal::phrases::nearest;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// Arguments of `tool connect`.
#[derive(Debug, Args)]
pub(crate) struct Connect {
    /// claude-code, claude-desktop, codex, copilot-cli, cursor, gemini-cli, kiro, vscode,
    /// windsurf or zed; for any other one, what to paste is printed
    #[arg(required_unless_present = "list")]
    client: Option<String>,

    /// Whose configuration to write [default: the project's where the toolbox is a project's
    /// and the client has one for it, else your own]
    #[arg(long, value_enum)]
    scope: Option<Scope>,

    /// Serve only this tool of the toolbox (repeatable) [default: all that you approved]
    #[arg(
        long,
        value_name = "TOOL",
        value_delimiter = ',',
        conflicts_with = "remove"
    )]
    only: Vec<String>,

    /// What the client calls the server
    #[arg(long, default_value = "tool-hub", value_parser = server_name)]
    name: String,

    /// Take the server out of the configuration again
    #[arg(long)]
    remove: bool,

    /// List the clients that start `tool serve`, here and in your own configurations
    #[arg(long, conflicts_with_all = ["client", "scope", "only", "remove", "dry_run", "yes"])]
    list: bool,

    /// Show the difference and write nothing
    #[arg(long)]
    dry_run: bool,

    /// Write without asking
    #[arg(long, short)]
    yes: bool,
}

/// The characters that every client takes in the name of a server.
pub(super) fn server_name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if text.is_empty() || text.len() > 64 || !text.chars().all(is_plain) {
        return Err("write 1 to 64 letters, digits, - and _".to_owned());
    }
    Ok(text.to_owned())
}

impl Connect {
    pub(crate) fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let surroundings = Surroundings::find(config)?;
        let Some(name) = &self.client else {
            return list::list(&surroundings, printer);
        };
        let toolbox = &surroundings.toolbox;
        let server = match self.remove {
            true => None,
            false => Some(Server::of(toolbox, self.named(toolbox)?, &config.settings)?),
        };
        let Some(client) = Client::find(name) else {
            return Err(self.unknown(name, server.as_ref(), printer)?);
        };
        let scope = match server {
            Some(_) => self.scope_to_write(client, &surroundings)?,
            None => self.scope_to_clear(client, &surroundings)?,
        };
        let document = surroundings.open(client, scope)?;
        if scope == Scope::Project {
            files::refuse_outside(&surroundings.project, document.path())?;
        }
        let change = match &server {
            Some(server) => document.with(&self.name, server)?,
            None => document.without(&self.name)?,
        };
        let asked = ConnectRequest {
            client,
            scope,
            document: &document,
            change: &change,
            server: server.as_ref(),
        };
        if let Some(server) = &server {
            self.warn(server, &asked, &surroundings, printer)?;
        }
        self.carry_out(&asked, session)
    }

    /// The names of the tools that are to be served, each once, as the toolbox has them; none
    /// where all are.
    fn named(&self, toolbox: &OpenToolbox) -> anyhow::Result<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        if !self.only.is_empty() {
            for status in toolbox.chosen(&self.only)? {
                let name = status.key.to_string();
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        Ok(names)
    }

    /// Shows what is asked, gets consent and writes it.
    fn carry_out(&self, asked: &ConnectRequest<'_>, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let change = asked.change;
        let is_needed = change.kind() != ChangeKind::Nothing;
        let diff = change.diff();
        let shown = for_people(&diff);
        let is_written = is_needed && !self.dry_run;
        if is_written {
            if self.yes {
                printer.note(&shown);
            } else {
                printer.before_a_question(&shown);
                consent(asked)?;
            }
            change.write(config)?;
        }
        if printer.wants_json() {
            printer.json(&json!({
                "client": asked.client.name,
                "scope": asked.scope,
                "file": asked.document.path(),
                "name": self.name,
                "server": asked.server,
                "change": change.kind(),
                "written": is_written,
                "diff": diff,
            }))?;
        } else if is_needed && self.dry_run {
            printer.data(&shown)?;
        }
        self.tell(asked, printer);
        Ok(ExitCode::SUCCESS)
    }

    fn tell(&self, asked: &ConnectRequest<'_>, printer: &Printer) {
        let file = asked.document.path().display();
        let title = asked.client.title;
        match (asked.change.kind(), self.dry_run, asked.server) {
            (ChangeKind::Nothing, ..) => {
                printer.note(&format!("{file} says so already; nothing was changed"));
            }
            (_, true, _) => printer.note("nothing was written"),
            (_, _, Some(_)) => {
                printer.note(&format!("connected {title}: `{}` in {file}", self.name));
                printer.hint(&format!("start {title} anew, or reload its servers"));
            }
            (_, _, None) => printer.note(&format!("took `{}` out of {file}", self.name)),
        }
    }

    /// Says what somebody who connects a client should know.
    fn warn(
        &self,
        server: &Server,
        asked: &ConnectRequest<'_>,
        surroundings: &Surroundings,
        printer: &Printer,
    ) -> anyhow::Result<()> {
        let title = asked.client.title;
        if let Some(text) = server.looks_like_a_variable() {
            printer.warning(&format!("{title} may take the $ in {text} for a variable"));
        }
        if asked.scope == Scope::Project && asked.change.kind() != ChangeKind::Nothing {
            printer.warning(&format!(
                "{} belongs to the project, and the paths that it will name are those of this machine",
                asked.document.path().display()
            ));
            printer.hint("with --scope user it is your own configuration that is written");
        }
        let statuses = surroundings.toolbox.chosen(&self.only)?;
        if statuses.is_empty() {
            printer.warning(&format!(
                "the toolbox {} is empty",
                surroundings.toolbox.path().display()
            ));
            printer.hint("load a tool with: tool load owner/name");
        }
        for status in &statuses {
            let member = match &status.member {
                Ok(member) => member,
                Err(unusable) => {
                    printer.warning(&format!("it cannot be served: {}", unusable));
                    continue;
                }
            };
            for variable in &member.grants().variables {
                printer.hint(&format!(
                    "`{}` reads {variable} from what {title} was started with; where that has none, add {variable}_FILE with the path of a file that holds it to the server's `env`",
                    member.key
                ));
            }
        }
        Ok(())
    }

    fn scope_to_write(
        &self,
        client: &Client,
        surroundings: &Surroundings,
    ) -> anyhow::Result<Scope> {
        let has_projects = client.knows_projects();
        match self.scope {
            Some(Scope::Project) if !has_projects => Err(Problem::user(format!(
                "{} has no configuration for a single project",
                client.title
            ))
            .hint("leave --scope out, and your own is written")
            .into()),
            Some(scope) => Ok(scope),
            None if has_projects && surroundings.is_in_project => Ok(Scope::Project),
            None => Ok(Scope::User),
        }
    }

    /// The scope in which the client has the server.
    fn scope_to_clear(
        &self,
        client: &'static Client,
        surroundings: &Surroundings,
    ) -> anyhow::Result<Scope> {
        if self.scope.is_some() {
            return self.scope_to_write(client, surroundings);
        }
        let mut found = Vec::new();
        let mut looked = Vec::new();
        for scope in [Scope::Project, Scope::User] {
            if scope == Scope::User || client.knows_projects() {
                let document = surroundings.open(client, scope)?;
                if document.has(&self.name)? {
                    found.push(scope);
                }
                looked.push(document.path().display().to_string());
            }
        }
        match found[..] {
            [scope] => Ok(scope),
            [] => Err(Problem::user(format!(
                "{} has no server called `{}`: looked into {}",
                client.title,
                self.name,
                looked.join(" and ")
            ))
            .hint("see what there is with: tool connect --list")
            .into()),
            _ => Err(Problem::user(format!(
                "both {} have a server called `{}`",
                looked.join(" and "),
                self.name
            ))
            .hint("say which one with --scope user or --scope project")
            .into()),
        }
    }

    /// The error for a client that is not known: with the nearest name, else with the text to
    /// paste.
    fn unknown(
        &self,
        name: &str,
        server: Option<&Server>,
        printer: &Printer,
    ) -> anyhow::Result<anyhow::Error> {
        let known: Vec<&str> = Client::all().map(|client| client.name).collect();
        let problem = Problem::user(format!(
            "`{name}` is not a client whose configuration is known; nothing was written"
        ));
        if let Some(meant) = nearest(name, &known) {
            return Ok(problem.hint(format!("did you mean `{meant}`?")).into());
        }
        let known = format!("known are {}", known.join(", "));
        let Some(server) = server else {
            return Ok(problem.hint(known).into());
        };
        printer.json(&json!({ "mcpServers": { &self.name: server } }))?;
        Ok(problem
            .hint("paste the above into its configuration, in the form that it documents")
            .hint(known)
            .into())
    }
}

/// A connection to make or to remove, in all its parts.
struct ConnectRequest<'a> {
    client: &'a Client,
    scope: Scope,
    document: &'a Document,
    change: &'a Change,
    /// Nothing where the server is taken out.
    server: Option<&'a Server>,
}

fn consent(asked: &ConnectRequest<'_>) -> anyhow::Result<()> {
    let file = asked.change.shown();
    let Some(mut terminal) = Terminal::open() else {
        return Err(Problem::refused(format!(
            "nobody is there to ask whether {file} may be changed"
        ))
        .hint("look at the difference with --dry-run, then write it with --yes")
        .into());
    };
    let verb = match asked.change.kind() {
        ChangeKind::Deleted => "Delete",
        _ => "Write",
    };
    let question = format!("{verb} {}? Type yes to approve: ", escape_line(&file));
    if terminal.ask(&question)?.trim() == "yes" {
        return Ok(());
    }
    Err(
        Problem::refused(format!("{file} may not be changed; nothing was written"))
            .hint("only the whole word yes approves")
            .into(),
    )
}

/// A difference for a terminal, with harmless tabs and line ends replaced, so that they are not
/// escaped.
fn for_people(diff: &str) -> String {
    let shown = diff.replace("\r\n", "\n").replace('\t', "    ");
    shown.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_that_every_client_takes() {
        for name in ["tool-hub", "a", "My_Tools2"] {
            assert_eq!(server_name(name), Ok(name.to_owned()));
        }
        for name in ["", "a b", "a.b", "é", "a/b", &"a".repeat(65)] {
            assert!(server_name(name).is_err(), "{name:?}");
        }
    }
}
