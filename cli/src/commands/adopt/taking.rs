//! Takes one server over: finds or makes the tool that stands for it, and has it consented to.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde_json::json;
use tool_hub_manifest::{
    Capabilities, Digest, Methods, Origin, ServerAddress, ServerCommand, ServerUrl, ToolKey,
    ToolName, ToolboxEntry,
};
use tool_hub_toolbox::fetched::{Fetched, FetchedFrom};
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use tool_hub_toolbox::provenance::Provenance;
use tool_hub_toolbox::subject::Subject;

use super::conversion::convert;
use super::found::FoundServer;
use super::options::AdoptOptions;
use super::rights::{ProposedRights, of_process, of_remote, proposed};
use super::values;
use crate::adopt::{
    AdoptedForm, AdoptionRecord, Launcher, LocalCommand, RemoteAddress, Route, ServerKind,
    launcher, loadable,
};
use crate::build::scratch;
use crate::commands::load::loaded::Loaded;
use crate::commands::load::{Load, load_server};
use crate::consent::approval::{ApprovalFlags, Terminal};
use crate::consent::capability_flags::CapabilityFlags;
use crate::consent::inspection_report::{inspection_report, wanted_detail};
use crate::consent::rights_flags::origin_with_methods;
use crate::servers::fetching::{self as server_fetching, WantedServer};
use crate::session::Session;
use crate::terminal::escape::escape_line;
use crate::terminal::problem::Problem;
use crate::toolbox::fetching;

/// The tool that was loaded for a server.
#[derive(Debug, Clone)]
pub(super) struct Taken {
    pub(super) tool: ToolKey,
    pub(super) became: AdoptedForm,
    /// True if the toolbox had it before.
    pub(super) was_there: bool,
    pub(super) project: Option<PathBuf>,
}

/// A tool that is at hand, or a server whose address is, and that is not consented to yet.
struct Prepared {
    what: Candidate,
    rights: ProposedRights,
    became: AdoptedForm,
}

enum Candidate {
    Tool {
        subject: Subject,
        fetched: Box<Fetched>,
        project: Option<PathBuf>,
    },
    Server(ServerAddress),
}

/// Takes `one` over as `wanted`; `None` where it is only shown. The values of the rights are those
/// that belong to what the tool was granted; they are kept then.
pub(super) async fn take(
    asked: &AdoptOptions,
    one: &FoundServer,
    wanted: AdoptedForm,
    session: &Session,
) -> anyhow::Result<Option<(Taken, ProposedRights)>> {
    let scratch = scratch::directory("tool-adopt-", &session.config)?;
    let place = match asked.dry_run {
        true => scratch.path().join("project"),
        false => AdoptionRecord::project(&session.config.settings, &free_name(one, session)?),
    };
    let Prepared {
        what,
        mut rights,
        became,
    } = prepare(asked, one, wanted, &place, session).await?;
    for lost in &rights.lost {
        session
            .printer
            .note(&format!("{}: {lost}", one.server.name));
    }
    let toolbox = OpenToolbox::open(&session.config.settings)?;
    let key = key(&what, one, &toolbox)?;
    let record = AdoptionRecord::read(&session.config.settings)?;
    let was_there = toolbox.entry(&key).is_some() && !record.brought(toolbox.directory(), &key);
    let mut approval = asked.approval.clone();
    if !approval.rights.grants_something() {
        approval.rights = rights.flags.clone();
        let proposed = CapabilityFlags::of(&rights.flags).flags();
        if !proposed.is_empty() {
            let name = &one.server.name;
            session
                .printer
                .note(&format!("{name}: rights of its entry:{proposed}"));
        }
    }
    let new = values::keep(&rights, session)?;
    let loaded = load(asked, &what, &key, &approval, session).await;
    let loaded = match loaded {
        Ok(Some(loaded)) => loaded,
        other => {
            new.forget_others(&ProposedRights::default(), &session.config)?;
            if let Candidate::Tool {
                project: Some(project),
                ..
            } = &what
            {
                // What was made for this tool goes with it. It can be made again, so that nothing
                // is lost if it stays.
                let _ = std::fs::remove_dir_all(project);
            }
            return other.map(|_| None);
        }
    };
    let grants = &loaded.locked.grants;
    rights
        .variables
        .retain(|(name, _)| grants.variables.contains(name));
    rights
        .credentials
        .retain(|(name, ..)| grants.credentials.contains_key(name));
    new.forget_others(&rights, &session.config)?;
    let taken = Taken {
        tool: loaded.key,
        became,
        was_there,
        project: match what {
            Candidate::Tool { project, .. } => project,
            Candidate::Server(_) => None,
        },
    };
    Ok(Some((taken, rights)))
}

