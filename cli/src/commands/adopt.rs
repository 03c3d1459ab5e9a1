//! `tool adopt`: takes over the MCP servers in clients' configurations, and gives them back.
//! Each server is planned for first; each tool that takes the place of one is consented to like any
//! other, and so is each file that is written.

mod adopting;
mod conversion;
mod found;
mod listing;
mod options;
mod rights;
mod shelf;
mod taking;
mod undo;
mod values;
mod write_consent;

use std::process::ExitCode;

use clap::Args;

use crate::connect::{Client, Surroundings};
use crate::session::Session;
use crate::terminal::phrases::nearest;
use crate::terminal::problem::Problem;
use found::{FoundServer, find};
use options::AdoptOptions;

/// Arguments of `tool adopt`.
#[derive(Debug, Args)]
pub(crate) struct Adopt {
    #[command(flatten)]
    options: AdoptOptions,
}

impl Adopt {
    pub(crate) async fn execute(self, session: &Session) -> anyhow::Result<ExitCode> {
        let mut options = self.options;
        options.place(&session.config.settings);
        let client = client(&options)?;
        if options.undo {
            return undo::undo(&options, client, session);
        }
        if !options.approval.is_empty() && (options.server.is_none() || options.r#as.is_none()) {
            return Err(Problem::user("an approval and rights are for one server")
                .hint("name it and what it becomes: tool adopt --server NAME --as component --approve DIGEST")
                .into());
        }
        let surroundings = Surroundings::find(&session.config)?;
        let found = find(&options, client, &surroundings, session)?;
        listing::tell_interrupted(&found, session)?;
        if let Some(name) = &options.server {
            refuse_unknown(name, &found)?;
        }
        if options.wants_a_plan() {
            listing::list(&found, session)?;
            if !options.dry_run && found.iter().any(FoundServer::can_be_adopted) {
                session.printer.hint(
                    "nobody is there to ask; take one over with: tool adopt --server NAME --as component --approve DIGEST",
                );
            }
            return Ok(ExitCode::SUCCESS);
        }
        adopting::adopt(&options, &found, &surroundings, session).await
    }
}

/// The client that was named.
fn client(options: &AdoptOptions) -> anyhow::Result<Option<&'static Client>> {
    let Some(name) = &options.client else {
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
