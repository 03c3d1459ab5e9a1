//! `tool adopt`: takes over the MCP servers in clients' configurations, and gives them back.
//! Each server is planned for first; each tool that takes the place of one is consented to like any
//! other, and so is each file that is written.

mod adopting;
mod conversion;
mod found;
mod listing;
mod rights;
mod taking;
mod undo;
mod values;

use std::process::ExitCode;

use clap::Args;
use tool_hub_manifest::Digest;
use tool_hub_toolbox::Settings;

use crate::adopt::Become;
use crate::connect::{Client, Scope, Surroundings};
use crate::consent::approval::{ApprovalFlags, Terminal};
use crate::session::Session;
use crate::terminal::phrases::nearest;
use crate::terminal::problem::Problem;
use found::{FoundServer, Shelf, find};

/// Arguments of `tool adopt`.
#[derive(Debug, Args)]
pub(crate) struct Adopt {
    /// Look only at the configurations of this client [default: all that `tool connect` knows]
    client: Option<String>,

    /// Take over only the server of this name
    #[arg(long, value_name = "NAME")]
    server: Option<String>,

    /// What to make of it, without being asked [default: asks]
    #[arg(long = "as", value_enum, requires = "server")]
    r#as: Option<Become>,

    /// Only your own configurations, or only the project's [default: both]
    #[arg(long, value_enum)]
    scope: Option<Scope>,

    /// Where the shelf is, whose tools stand for well-known servers: a directory of projects and
    /// packages, or an owner on the registry
    #[arg(long, value_name = "DIR|OWNER")]
    shelf: Option<Shelf>,

    /// What the clients call the entry that starts `tool serve`
    #[arg(long, default_value = "tool-hub", value_parser = super::connect::server_name)]
    name: String,

    /// Agree without asking to the start of a process, by the digest that is shown for it
    #[arg(long, value_name = "DIGEST", requires = "as")]
    start: Option<Digest>,

    /// Show what would be done and change nothing; with --as show also the tool, which is made for
    /// this
    #[arg(long)]
    dry_run: bool,

    /// Give back what was taken over: the entries as they were, without the tools
    #[arg(long, conflicts_with_all = ["as", "shelf", "approve"])]
    undo: bool,

    /// With --undo: write without asking, and remove the tools that nothing else needs
    #[arg(long, short, requires = "undo")]
    yes: bool,

    #[command(flatten)]
    approval: ApprovalFlags,
}

impl Adopt {
    pub(crate) async fn execute(mut self, session: &Session) -> anyhow::Result<ExitCode> {
        self.place(&session.config.settings);
        let client = self.client()?;
        if self.undo {
            return undo::undo(&self, client, session);
        }
        if !self.approval.is_empty() && (self.server.is_none() || self.r#as.is_none()) {
            return Err(Problem::user("an approval and rights are for one server")
                .hint("name it and what it becomes: tool adopt --server NAME --as component --approve DIGEST")
                .into());
        }
        let surroundings = Surroundings::find(&session.config)?;
        let found = find(&self, client, &surroundings, session)?;
        listing::tell_interrupted(&found, session)?;
        if let Some(name) = &self.server {
            refuse_unknown(name, &found)?;
        }
        if self.wants_a_plan() {
            listing::list(&found, session)?;
            if !self.dry_run && found.iter().any(FoundServer::can_be_adopted) {
                session.printer.hint(
                    "nobody is there to ask; take one over with: tool adopt --server NAME --as component --approve DIGEST",
                );
            }
            return Ok(ExitCode::SUCCESS);
        }
        adopting::adopt(&self, &found, &surroundings, session).await
    }

    /// Resolves its paths, since the tools of a user's own toolbox are loaded as from its directory.
    fn place(&mut self, settings: &Settings) {
        if let Some(Shelf::Directory(directory)) = &mut self.shelf {
            *directory = settings.place(directory);
        }
        let rights = &mut self.approval.rights;
        let directories = rights.directories.iter_mut().map(|(.., path)| path);
        for path in directories.chain(&mut rights.insisted) {
            *path = settings.place(path);
        }
    }

    /// True if nothing is to be done: neither at a terminal nor by flags.
    fn wants_a_plan(&self) -> bool {
        self.r#as.is_none() && (self.dry_run || Terminal::open().is_none())
    }

    fn client(&self) -> anyhow::Result<Option<&'static Client>> {
        let Some(name) = &self.client else {
            return Ok(None);
        };
        if let Some(client) = Client::find(name) {
            return Ok(Some(client));
        }
        let known: Vec<&str> = Client::all().map(|client| client.name).collect();
        let hint = match nearest(name, &known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("known are {}", known.join(", ")),
        };
        let what = format!("`{name}` is not a client whose configuration is known");
        Err(Problem::user(what).hint(hint).into())
    }
}

/// Fails if no server is called `name`.
fn refuse_unknown(name: &str, found: &[FoundServer]) -> anyhow::Result<()> {
    if found.iter().any(|it| it.server.name == name) {
        return Ok(());
    }
    let known: Vec<&str> = found.iter().map(|it| &*it.server.name).collect();
    let problem = Problem::user(format!("no client has a server called `{name}`"));
    Err(match nearest(name, &known) {
        Some(meant) => problem.hint(format!("did you mean `{meant}`?")),
        None => problem.hint("see what there is with: tool adopt --dry-run"),
    }
    .into())
}
