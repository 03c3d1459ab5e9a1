//! `tool verify`: hashes the toolbox's packages again, and compares them with lock and approvals.
//! With `--rebuild` it builds one again from its sources.

mod rebuild;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use tool_hub_manifest::{LogEntry, ToolKey, ToolName};
use tool_hub_registry_client::Store;
use tool_hub_toolbox::Error;
use tool_hub_toolbox::fetch_options::{AllowedNew, FetchOptions};
use tool_hub_toolbox::log_entry::log_entry;
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use tool_hub_toolbox::open_toolbox::tool_status::{ToolStatus, dotted};
use tool_hub_toolbox::package_attestations::PackageAttestations;
use tool_hub_toolbox::package_signature::PackageSignature;
use tool_hub_toolbox::signing_keys::SigningKeys;
use tool_hub_toolbox::subject::Subject;

use crate::commands::bundle::listing;
use crate::consent::authorship_json::signer_of;
use crate::session::Session;
use crate::terminal::hints::Hint as _;
use crate::terminal::phrases::overridden;
use crate::terminal::problem::Problem;
use crate::terminal::table::table;
use rebuild::Rebuild;

/// Arguments of `tool verify`.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// Check this bundle, a file x.tools, in place of the toolbox, and load nothing
    #[arg(value_name = "BUNDLE", conflicts_with_all = ["log", "rebuild"])]
    bundle: Option<PathBuf>,

    /// Also ask each registry for its log, and check that it has the versions
    ///
    /// The log has to go on from the state that was seen last, and its records have to name the
    /// commits and digests of toolbox.lock. Yanks in it have to be said by the repo.
    #[arg(long, conflicts_with = "rebuild")]
    log: bool,

    /// Build a published version again from its sources, and compare each file:
    /// owner/name@version, or a path to a package or a built project
    #[arg(long, value_name = "TOOL")]
    rebuild: Option<Subject>,

    /// The project with the sources of that version, where the tool is not a project itself
    #[arg(long, value_name = "DIR", requires = "rebuild")]
    source: Option<PathBuf>,

    /// Build with all that the project brings, without asking, and from now on, as `tool build
    /// --trust` does
    #[arg(long, requires = "rebuild")]
    trust: bool,
}

/// The way on from most faults.
const LOAD_AGAIN: &str = "load it again: what is missing or damaged is pulled anew and verified, another version is taken in place of a malicious one, and what was not approved asks";

/// A tool of the toolbox with its fault, if it has one.
struct Checked<'a> {
    status: ToolStatus<'a>,
    fault: Option<Fault>,
    logged: Logged,
}

/// The answers of the logs about one tool and all that it depends on, where they were asked for.
#[derive(Default)]
struct Logged {
    /// The place of the tool itself.
    entry: Option<LogEntry>,
    /// The first contradiction.
    fault: Option<Fault>,
    /// The first reason why a log could not be asked, such as a network that is down. It says
    /// nothing against the tool.
    unasked: Option<Fault>,
}

/// A fault, and the ways on from it.
struct Fault {
    says: String,
    hints: Vec<String>,
}

impl Fault {
    /// A fault of what is at `path` below the tool called `key`.
    fn new(says: String, hints: Vec<String>, key: &ToolKey, path: &[&ToolName]) -> Self {
        let says = match path.is_empty() {
            true => says,
            false => format!("{}: {says}", dotted(key, path)),
        };
        Self { says, hints }
    }

    /// The lines below quote texts that do not fit into a table.
    fn first_line(&self) -> &str {
        self.says.lines().next().unwrap_or_default()
    }
}

/// The ways on from an error. Where a log, a policy or an advisory is against a version, nothing is
/// mended by loading the same again.
fn ways_on(error: &Error) -> Vec<String> {
    match error {
        Error::Log { .. } | Error::Policy(_) | Error::Advised(_) => error.hints(),
        _ => vec![LOAD_AGAIN.to_owned()],
    }
}

