//! Fetches the description of an MCP server: starts it after consent, and asks it for its tools.

use std::collections::{BTreeMap, BTreeSet};

use tool_hub_manifest::{
    Digest, Grants, LockedTool, ServerAddress, ServerStart, Source, ToolKey, ToolName, Verified,
};
use tool_hub_mcp_client::{Opening, ServerError, list, local_support};
use tool_hub_toolbox::Error;
use tool_hub_toolbox::fetched::{Fetched, FetchedFrom};
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use tool_hub_toolbox::package_attestations::PackageAttestations;
use tool_hub_toolbox::package_signature::PackageSignature;
use tool_hub_toolbox::policy::policies::Policies;
use tool_hub_toolbox::policy::subject::RightsSubject;

use crate::consent::rights_flags::RightsFlags;
use crate::servers::rights::{Rights, rights};
use crate::servers::{connector, start, start_consent};
use crate::session::Session;
use crate::terminal::problem::Problem;
use crate::terminal::progress::Spinner;

/// A server that somebody wants to look at or to load.
pub(crate) struct WantedServer<'a> {
    pub(crate) address: &'a ServerAddress,
    /// Its name in the toolbox; its own where nobody chose one.
    pub(crate) key: Option<&'a ToolKey>,
    pub(crate) rights: &'a RightsFlags,
    /// The digest of the start that a flag agrees to.
    pub(crate) start: Option<Digest>,
}

/// A server that has said what its tools are.
pub(crate) struct FetchedServer {
    pub(crate) key: ToolKey,
    pub(crate) fetched: Fetched,
    /// The rights that it was started with and keeps.
    pub(crate) grants: Grants,
}

/// Starts the server that is `wanted`, once somebody agreed to that, and reads its tools.
///
/// # Errors
/// When it cannot be caged here, nobody agrees, or it does not say what its tools are.
pub(crate) async fn fetch(
    wanted: &WantedServer<'_>,
    session: &Session,
) -> anyhow::Result<FetchedServer> {
    let settings = &session.config.settings;
    let address = wanted.address;
    refuse_without_cage(address)?;
    // The server is about to be started, so all that is known of it is judged before.
    let policies = Policies::read(settings).map_err(Error::from)?;
    let (named, source) = (
        address.to_string(),
        Source::Server {
            address: address.clone(),
        },
    );
    policies.check_place(&named, &source).map_err(Error::from)?;
    let start = start::start_of(address, session).await?;
    let name = name_of(address);
    let key = wanted.key.cloned().unwrap_or_else(|| ToolKey::from(&name));
    let toolbox = OpenToolbox::open(settings)?;
    let before = toolbox.last_approved(&key);
    let before = before.filter(|before| is_of(before, address));
    let Rights { asked, grants } = rights(address, &start, before, wanted.rights, session)?;
    let judged = RightsSubject {
        grants: &grants,
        limits: None,
    };
    policies
        .check_rights(&named, &judged)
        .map_err(Error::from)?;
    start_consent::agreed(&start, &grants, before, wanted.start, session)?;
    let credentials = settings.granted_credentials(&grants)?;
    let credentials = asked.credentials.iter().filter_map(|request| {
        grants.credentials.get(&request.name)?;
        Some((request.clone(), credentials.get(&request.name).cloned()))
    });
    let opening = Opening::after_consent(start.clone(), grants.clone())
        .variables(settings.granted_variables(&grants)?)
        .credentials(credentials.collect());
    let spinner = Spinner::start(
        "asking the server for its tools".to_owned(),
        &session.printer,
    );
    let listed = list(&opening, &connector::surroundings()?).await;
    spinner.finish();
    let listed = listed.map_err(|error| explained(error, &start))?;
    let package = listed.description(start).package(name, asked);
    Ok(FetchedServer {
        key,
        fetched: Fetched {
            verified: Verified::check(package)?,
            origin: FetchedFrom::Server {
                address: address.clone(),
            },
            signature: PackageSignature::none(),
            attestations: PackageAttestations::default(),
            bundle: None,
            logged: None,
            allowed_advisories: BTreeSet::new(),
            dependencies: BTreeMap::new(),
        },
        grants,
    })
}

