//! `tool audit`: holds every tool of the toolbox against security advisories in the OSV format.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;
use tool_hub_manifest::{AdvisoryId, LockedTool, Reason, ToolKey, Version};
use tool_hub_toolbox::advisories::advisory::Advisory;
use tool_hub_toolbox::advisories::ignored::{Day, IgnoredAdvisories, IgnoredAdvisory};
use tool_hub_toolbox::advisories::known::{FoundAdvisory, KeptSource, KnownAdvisories};
use tool_hub_toolbox::advisories::refresh::{self, SourceState};
use tool_hub_toolbox::advisories::source::AdvisorySource;
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use tool_hub_toolbox::open_toolbox::tool_status::{dotted, origin};

use crate::session::Session;
use crate::terminal::phrases::counted;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::terminal::table::{Column, Cut, fitted, width};

/// Arguments of `tool audit`.
#[derive(Debug, Args)]
pub(crate) struct Audit {
    /// Read advisories from here, in place of the sources in config.toml; repeatable
    ///
    /// A data set of the registry (owner/name), the https URL of a JSON file or of an archive such
    /// as all.zip, or the path of a file, a directory, or a bundle, a file x.tools.
    #[arg(long, value_name = "SOURCE")]
    source: Vec<AdvisorySource>,

    /// Pass over this advisory: in this run, or with --reason from now on; repeatable
    ///
    /// It is not told of any more. A version that it refuses stays refused: that takes tool load
    /// with --allow-advisory.
    #[arg(long, value_name = "ID")]
    ignore: Vec<AdvisoryId>,

    /// The reason, which ignored_advisories.toml keeps
    #[arg(long, value_name = "TEXT", requires = "ignore")]
    reason: Option<Reason>,

    /// The last day on which it is passed over, such as 2027-01-31
    #[arg(long, value_name = "DAY", requires = "reason")]
    until: Option<Day>,

    /// Do not pass over this advisory any more; repeatable
    #[arg(long, value_name = "ID", conflicts_with = "ignore")]
    heed: Vec<AdvisoryId>,
}

/// A tool of the toolbox, and what the advisories say of it.
struct AuditedTool<'a> {
    key: &'a ToolKey,
    /// Its name, or the path to a dependency, such as `forecast.units`.
    name: String,
    from: String,
    /// Its record; none if it was never approved, so that its version is not known.
    locked: Option<&'a LockedTool>,
    found: Vec<Finding<'a>>,
}

/// An advisory about a tool.
struct Finding<'a> {
    found: FoundAdvisory<'a>,
    state: State,
    fixed: Option<&'a Version>,
}

/// The consequence of an advisory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The version is not called.
    Refused,
    /// The version is called, and the user is told.
    Told,
    /// The version was approved in spite of it.
    Allowed,
    /// The user passes over it.
    Ignored,
}

impl State {
    fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Told => "told",
            Self::Allowed => "allowed",
            Self::Ignored => "ignored",
        }
    }

    /// True if somebody has to do something.
    fn is_open(self) -> bool {
        matches!(self, Self::Refused | Self::Told)
    }
}