impl Verify {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        if let Some(tool) = &self.rebuild {
            let rebuild = Rebuild {
                tool,
                source: self.source.as_deref(),
                trust: self.trust,
            };
            return rebuild.execute(session).await;
        }
        if let Some(path) = &self.bundle {
            let place = session.config.settings.place(path);
            refuse_a_name(path, &place, session)?;
            return verify_bundle(&place, session);
        }
        let Session { config, printer } = session;
        let mut logged = match self.log {
            true => looked_up(session).await?,
            false => BTreeMap::new(),
        };
        // Opened after that: what the registries said of yanks is known by now.
        let toolbox = OpenToolbox::open(&config.settings)?;
        let store = config.settings.open_store()?;
        let keys = SigningKeys::read(&config.settings)?;
        let checked = toolbox.statuses().into_iter().map(|status| {
            let mut logged = logged.remove(status.key).unwrap_or_default();
            Checked {
                fault: fault(&status, &store).or(logged.fault.take()),
                logged,
                status,
            }
        });
        let checked: Vec<Checked<'_>> = checked.collect();
        if printer.wants_json() {
            let tools = checked.iter().map(|one| self.for_programs(one, &keys));
            printer.json(&json!({ "tools": tools.collect::<Vec<_>>() }))?;
        } else if checked.is_empty() {
            printer.note("the toolbox is empty: nothing to verify");
        } else {
            let rows = checked.iter().map(|one| self.row(one, &keys));
            printer.data(&table(["NAME", "VERSION", "STATE"], rows.collect()))?;
        }
        end(&checked)
    }

    fn for_programs(&self, checked: &Checked<'_>, keys: &SigningKeys) -> Value {
        let status = &checked.status;
        let member = status.member.as_ref().ok();
        let mut tool = json!({
            "name": status.key,
            "digest": member.map(|member| member.locked.approval.digest),
            "signer": member.map(|member| signer_of(*member, keys)),
            "attested_by": member.map(|member| &member.locked.attested_by),
            "overrides": status.entry.overrides(),
            "yanked": member.and_then(|member| member.yank),
            "fault": checked.fault.as_ref().map(|fault| &fault.says),
        });
        if self.log {
            let unasked = checked.logged.unasked.as_ref();
            tool["log"] = json!(checked.logged.entry);
            tool["log_not_asked"] = json!(unasked.map(|fault| &fault.says));
        }
        tool
    }

    fn row(&self, checked: &Checked<'_>, keys: &SigningKeys) -> [String; 3] {
        let status = &checked.status;
        let version = match &status.member {
            Ok(member) => member.locked.version.to_string(),
            Err(_) => "-".to_owned(),
        };
        let logged = self.log.then(|| match &checked.logged {
            Logged {
                unasked: Some(fault),
                ..
            } => format!("log not asked: {}", fault.first_line()),
            Logged {
                entry: Some(entry), ..
            } => format!("record {} of the log, of {}", entry.index, entry.at),
            Logged { .. } => "in no log".to_owned(),
        });
        let said = [described(status, keys), logged];
        let said: Vec<String> = said.into_iter().flatten().collect();
        let state = match (&checked.fault, said.is_empty()) {
            (Some(fault), _) => fault.first_line().to_owned(),
            (None, false) => format!("ok, {}", said.join(", ")),
            (None, true) => "ok".to_owned(),
        };
        [status.key.to_string(), version, state]
    }
}

/// Asks the logs for each tool of the toolbox and for all that it depends on. Registries of tools
/// that nobody approved are not asked.
async fn looked_up(session: &Session) -> anyhow::Result<BTreeMap<ToolKey, Logged>> {
    let Session { config, printer } = session;
    let toolbox = OpenToolbox::open(&config.settings)?;
    let members = toolbox.statuses().into_iter();
    let mut all = BTreeMap::new();
    for member in members.filter_map(|status| status.member.ok()) {
        let mut logged = Logged::default();
        for (path, locked) in member.locked.tree() {
            match log_entry(locked, &config.settings, printer).await {
                Ok(found) if path.is_empty() => logged.entry = found,
                Ok(_) => {}
                Err(error) => {
                    let is_refusal = error.is_refusal();
                    let hints = match is_refusal {
                        true => ways_on(&error),
                        false => error.hints(),
                    };
                    let says = format!("{:#}", anyhow::Error::from(error));
                    let fault = Fault::new(says, hints, member.key, &path);
                    match is_refusal {
                        true => logged.fault.get_or_insert(fault),
                        false => logged.unasked.get_or_insert(fault),
                    };
                }
            }
        }
        all.insert(member.key.clone(), logged);
    }
    Ok(all)
}