/// Fails where local servers cannot be caged, before anything is asked or started.
fn refuse_without_cage(address: &ServerAddress) -> anyhow::Result<()> {
    let support = local_support();
    match address {
        ServerAddress::Command(_) if !support.is_complete() => Err(Problem::refused(format!(
            "local servers cannot be caged here, so none is started: {support}"
        ))
        .hint("a remote server needs no cage: mcp+https://…")
        .into()),
        _ => Ok(()),
    }
}

fn is_of(locked: &LockedTool, address: &ServerAddress) -> bool {
    matches!(&locked.source, tool_hub_manifest::Source::Server { address: other } if other == address)
}

fn explained(error: ServerError, start: &ServerStart) -> anyhow::Error {
    let hint = match (&error, start) {
        (ServerError::NoCredential { name }, _) => {
            format!("keep it with: tool credential set {name}")
        }
        (ServerError::Ended { .. }, ServerStart::Process(_)) => {
            "it ran with nothing but what it was granted; a server that needs a directory, a \
             variable or a host gets it with --allow-dir, --allow-var or --allow-network before mcp:"
                .to_owned()
        }
        (ServerError::Protocol { .. }, ServerStart::Remote { .. }) => {
            "a server that wants a key gets it with --allow-credential NAME, once the value is kept \
             with: tool credential set"
                .to_owned()
        }
        _ => "nothing was recorded".to_owned(),
    };
    Problem::user("the server's tools cannot be read")
        .caused_by(error)
        .hint(hint)
        .into()
}

/// The name of a server that nobody named: of its package, its file or its host.
fn name_of(address: &ServerAddress) -> ToolName {
    let text = match address {
        ServerAddress::Remote(url) => {
            let origin = url.origin();
            let host = origin.host().trim_start_matches("mcp.").to_owned();
            host.split('.').next().unwrap_or_default().to_owned()
        }
        ServerAddress::Command(command) => {
            let words = command.words().iter();
            let mut named = words.skip(1).filter(|word| !word.starts_with('-'));
            let program = command.program();
            let last = |text: &str| text.rsplit('/').next().unwrap_or(text).to_owned();
            let is_launcher = [
                "npx", "npm", "uvx", "uv", "pipx", "python", "python3", "node", "deno", "bun",
            ]
            .contains(&last(program).as_str());
            let named = named.find(|word| !["exec", "x", "tool", "run"].contains(&word.as_str()));
            let text = match named.filter(|_| is_launcher) {
                Some(word) => last(word),
                None => last(program),
            };
            let bare = text.split('@').next().unwrap_or_default();
            let bare = bare
                .rsplit_once('.')
                .map_or(bare, |(stem, ending)| match ending {
                    "py" | "js" | "mjs" | "cjs" | "ts" | "rb" | "sh" => stem,
                    _ => bare,
                });
            bare.to_owned()
        }
    };
    let plain: String = text
        .to_ascii_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(40)
        .collect();
    let mut plain = plain.trim_matches('-');
    for before in ["mcp-server-", "server-", "mcp-"] {
        plain = plain.strip_prefix(before).unwrap_or(plain);
    }
    for after in ["-mcp-server", "-mcp", "-server"] {
        plain = plain.strip_suffix(after).unwrap_or(plain);
    }
    let collapsed: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).collect();
    let fallback = || "server".parse().expect("`server` is a tool's name");
    collapsed.join("-").parse().unwrap_or_else(|_| fallback())
}

#[cfg(test)]
mod tests {
    use tool_hub_manifest::{ServerCommand, ServerUrl};

    use super::*;

    #[test]
    fn servers_are_named_after_their_packages() {
        for (line, expect) in [
            ("npx -y @modelcontextprotocol/server-memory", "memory"),
            ("npx -y some-mcp@1.2.3 --x", "some"),
            ("uvx mcp-server-time --local-timezone=UTC", "time"),
            ("uv tool run mcp-server-git", "git"),
            ("python3 /srv/weather_server.py", "weather"),
            ("/opt/bin/my-tool", "my-tool"),
            ("node /srv/名.js", "server"),
        ] {
            let words = line.split(' ').map(str::to_owned).collect();
            let address = ServerAddress::Command(ServerCommand::new(words).unwrap());
            assert_eq!(name_of(&address).as_str(), expect, "{line}");
        }
        let url = ServerUrl::new("https://mcp.linear.app/mcp").unwrap();
        assert_eq!(name_of(&ServerAddress::Remote(url)).as_str(), "linear");
    }
}
