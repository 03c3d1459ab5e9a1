//! Takes one server over: finds or makes the tool that stands for it, and has it consented to.

use std::path::{Path, PathBuf};

use serde_json::json;
use tool_hub_host::inspect;
use tool_hub_manifest::{Capabilities, ToolKey, ToolName, VariableName};
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use tool_hub_toolbox::package::{Fetched, FetchedFrom, Subject};
use tool_hub_toolbox::provenance::Provenance;

use super::Adopt;
use super::conversion::convert;
use super::found::FoundServer;
use super::rights::{ProposedRights, proposed};
use crate::adopt::{AdoptionRecord, Become, LocalCommand, Road, ServerKind};
use crate::commands::load::Load;
use crate::consent::inspection_report::{inspection_report, wanted_detail};
use crate::session::Session;
use crate::terminal::problem::Problem;
use crate::toolbox::fetching;

/// The tool that was loaded for a server.
#[derive(Debug, Clone)]
pub(super) struct Taken {
    pub(super) tool: ToolKey,
    pub(super) became: Become,
    /// True if the toolbox had it before.
    pub(super) was_there: bool,
    pub(super) project: Option<PathBuf>,
}

/// A tool that is at hand and not consented to yet.
struct Prepared {
    subject: Subject,
    fetched: Fetched,
    rights: ProposedRights,
    project: Option<PathBuf>,
    became: Become,
}

/// Takes `one` over as `wanted`; `None` where it is only shown. The values of the rights are those
/// that belong to what the tool was granted.
pub(super) async fn take(
    asked: &Adopt,
    one: &FoundServer,
    wanted: Become,
    session: &Session,
) -> anyhow::Result<Option<(Taken, ProposedRights)>> {
    let scratch = tempfile::Builder::new().prefix("tool-adopt-").tempdir()?;
    let place = match asked.dry_run {
        true => scratch.path().join("project"),
        false => AdoptionRecord::project(&session.config.settings, &free_name(one, session)?),
    };
    let prepared = prepare(asked, one, wanted, &place, session).await?;
    for lost in &prepared.rights.lost {
        session
            .printer
            .note(&format!("{}: {lost}", one.server.name));
    }
    if asked.dry_run {
        show(&prepared, session).await?;
        return Ok(None);
    }
    refuse_other_values(&prepared.rights, session)?;
    let toolbox = OpenToolbox::open(&session.config.settings)?;
    let key = key(&prepared, one, &toolbox)?;
    let was_there = toolbox.entry(&key).is_some();
    let mut approval = asked.approval.clone();
    let (mine, theirs) = (&mut approval.rights, &prepared.rights.flags);
    if !mine.grants_something() {
        *mine = theirs.clone();
    }
    let loaded = Load::new(prepared.subject, Some(key), approval)
        .load(session)
        .await;
    let loaded = match (loaded, &prepared.project) {
        (Ok(loaded), _) => loaded,
        (Err(error), project) => {
            // What was made for this tool goes with it.
            project
                .iter()
                .for_each(|it| drop(std::fs::remove_dir_all(it)));
            return Err(error);
        }
    };
    let grants = &loaded.locked.grants;
    let mut rights = prepared.rights;
    rights
        .variables
        .retain(|(name, _)| grants.variables.contains(name));
    rights
        .credentials
        .retain(|(name, ..)| grants.credentials.contains_key(name));
    let taken = Taken {
        tool: loaded.key,
        became: prepared.became,
        was_there,
        project: prepared.project,
    };
    Ok(Some((taken, rights)))
}

