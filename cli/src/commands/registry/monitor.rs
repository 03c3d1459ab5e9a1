//! `tool registry monitor`: reads all of a registry's log, and holds the toolbox against it.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;
use tool_hub_manifest::LockedTool;
use tool_hub_registry_client::Client;
use tool_hub_toolbox::logged_version::LoggedVersion;
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use tool_hub_toolbox::open_toolbox::tool_status::dotted;
use tool_hub_toolbox::policy::pattern::{PatternError, RepoPattern};
use tool_hub_toolbox::registry_address::is_same;
use tool_hub_toolbox::whole_log::WholeLog;
use tool_hub_toolbox::whole_log::placed_record::PlacedRecord;
use tool_hub_toolbox::whole_log::watched::Watched;
use url::Url;

use super::no_data;
use crate::session::Session;
use crate::terminal::phrases::counted;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::terminal::table::table;

/// Arguments of `tool registry monitor`.
#[derive(Debug, Args)]
#[command(args = no_data::hidden())]
pub(crate) struct Monitor {
    /// The registry's URL [default: that of --endpoint]
    #[arg(value_name = "URL")]
    registry: Option<Url>,

    /// The repos to tell of, as owner/name, 'owner/prefix-*' or 'owner/*'; may be given again
    /// [default: those of the toolbox]
    #[arg(long, value_name = "REPO", value_parser = pattern)]
    of: Vec<RepoPattern>,

    /// Read it from its beginning, and not from where the last reading ended
    #[arg(long)]
    again: bool,
}

/// A tool of the toolbox, with what the log says of its version.
struct Held<'a> {
    name: String,
    locked: &'a LockedTool,
    found: Result<Option<LoggedVersion>, String>,
}

impl Monitor {
    pub(super) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let (settings, printer) = (&session.config.settings, &session.printer);
        let endpoint = self.registry.as_ref().unwrap_or(&settings.endpoint);
        let client = settings.client(endpoint, printer)?;
        let toolbox = OpenToolbox::open(settings)?;
        let tools = tools_of(&toolbox, client.endpoint());
        let locked = tools.iter().map(|(_, locked)| *locked);
        let watched = Watched::new(client.endpoint(), locked, &self.of);
        let read = WholeLog::read(&client, &watched, self.again, settings).await?;
        let log = read.ok_or_else(|| no_log(&client))?;
        let mut held = Vec::new();
        for (name, locked) in tools {
            let found = log.of_locked(locked, &client, settings).await;
            let found = found.map_err(|error| format!("{:#}", anyhow::Error::from(error)));
            held.push(Held {
                name,
                locked,
                found,
            });
        }
        match printer.wants_json() {
            true => printer.json(&as_json(&client, &log, &held))?,
            false => say(&log, &held, printer)?,
        }
        let faulty = held.iter().filter(|it| it.found.is_err());
        let faulty: Vec<&str> = faulty.map(|it| it.name.as_str()).collect();
        if faulty.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        Err(
            Problem::refused(format!("{} cannot be trusted as it is", faulty.join(", ")))
                .hint("tell whoever runs the registry, and other users of it")
                .into(),
        )
    }
}

/// The tools of the toolbox that come from the registry at `endpoint`, and those on which they
/// depend.
fn tools_of<'a>(toolbox: &'a OpenToolbox, endpoint: &Url) -> Vec<(String, &'a LockedTool)> {
    let is_from = |locked: &LockedTool| {
        let repo = locked.source.repo();
        repo.is_some_and(|(from, _)| is_same(from, endpoint))
    };
    let trees = toolbox.locked_by_key().flat_map(|(key, locked)| {
        let tree = locked.tree().into_iter();
        tree.map(move |(path, locked)| (dotted(key, &path), locked))
    });
    trees.filter(|(_, locked)| is_from(locked)).collect()
}

fn no_log(client: &Client) -> Problem {
    Problem::user(format!("{} keeps no log", client.endpoint()))
        .hint("registries of `tool registry serve` keep one; the Hub does not, but a data set may be its log: name it under `logs` in config.toml")
}

/// Names of repos are the same in letters of either case.
fn pattern(text: &str) -> Result<RepoPattern, PatternError> {
    text.to_ascii_lowercase().parse()
}

fn say(log: &WholeLog, held: &[Held<'_>], printer: &Printer) -> anyhow::Result<()> {
    if !log.shown.is_empty() {
        let rows = log.shown.iter().filter_map(|placed| row(log, placed));
        let heading = ["RECORD", "TIME", "REPO", "VERSION", "WHAT"];
        printer.data(&table(heading, rows.collect()))?;
    }
    if log.left_out > 0 {
        printer.note(&format!(
            "{} before these are not shown; narrow them with --of REPO --again",
            count(log.left_out)
        ));
    }
    if !held.is_empty() {
        let rows = held.iter().map(|it| {
            let version = it.locked.version.to_string();
            [it.name.clone(), version, state(&it.found)]
        });
        printer.data(&table(["NAME", "VERSION", "STATE"], rows.collect()))?;
    }
    printer.note(&format!(
        "{} of {}, {} of them new; they hash to the root that was signed at {}",
        count(log.records),
        log.key.name(),
        log.new_records,
        log.at.format(&Rfc3339)?
    ));
    Ok(())
}

fn count(records: u64) -> String {
    counted(usize::try_from(records).unwrap_or(usize::MAX), "record")
}

fn state(found: &Result<Option<LoggedVersion>, String>) -> String {
    match found {
        Ok(Some(found)) => {
            let yanked = found.yanked().map(|it| format!(", yanked as {it}"));
            format!("ok, record {}{}", found.index(), yanked.unwrap_or_default())
        }
        Ok(None) => "no record that everybody may read".to_owned(),
        // Only the first line: those below quote texts that do not fit into a table.
        Err(fault) => fault.lines().next().unwrap_or_default().to_owned(),
    }
}

fn row(log: &WholeLog, placed: &PlacedRecord) -> Option<[String; 5]> {
    let (repo, version, at) = placed.subject()?;
    let what = placed.in_words(log.before(placed.index, repo));
    let index = placed.index.to_string();
    let at = at.format(&Rfc3339).ok()?;
    Some([index, at, repo.to_string(), version.to_string(), what])
}

fn as_json(client: &Client, log: &WholeLog, held: &[Held<'_>]) -> Value {
    let events = log.shown.iter().map(|placed| {
        let mut event = json!(placed);
        if let Some((repo, ..)) = placed.subject() {
            let before = log.before(placed.index, repo);
            event["built_from_before"] = json!(before.built_from.flatten());
            event["signer_before"] = json!(before.signer.flatten());
        }
        event
    });
    let tools = held.iter().map(|it| {
        let found = it.found.as_ref().ok().and_then(Option::as_ref);
        json!({
            "name": it.name,
            "version": it.locked.version,
            "index": found.map(LoggedVersion::index),
            "yanked": found.and_then(LoggedVersion::yanked),
            "fault": it.found.as_ref().err(),
        })
    });
    json!({
        "registry": client.endpoint(),
        "key": log.key,
        "records": log.records,
        "new_records": log.new_records,
        "signed_at": log.at.format(&Rfc3339).unwrap_or_default(),
        "events": events.collect::<Vec<_>>(),
        "left_out": log.left_out,
        "tools": tools.collect::<Vec<_>>(),
    })
}