impl Audit {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let settings = &config.settings;
        self.record(session)?;
        let sources = match self.source.is_empty() {
            true => &settings.advisories,
            false => &self.source,
        };
        if sources.is_empty() {
            return Err(Problem::user("no source of advisories is named")
                .hint("name one with --source, or for all commands in config.toml: advisories = [\"owner/advisories\"]")
                .into());
        }
        let states = refresh::refresh(sources, settings, printer).await?;
        let known = KnownAdvisories::of_sources(sources, settings)?;
        let toolbox = OpenToolbox::open(settings)?;
        let tools = self.audited(&toolbox, &known);
        if printer.wants_json() {
            printer.json(&json!({
                "toolbox": toolbox.path(),
                "sources": states.iter().map(source_json).collect::<Vec<_>>(),
                "tools": tools.iter().map(tool_json).collect::<Vec<_>>(),
            }))?;
        } else {
            show(&tools, printer)?;
        }
        for state in &states {
            refresh::tell(state, printer);
            tell_if_empty(state, printer);
        }
        self.warn_of_ignored(&known, &tools, printer);
        self.end(&states, &tools, printer)
    }

    /// Records what the flags say of single advisories.
    fn record(&self, session: &Session) -> anyhow::Result<()> {
        let Session { config, printer } = session;
        let settings = &config.settings;
        if let Some(reason) = &self.reason {
            for id in &self.ignore {
                let ignored = IgnoredAdvisory {
                    reason: reason.clone(),
                    until: self.until,
                };
                IgnoredAdvisories::note(settings, id, Some(ignored))?;
                printer.note(&format!("{id} is noted as ignored: {reason}"));
            }
        }
        for id in &self.heed {
            match IgnoredAdvisories::note(settings, id, None)? {
                true => printer.note(&format!("{id} is not ignored any more")),
                false => printer.warning(&format!("{id} was not ignored by this id")),
            }
        }
        Ok(())
    }

    /// Warns of what `--ignore` names in vain: what nobody published, and what refuses.
    fn warn_of_ignored(
        &self,
        known: &KnownAdvisories,
        tools: &[AuditedTool<'_>],
        printer: &Printer,
    ) {
        for id in &self.ignore {
            let read = known.sources().iter().flat_map(|kept| &kept.advisories);
            let called: Vec<&Advisory> = read.filter(|it| it.is_called(id)).collect();
            if called.is_empty() {
                printer.warning(&format!(
                    "no advisory about a tool was read that is called {id}"
                ));
            }
            let worst = called.iter().map(|it| it.severity).max();
            if let Some(worst) = worst.filter(|it| it.refuses()) {
                printer.warning(&format!(
                    "{id} is {worst}: the versions that it is against stay refused, ignored or not"
                ));
            }
            for tool in tools {
                tool.hint_at_allowing(id, printer);
            }
        }
    }

    fn audited<'a>(
        &self,
        toolbox: &'a OpenToolbox,
        known: &'a KnownAdvisories,
    ) -> Vec<AuditedTool<'a>> {
        let statuses = toolbox.statuses();
        let mut tools: Vec<AuditedTool<'a>> = toolbox
            .locked_by_key()
            .flat_map(|(key, locked)| {
                let tree = locked.tree().into_iter();
                tree.map(move |(path, locked)| (dotted(key, &path), key, locked))
            })
            .map(|(name, key, locked)| AuditedTool {
                key,
                name,
                from: locked.source.short_name(),
                locked: Some(locked),
                found: self.findings(locked, known),
            })
            .collect();
        for status in statuses {
            if !tools.iter().any(|tool| tool.key == status.key) {
                tools.push(AuditedTool {
                    key: status.key,
                    name: status.key.to_string(),
                    from: origin(status.key, status.entry),
                    locked: None,
                    found: Vec::new(),
                });
            }
        }
        tools
    }

    fn findings<'a>(&self, locked: &'a LockedTool, known: &'a KnownAdvisories) -> Vec<Finding<'a>> {
        let found = known.about_locked(locked).into_iter();
        let findings = found.map(|found| {
            let advisory = found.advisory;
            let is_ignored =
                found.ignored.is_some() || self.ignore.iter().any(|id| advisory.is_called(id));
            let state = match advisory.severity.refuses() {
                true if found.refuses(locked) => State::Refused,
                true => State::Allowed,
                false if is_ignored => State::Ignored,
                false => State::Told,
            };
            Finding {
                found,
                state,
                fixed: advisory.fixed_for(locked),
            }
        });
        findings.collect()
    }

    fn end(
        &self,
        states: &[SourceState],
        tools: &[AuditedTool<'_>],
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let affected = tools.iter().filter(|tool| tool.is_open()).count();
        if affected > 0 {
            let verb = if affected == 1 { "is" } else { "are" };
            let what = format!(
                "{} {verb} affected by advisories",
                counted(affected, "tool")
            );
            let mut problem = Problem::refused(what);
            for tool in tools.iter().filter(|tool| tool.is_open()) {
                problem = problem.hint(tool.way_on());
            }
            return Err(problem.into());
        }
        let unread: Vec<String> = states
            .iter()
            .filter(|state| !state.is_sound())
            .map(|state| state.source.to_string())
            .collect();
        if !unread.is_empty() {
            return Err(Problem::user(format!(
                "nothing was found to act on, but not everything was read: {}",
                unread.join(", ")
            ))
            .hint("the warnings above say why")
            .into());
        }
        if !printer.wants_json() {
            let read = states.iter().filter_map(|state| state.kept.as_ref());
            let read = read.map(|kept| kept.advisories.len()).sum::<usize>();
            let closed = tools.iter().map(|tool| tool.found.len()).sum::<usize>();
            let said = match closed {
                0 => "no advisory is against a version of this toolbox".to_owned(),
                1 => "nothing to act on: 1 is allowed or ignored".to_owned(),
                closed => format!("nothing to act on: {closed} are allowed or ignored"),
            };
            let verb = if read == 1 { "was" } else { "were" };
            printer.note(&format!("{said}; {read} {verb} read"));
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl<'a> AuditedTool<'a> {
    fn is_open(&self) -> bool {
        self.open().next().is_some()
    }

    /// True if advisories can be about it, and its version is known.
    fn is_checked(&self) -> bool {
        self.locked
            .is_some_and(|locked| locked.source.repo().is_some())
    }

    fn open(&self) -> impl Iterator<Item = &Finding<'a>> {
        self.found.iter().filter(|finding| finding.state.is_open())
    }

    /// The way on from its worst advisory.
    fn way_on(&self) -> String {
        if self.name != self.key.as_str() {
            return format!(
                "look for a version that uses another one with: tool update {}",
                self.key
            );
        }
        let unmended: Vec<String> = self
            .open()
            .filter(|finding| finding.fixed.is_none())
            .map(|finding| finding.found.advisory.id.to_string())
            .collect();
        // The worst one comes first.
        let worst = self.open().next();
        let mended = worst.filter(|worst| worst.fixed.is_some());
        let newest = self.open().filter_map(|finding| finding.fixed).max();
        match mended.zip(newest) {
            Some((worst, version)) => {
                let load = format!("tool load {}@{version} --as {}", self.from, self.key);
                match unmended.is_empty() {
                    true => format!("take the mended version with: {load}"),
                    false => format!(
                        "no version is named in which {} is mended; take the one in which {} is with: {load}",
                        unmended.join(", "),
                        worst.found.advisory.id
                    ),
                }
            }
            None => format!(
                "no version is named in which {} is mended; take it out with: tool remove {}",
                unmended.join(", "),
                self.key
            ),
        }
    }

    /// Says how it is used in spite of the advisory called `id`, if that refuses it.
    fn hint_at_allowing(&self, id: &AdvisoryId, printer: &Printer) {
        let refuses = |finding: &&Finding<'_>| {
            finding.state == State::Refused && finding.found.advisory.is_called(id)
        };
        let Some((finding, locked)) = self.found.iter().find(refuses).zip(self.locked) else {
            return;
        };
        if self.name == self.key.as_str() {
            printer.hint(&format!(
                "if you know why it does not concern you: tool load {}@{} --as {} --allow-advisory {}",
                self.from, locked.version, self.key, finding.found.advisory.id
            ));
        }
    }
}

/// Tells of a source that has nothing about tools: its name, or its ecosystem's, may be wrong.
fn tell_if_empty(state: &SourceState, printer: &Printer) {
    let is_empty = |kept: &KeptSource| kept.advisories.is_empty() && kept.faulty == 0;
    if state.kept.as_ref().is_some_and(is_empty) {
        printer.note(&format!(
            "{} has no advisory about a tool, which is one that names the ecosystem `tool-hub`",
            state.source
        ));
    }
}

/// Prints what was found as a table, and what could not be checked.
fn show(tools: &[AuditedTool<'_>], printer: &Printer) -> anyhow::Result<()> {
    let column = |heading, cut| Column { heading, cut };
    let columns = [
        column("NAME", Cut::Never),
        column("VERSION", Cut::Never),
        column("ADVISORY", Cut::Never),
        column("SEVERITY", Cut::Never),
        column("STATE", Cut::Never),
        column("MENDED IN", Cut::Never),
        column("SUMMARY", Cut::WhereNeeded),
    ];
    let mut rows = Vec::new();
    for tool in tools {
        for finding in &tool.found {
            let advisory = finding.found.advisory;
            rows.push(vec![
                tool.name.clone(),
                tool.locked
                    .map_or_else(String::new, |locked| locked.version.to_string()),
                advisory.id.to_string(),
                advisory.severity.to_string(),
                finding.state.as_str().to_owned(),
                finding
                    .fixed
                    .map_or_else(|| "-".to_owned(), Version::to_string),
                advisory.summary.clone(),
            ]);
        }
    }
    if !rows.is_empty() {
        printer.data(&fitted(&columns, rows, width()))?;
    }
    let unchecked: Vec<&str> = tools
        .iter()
        .filter(|tool| !tool.is_checked())
        .map(|tool| tool.name.as_str())
        .collect();
    if !unchecked.is_empty() {
        printer.note(&format!(
            "not checked, because no version of a registry was approved: {}",
            unchecked.join(", ")
        ));
    }
    Ok(())
}

fn source_json(state: &SourceState) -> Value {
    let kept = state.kept.as_ref();
    let read_at = state.read_at.and_then(|at| at.format(&Rfc3339).ok());
    let failure = state.failure.as_ref();
    json!({
        "source": state.source,
        "registry": kept.and_then(|kept| kept.registry.as_ref()),
        "revision": kept.and_then(|kept| kept.revision.as_ref()),
        "read_at": read_at,
        "advisories": kept.map(|kept| kept.advisories.len()),
        "faulty": kept.map(|kept| kept.faulty),
        "faults": kept.map(|kept| &kept.faults),
        "error": failure.map(ToString::to_string),
    })
}

fn tool_json(tool: &AuditedTool<'_>) -> Value {
    let advisories: Vec<Value> = tool
        .found
        .iter()
        .map(
            |Finding {
                 found,
                 state,
                 fixed,
             }| {
                json!({
                    "id": found.advisory.id,
                    "aliases": found.advisory.aliases,
                    "severity": found.advisory.severity,
                    "summary": found.advisory.summary,
                    "modified": found.advisory.modified,
                    "source": found.source,
                    "state": state.as_str(),
                    "reason": found.ignored.map(|ignored| &ignored.reason),
                    "mended_in": fixed,
                })
            },
        )
        .collect();
    json!({
        "name": tool.name,
        "from": tool.from,
        "version": tool.locked.map(|locked| &locked.version),
        "checked": tool.is_checked(),
        "advisories": advisories,
    })
}