/// Loads the tool under `key` with the ordinary consent, or only shows it.
async fn load(
    asked: &AdoptOptions,
    what: &Candidate,
    key: &ToolKey,
    approval: &ApprovalFlags,
    session: &Session,
) -> anyhow::Result<Option<Loaded>> {
    match what {
        Candidate::Tool { fetched, .. } if asked.dry_run => {
            show(fetched, None, session).await?;
            Ok(None)
        }
        Candidate::Tool { subject, .. } => {
            let load = Load::new(subject.clone(), Some(key.clone()), approval.clone());
            load.load(session).await.map(Some)
        }
        Candidate::Server(address) => {
            let wanted = WantedServer {
                address,
                key: Some(key),
                rights: &approval.rights,
                start: asked.start,
            };
            if !asked.dry_run {
                return load_server(&wanted, approval, session).await.map(Some);
            }
            let server = server_fetching::fetch(&wanted, session).await?;
            show(&server.fetched, asked.start, session).await?;
            Ok(None)
        }
    }
}

/// The first route to `wanted` that can be gone, else the next best where a person is asked anyway.
async fn prepare(
    asked: &AdoptOptions,
    one: &FoundServer,
    wanted: AdoptedForm,
    place: &Path,
    session: &Session,
) -> anyhow::Result<Prepared> {
    let routes = one.plan.routes.iter();
    // A process is never taken in place of a component that somebody named by a flag.
    let mut routes = routes.filter(|route| {
        route.form() == wanted || wanted == AdoptedForm::Component && asked.r#as.is_none()
    });
    let mut last = None;
    for route in &mut routes {
        if let Some(error) = last.take() {
            let error: anyhow::Error = error;
            session
                .printer
                .warning(&format!("{}: {error:#}", one.server.name));
            session
                .printer
                .note(&format!("next: {}: {}", route.form().as_str(), route.why()));
        }
        match gone(asked, one, route, place, session).await {
            Ok(prepared) => return Ok(prepared),
            Err(error) => last = Some(error),
        }
    }
    let cannot = format!("`{}` cannot become {}", one.server.name, wanted.noun());
    Err(match last {
        Some(error) => error.context(cannot),
        None => Problem::user(cannot)
            .hint(one.plan.notes.first().cloned().unwrap_or_else(|| {
                let choices = one.plan.choices();
                let choices: Vec<&str> = choices.iter().map(|it| it.as_str()).collect();
                format!("it can become {}", choices.join(" or "))
            }))
            .into(),
    })
}

async fn gone(
    asked: &AdoptOptions,
    one: &FoundServer,
    route: &Route,
    place: &Path,
    session: &Session,
) -> anyhow::Result<Prepared> {
    let (what, rights) = match (route, &one.server.kind) {
        (Route::Shelf { tool, .. }, ServerKind::Local(command)) => {
            let shelf = asked.shelf.as_ref();
            let shelf = shelf.ok_or_else(|| Problem::user("nobody said where the shelf is"))?;
            fetched(shelf.subject(tool), command, None, session).await?
        }
        (Route::Conversion { from }, ServerKind::Local(command)) => {
            let name = tool_name(&one.server.name);
            convert(from, &name, command, place, session).await?;
            let (subject, project) = (Subject::Path(place.to_owned()), Some(place.to_owned()));
            fetched(subject, command, project, session).await?
        }
        (Route::Cage, ServerKind::Local(command)) => {
            let words = loadable(command).unwrap_or_default();
            let address = ServerAddress::Command(ServerCommand::new(words)?);
            let mut rights = of_process(command);
            if asked.r#as.is_none() {
                rights.flags.network = ask_for_origins(one)?;
            }
            (Candidate::Server(address), rights)
        }
        (Route::Remote, kind) => {
            let (url, headers) = match kind {
                ServerKind::Remote(RemoteAddress { url, headers }) => {
                    (url.clone(), headers.clone())
                }
                ServerKind::Local(command) => match launcher(command).0 {
                    Launcher::Bridge(url) => (url, BTreeMap::new()),
                    _ => return Err(Problem::user("its command names no address").into()),
                },
                _ => return Err(Problem::user("its entry names no address").into()),
            };
            let url = ServerUrl::new(url.as_str())?;
            let name = tool_name(&one.server.name).as_str().replace('-', "_");
            // A name of a variable begins with a letter.
            let name = format!("MCP_{}_TOKEN", name.to_ascii_uppercase()).parse()?;
            let rights = of_remote(&headers, name, &url.origin());
            (Candidate::Server(ServerAddress::Remote(url)), rights)
        }
        _ => return Err(Problem::user("its entry names no command").into()),
    };
    Ok(Prepared {
        what,
        rights,
        became: route.form(),
    })
}

/// Fetches a tool, and proposes rights for it.
async fn fetched(
    subject: Subject,
    command: &LocalCommand,
    project: Option<PathBuf>,
    session: &Session,
) -> anyhow::Result<(Candidate, ProposedRights)> {
    let settings = &session.config.settings;
    let nothing = Capabilities::default();
    let fetched = fetching::fetch(&subject, nothing, &settings.endpoint, session).await?;
    let capabilities = &fetched.verified.manifest().capabilities;
    let rights = proposed(capabilities, command, settings);
    let fetched = Box::new(fetched);
    let candidate = Candidate::Tool {
        subject,
        fetched,
        project,
    };
    Ok((candidate, rights))
}