/// The first road to `wanted` that can be gone, else the next best where a person is asked anyway.
async fn prepare(
    asked: &Adopt,
    one: &FoundServer,
    wanted: Become,
    place: &Path,
    session: &Session,
) -> anyhow::Result<Prepared> {
    let roads = one.plan.roads.iter();
    // A process is never taken in place of a component that somebody named by a flag.
    let mut roads = roads.filter(|road| {
        road.leads_to() == wanted || wanted == Become::Component && asked.r#as.is_none()
    });
    let mut last = None;
    for road in &mut roads {
        if let Some(error) = last.take() {
            let error: anyhow::Error = error;
            session
                .printer
                .warning(&format!("{}: {error:#}", one.server.name));
            session.printer.note(&format!(
                "next: {}: {}",
                road.leads_to().as_str(),
                road.why()
            ));
        }
        match gone(asked, one, road, place, session).await {
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
    asked: &Adopt,
    one: &FoundServer,
    road: &Road,
    place: &Path,
    session: &Session,
) -> anyhow::Result<Prepared> {
    let command = match &one.server.kind {
        ServerKind::Local(command) => command.clone(),
        _ => LocalCommand {
            program: String::new(),
            args: Vec::new(),
            env: Default::default(),
            directory: None,
        },
    };
    let config = &session.config;
    let (subject, project) = match road {
        Road::Shelf { tool, .. } => {
            let shelf = asked.shelf.as_ref();
            let shelf = shelf.ok_or_else(|| Problem::user("nobody said where the shelf is"))?;
            (shelf.subject(tool), None)
        }
        Road::Conversion { from } => {
            let name = tool_name(&one.server.name);
            convert(from, &name, &command, place, session).await?;
            (Subject::Path(place.to_owned()), Some(place.to_owned()))
        }
        Road::Cage | Road::Remote => {
            return Err(Problem::user("this version loads no servers").into());
        }
    };
    let nothing = Capabilities::default();
    let fetched = fetching::fetch(&subject, nothing, &config.settings.endpoint, session).await?;
    let capabilities = &fetched.verified.manifest().capabilities;
    let rights = proposed(capabilities, &command, &config.settings);
    Ok(Prepared {
        subject,
        fetched,
        rights,
        project,
        became: road.leads_to(),
    })
}

/// Shows the tool and the digest by which it is approved.
async fn show(prepared: &Prepared, session: &Session) -> anyhow::Result<()> {
    let Session { config, printer } = session;
    let inspection = inspect(&prepared.fetched.verified)?;
    if printer.wants_json() {
        return printer.json(&json!({
            "name": inspection.name,
            "becomes": prepared.became,
            "approval_digest": inspection.approval_digest,
            "lost": prepared.rights.lost,
        }));
    }
    let from = Provenance::of(&prepared.fetched, &config.settings, printer).await;
    printer.data(&inspection_report(
        &from,
        &inspection,
        wanted_detail(printer),
    ))?;
    printer.hint(&format!(
        "approve it with: --approve {}",
        inspection.approval_digest
    ));
    Ok(())
}

/// Fails where a value is kept already that another server was given under the same name.
fn refuse_other_values(rights: &ProposedRights, session: &Session) -> anyhow::Result<()> {
    let settings = &session.config.settings;
    let (variables, credentials) = (settings.kept_variables()?, settings.credentials()?);
    let values = rights.variables.iter();
    let mut others: Vec<&VariableName> = values
        .filter(|(name, value)| variables.value(name).is_some_and(|kept| kept != value))
        .map(|(name, _)| name)
        .collect();
    let values = rights.credentials.iter();
    others.extend(
        values
            .filter(|(name, origin, value)| {
                credentials
                    .value(name, origin)
                    .is_some_and(|kept| kept != value)
            })
            .map(|(name, ..)| name),
    );
    match others.first() {
        None => Ok(()),
        Some(name) => Err(Problem::user(format!(
            "{name} is kept with another value, and a name has one"
        ))
        .hint("leave this server as it is, or take back the other one first: tool adopt --undo")
        .into()),
    }
}

/// The name that the toolbox will have for the tool: its own, unless another tool has that.
fn key(prepared: &Prepared, one: &FoundServer, toolbox: &OpenToolbox) -> anyhow::Result<ToolKey> {
    let is_free = |key: &ToolKey| match (toolbox.entry(key), &prepared.fetched.origin) {
        (None, _) => true,
        (Some(entry), FetchedFrom::File { path }) => entry.path.as_ref() == Some(path),
        (Some(entry), FetchedFrom::Registry { resolved, .. }) => {
            entry.repo.as_ref() == Some(&resolved.repo)
        }
        (Some(_), _) => false,
    };
    let own = ToolKey::from(&prepared.fetched.verified.manifest().name);
    let second = ToolKey::from(&tool_name(&one.server.name));
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