/// Fails if one of the tools has a fault, or a log could not be asked, with the ways on from each.
fn end(checked: &[Checked<'_>]) -> anyhow::Result<ExitCode> {
    let (keys, hints) = all_of(checked, |it| it.fault.as_ref());
    let problem = match keys.len() {
        0 => {
            let (keys, hints) = all_of(checked, |it| it.logged.unasked.as_ref());
            if keys.is_empty() {
                return Ok(ExitCode::SUCCESS);
            }
            let what = format!("the log was not asked for {}", keys.join(", "));
            let problem = Problem::user(what).hint("nothing was found against what is here");
            hints.into_iter().fold(problem, Problem::hint)
        }
        count => {
            let rest = match count {
                1 => "cannot be trusted as it is",
                _ => "cannot be trusted as they are",
            };
            let problem = Problem::refused(format!("{} {rest}", keys.join(", ")));
            hints.into_iter().fold(problem, Problem::hint)
        }
    };
    Err(problem.into())
}

/// The tools that have such a fault, and the ways on from all of these, each once.
fn all_of<'a>(
    checked: &'a [Checked<'_>],
    fault: impl Fn(&'a Checked<'_>) -> Option<&'a Fault>,
) -> (Vec<&'a str>, Vec<&'a str>) {
    let faulty = checked.iter();
    let faulty = faulty.filter_map(|it| Some((it.status.key.as_str(), fault(it)?)));
    let (keys, faults): (Vec<&str>, Vec<&Fault>) = faulty.unzip();
    let hints = faults.iter().flat_map(|fault| &fault.hints);
    let mut hints: Vec<&str> = hints.map(String::as_str).collect();
    let mut seen = BTreeSet::new();
    hints.retain(|hint| seen.insert(*hint));
    (keys, hints)
}

/// Refuses the name of a tool of the toolbox in place of a bundle, where no file at `place` has it.
fn refuse_a_name(path: &Path, place: &Path, session: &Session) -> anyhow::Result<()> {
    let Some(name) = path.to_str().filter(|_| !place.is_file()) else {
        return Ok(());
    };
    // Where there is no toolbox that can be read, it has no such tool.
    let toolbox = OpenToolbox::open(&session.config.settings);
    if toolbox.is_ok_and(|toolbox| toolbox.key(name).is_ok()) {
        let problem = format!("there is no file {}", place.display());
        return Err(
            Problem::user(format!("{problem}, and `{name}` is a tool of the toolbox"))
                .hint("`verify` takes a bundle (x.tools); without one it checks the whole toolbox")
                .into(),
        );
    }
    Ok(())
}

/// Checks the bundle at `path` as `tool load` does, but for the age of its versions.
fn verify_bundle(path: &Path, session: &Session) -> anyhow::Result<ExitCode> {
    let options = FetchOptions {
        allowed_new: AllowedNew::IfNoOther,
        ..FetchOptions::default()
    };
    let checked = listing::checked(path, &[], &options, session)?;
    listing::print(path, &checked, &session.printer)?;
    let faulty = checked.iter().filter(|it| it.fetched.is_err());
    let faulty: Vec<&str> = faulty.map(|it| it.tool.repo.as_str()).collect();
    if faulty.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(Problem::refused(format!(
        "{} of this bundle cannot be loaded",
        faulty.join(", ")
    ))
    .hint("the table above says why")
    .into())
}

/// The things worth saying about a tool that is as the user approved it.
fn described(status: &ToolStatus<'_>, keys: &SigningKeys) -> Option<String> {
    let member = status.member.as_ref().ok();
    let signature = member.map(|member| PackageSignature::recorded(member.locked, keys));
    let signature = signature.filter(|it| it.signer().is_some());
    let signed = signature.map(|signature| signature.in_words());
    let attested = member.map(|member| PackageAttestations::recorded(member.locked, keys));
    let attested = attested.iter().flat_map(PackageAttestations::verified);
    let attested = attested.map(|attestation| Some(attestation.in_words()));
    let what = [signed].into_iter().chain(attested);
    let what = what.chain([overridden(&status.entry.overrides())]);
    let what: Vec<String> = what.flatten().collect();
    let approved = (!what.is_empty()).then(|| format!("{}, as you approved", what.join(", ")));
    let yank = member.and_then(|member| member.yank);
    let yanked = yank.map(|yank| format!("yanked as {yank}"));
    let said: Vec<String> = approved.into_iter().chain(yanked).collect();
    (!said.is_empty()).then(|| said.join(", "))
}

/// The fault of a tool: it was not approved as it stands, or its bytes are not those that were.
fn fault(status: &ToolStatus<'_>, store: &Store) -> Option<Fault> {
    match &status.member {
        Ok(member) => {
            let mut tree = member.locked.tree().into_iter();
            tree.find_map(|(path, locked)| {
                let error = store.get(&locked.pin()).err()?;
                let hints = vec![LOAD_AGAIN.to_owned()];
                Some(Fault::new(error.to_string(), hints, member.key, &path))
            })
        }
        Err(unusable) => {
            let says = unusable.to_string();
            Some(Fault::new(says, ways_on(unusable), status.key, &[]))
        }
    }
}
