//! Finds the servers in clients' configurations, with the plan for each.

use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

use tool_hub_mcp_client::local_support;
use tool_hub_toolbox::package::Subject;

use super::Adopt;
use crate::adopt::{ConfiguredServer, Means, Plan, Replacements, plan};
use crate::connect::{Client, Document, Scope, Surroundings};
use crate::files;
use crate::session::Session;
use crate::terminal::diagnosis;

/// The table in a shelf that names the packages for which its tools stand.
const TABLE: &str = "replacements.toml";

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
        !self.plan.roads.is_empty()
    }
}

/// The tools that stand for well-known servers.
#[derive(Debug, Clone)]
pub(super) enum Shelf {
    /// Projects and packages in a directory.
    Directory(PathBuf),
    /// Repositories of an owner on the registry.
    Owner(String),
}

impl FromStr for Shelf {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(
            match text.starts_with(['.', '/', '~']) || text.contains('/') {
                true => Self::Directory(PathBuf::from(text)),
                false => Self::Owner(text.to_owned()),
            },
        )
    }
}

impl Shelf {
    /// The tool called `name` on it.
    pub(super) fn subject(&self, name: &str) -> Subject {
        match self {
            Self::Directory(directory) => Subject::Path(directory.join(name)),
            Self::Owner(owner) => {
                let text = format!("{owner}/{name}");
                Subject::Reference(text.parse(), text)
            }
        }
    }

    /// The table of a shelf in a directory, where it has one.
    fn table(&self) -> anyhow::Result<Option<Replacements>> {
        let Self::Directory(directory) = self else {
            return Ok(None);
        };
        let path = directory.join(TABLE);
        let text = files::read_if_present(&path)?;
        Ok(text.map(|text| text.parse()).transpose()?)
    }
}

/// Every server that `asked` is about. A configuration that cannot be read is an error if it is
/// that of a client that was named, and else it is warned about.
pub(super) fn find(
    asked: &Adopt,
    client: Option<&'static Client>,
    surroundings: &Surroundings,
    session: &Session,
) -> anyhow::Result<Vec<FoundServer>> {
    let table = asked.shelf.as_ref().map(Shelf::table);
    let means = Means {
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
            match servers(one, scope, &means, surroundings) {
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
    means: &Means,
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
            plan: plan(&server, means),
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