/// Asks which origins a process may send requests to, which nothing in its entry says.
fn ask_for_origins(one: &FoundServer) -> anyhow::Result<Vec<(Origin, Option<Methods>)>> {
    let Some(mut terminal) = Terminal::open() else {
        return Ok(Vec::new());
    };
    let question = format!(
        "Which origins may `{}` send requests to, such as https://api.example.com? Empty for none: ",
        escape_line(&one.server.name)
    );
    loop {
        let answer = terminal.ask(&question)?;
        let words = answer
            .split([' ', ','])
            .map(str::trim)
            .filter(|word| !word.is_empty());
        let origins: Result<Vec<_>, _> = words.map(origin_with_methods).collect();
        match origins {
            Ok(origins) => return Ok(origins),
            Err(error) => writeln!(io::stderr(), "{}", escape_line(&error))?,
        }
    }
}

/// Shows the tool and the digest by which it is approved.
async fn show(fetched: &Fetched, start: Option<Digest>, session: &Session) -> anyhow::Result<()> {
    let Session { config, printer } = session;
    let inspection = fetched.inspect()?;
    let digest = inspection.approval_digest;
    if printer.wants_json() {
        return printer.json(&json!({
            "name": inspection.name,
            "approval_digest": digest,
            "start": start,
        }));
    }
    let from = Provenance::of(fetched, &config.settings, printer).await;
    printer.data(&inspection_report(
        &from,
        &inspection,
        wanted_detail(printer),
    ))?;
    let start = start
        .map(|start| format!("--start {start} "))
        .unwrap_or_default();
    printer.hint(&format!("approve it with: {start}--approve {digest}"));
    Ok(())
}

/// The name that the toolbox will have for the tool: its own, unless another tool has that.
fn key(what: &Candidate, one: &FoundServer, toolbox: &OpenToolbox) -> anyhow::Result<ToolKey> {
    let is_same = |entry: &ToolboxEntry| match what {
        Candidate::Server(address) => entry.mcp.as_ref() == Some(address),
        Candidate::Tool { fetched, .. } => match &fetched.origin {
            FetchedFrom::File { path } => entry.path.as_ref() == Some(path),
            FetchedFrom::Registry { resolved, .. } => entry.repo.as_ref() == Some(&resolved.repo),
            _ => false,
        },
    };
    let is_free = |key: &ToolKey| toolbox.entry(key).is_none_or(is_same);
    let second = ToolKey::from(&tool_name(&one.server.name));
    let own = match what {
        Candidate::Tool { fetched, .. } => ToolKey::from(&fetched.verified.manifest().name),
        Candidate::Server(_) => second.clone(),
    };
    let numbered = (2..100).filter_map(|number| format!("{second}_{number}").parse().ok());
    let mut all = [own, second.clone()].into_iter().chain(numbered);
    all.find(is_free).ok_or_else(|| {
        Problem::user(format!("the toolbox has too many tools called `{second}`")).into()
    })
}

/// The name of a project that no other server was made into.
fn free_name(one: &FoundServer, session: &Session) -> anyhow::Result<String> {
    let settings = &session.config.settings;
    let record = AdoptionRecord::read(settings)?;
    let servers = record.files.iter().flat_map(|file| &file.servers);
    let used: Vec<&PathBuf> = servers.filter_map(|it| it.project.as_ref()).collect();
    let name = tool_name(&one.server.name).to_string();
    let numbered = (2..100).map(|number| format!("{name}-{number}"));
    let mut all = std::iter::once(name.clone()).chain(numbered);
    all.find(|name| !used.contains(&&AdoptionRecord::project(settings, name)))
        .ok_or_else(|| Problem::user(format!("too many servers were called `{name}`")).into())
}

/// A tool's name that is as near as can be to what a client calls the server.
fn tool_name(server: &str) -> ToolName {
    let plain = |c: char| match c.to_ascii_lowercase() {
        c if c.is_ascii_lowercase() || c.is_ascii_digit() => c,
        _ => '-',
    };
    let words: String = server.chars().map(plain).collect();
    let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(48).collect();
    let name = name.trim_end_matches('-').parse();
    name.unwrap_or_else(|_| "server".parse().expect("a name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_s_name_becomes_one_of_a_tool() {
        let long = "a".repeat(99);
        for (server, expect) in [
            ("time", "time"),
            ("My Server_2", "my-server-2"),
            ("--x--", "x"),
            ("é", "server"),
            ("con", "server"),
            ("", "server"),
            (&long, &long[..48]),
        ] {
            assert_eq!(tool_name(server).as_str(), expect, "{server}");
        }
    }
}
