//! Finds the servers in clients' configurations, with the plan for each.

use std::path::PathBuf;

use tool_hub_mcp_client::local_support;

use super::options::AdoptOptions;
use super::shelf::Shelf;
use crate::adopt::{AdoptionSupport, ConfiguredServer, Plan, Replacements, plan};
use crate::connect::{Client, Document, Scope, Surroundings};
use crate::session::Session;
use crate::terminal::diagnosis;

/// A server in a client's configuration.
pub(super) struct FoundServer {
    pub(super) client: &'static Client,
    pub(super) scope: Scope,
    pub(super) file: PathBuf,
    pub(super) server: ConfiguredServer,
    pub(super) plan: Plan,
}

impl FoundServer {
    /// True if it can become something else than it is.
    pub(super) fn can_be_adopted(&self) -> bool {
        !self.plan.routes.is_empty()
    }
}

/// Every server that `asked` is about. A configuration that cannot be read is an error if it is
/// that of a client that was named, and else it is warned about.
pub(super) fn find(
    asked: &AdoptOptions,
    client: Option<&'static Client>,
    surroundings: &Surroundings,
    session: &Session,
) -> anyhow::Result<Vec<FoundServer>> {
    let table = asked.shelf.as_ref().map(Shelf::table);
    let support = AdoptionSupport {
        replacements: table
            .transpose()?
            .flatten()
            .unwrap_or_else(Replacements::known),
        has_shelf: asked.shelf.is_some(),
        no_cage: no_cage(),
    };
    let mut found = Vec::new();
    for one in Client::all().filter(|one| client.is_none_or(|it| it.name == one.name)) {
        for scope in [Scope::User, Scope::Project] {
            if asked.scope.is_some_and(|wanted| wanted != scope)
                || scope == Scope::Project && !one.knows_projects()
            {
                continue;
            }
            match servers(one, scope, &support, surroundings) {
                Ok(servers) => found.extend(servers),
                Err(error) if client.is_some() => return Err(error),
                Err(error) => {
                    session.printer.warning(&format!("left out: {error:#}"));
                    for hint in diagnosis::of(&error).hints {
                        session.printer.hint(&hint);
                    }
                }
            }
        }
    }
    Ok(found)
}

fn servers(
    client: &'static Client,
    scope: Scope,
    support: &AdoptionSupport,
    surroundings: &Surroundings,
) -> anyhow::Result<Vec<FoundServer>> {
    let document: Document = surroundings.open(client, scope)?;
    // In the home directory some clients have one file for both.
    let own = client.file(Scope::User, &surroundings.places, &surroundings.project);
    if scope == Scope::Project && own.is_some_and(|own| own == document.path()) {
        return Ok(Vec::new());
    }
    let all = document.all()?;
    let servers = all.iter().map(|(name, entry)| {
        let server = ConfiguredServer::of(name, entry);
        FoundServer {
            client,
            scope,
            file: document.path().to_owned(),
            plan: plan(&server, support),
            server,
        }
    });
    Ok(servers.collect())
}

/// The reason why no process can be caged here, if none can.
fn no_cage() -> Option<String> {
    let support = local_support();
    (!support.is_complete()).then(|| support.to_string())
}
