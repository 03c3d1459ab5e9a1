//! `tool call`: calls one function of a loaded tool, or of one at a path that it asks consent for.

mod answer;
pub(crate) mod callee;
pub(crate) mod made_call;
mod resource_usage;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use tool_hub_host::Tool;
use tool_hub_manifest::{FunctionName, GrantTree};
use tool_hub_toolbox::consent_record::calls_functions;
use tool_hub_toolbox::fetched::Fetched;
use tool_hub_toolbox::known_makers::KnownMakers;
use tool_hub_toolbox::loaded::Loader;
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use tool_hub_toolbox::provenance::Provenance;
use tool_hub_toolbox::subject::Subject;

use crate::commands::load::refusals::check_refusals;
use crate::consent::approval::{ApprovalFlags, Candidate, Offer};
use crate::consent::capability_flags::CapabilityFlags;
use crate::consent::dependency_flags::{DependencyFlags, advice};
use crate::consent::signing;
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::output::Output;
use crate::terminal::problem::Problem;
use crate::text::arguments;
use crate::toolbox::{fetching, sandbox};

use self::callee::Callee;
use self::made_call::{Details, MadeCall};

/// Arguments of `tool call`.
#[derive(Debug, Args)]
pub(crate) struct Call {
    /// NAME or NAME.function of the toolbox, NAME__function as agents say it, or the path of a
    /// component
    target: String,

    /// The function (unless the target names it), then its arguments
    ///
    /// An argument is name=value. name=@file stands for the contents of a file, name=@- for
    /// what standard input holds, name=@@text for a text that starts with @. A list is given
    /// by naming the argument once for each element, or whole: name='["a","b"]'.
    arguments: Vec<String>,

    /// All arguments at once, as a JSON object, in place of name=value
    #[arg(long, value_name = "JSON")]
    json_args: Option<String>,

    /// Write the first picture, sound or binary resource of the answer to a file
    ///
    /// A file that exists is replaced as a whole, a link is followed to its target, and a
    /// device or a named pipe is written to. With `-` standard output carries these bytes
    /// and nothing else.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Print what the call used to standard error: time, memory, bytes, requests
    ///
    /// Also what the tool wrote meanwhile, as --verbose does.
    /// With --json it is the member `usage`: times in microseconds, sizes in bytes.
    #[arg(long)]
    stats: bool,

    #[command(flatten)]
    approval: ApprovalFlags,

    #[command(flatten)]
    dependencies: DependencyFlags,
}

/// A tool that is about to be called, and how it was named.
struct Target {
    tool: Tool,
    name: String,
    function: Option<String>,
    /// The function that the name alone stands for although there are others.
    called_by_key: Option<FunctionName>,
}

impl Call {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let output = self.output(session)?;
        let target = self.load(session).await?;
        let callee = Callee {
            tool: &target.tool,
            name: &target.name,
            function: target.function.as_deref(),
            called_by_key: target.called_by_key.as_ref(),
        };
        let (function, pairs) = callee.function(&self.arguments)?;
        let arguments = match &self.json_args {
            Some(text) if pairs.is_empty() => text.clone(),
            Some(_) => {
                return Err(Problem::user(format!(
                    "`{}` and --json-args both give arguments",
                    pairs[0]
                ))
                .hint("give all of them with one or the other")
                .into());
            }
            None => arguments::parse(pairs, &function.spec.input_schema, &config.settings.working)?
                .to_string(),
        };
        let call = MadeCall::of(callee, function, &arguments).await;
        let details = Details {
            written: self.stats || printer.is_verbose(),
            usage: self.stats,
        };
        call.print(output.as_ref(), details, printer)
    }

    /// Finds the place for the answer's bytes before the function is called: a call may have
    /// consequences, and its answer should have a place.
    fn output(&self, session: &Session) -> anyhow::Result<Option<Output>> {
        let Some(path) = &self.output else {
            return Ok(None);
        };
        let output = Output::find(path, &session.config)?;
        if matches!(output, Output::Standard) && session.printer.wants_json() {
            return Err(
                Problem::user("--json and --output - both want standard output")
                    .hint("leave one of them out: the JSON holds the bytes as base64")
                    .into(),
            );
        }
        Ok(Some(output))
    }

    async fn load(&self, session: &Session) -> anyhow::Result<Target> {
        let Session { config, printer } = session;
        let host = sandbox::open_host_with_servers(session)?;
        if let Ok(subject @ Subject::Path(_)) = self.target.parse() {
            let hint = format!("load it first: tool load {}", self.target);
            signing::refuse_unrecorded("a call by path", &hint, &config.settings)?;
            let asked = CapabilityFlags::of(&self.approval.rights).capabilities();
            let endpoint = &config.settings.endpoint;
            let fetched = fetching::fetch(&subject, asked, endpoint, session).await?;
            let inspection = fetched.inspect()?;
            check_refusals(&inspection)?;
            let candidate = Candidate {
                name: &self.target,
                digest: inspection.approval_digest,
                asked: &fetched.verified.manifest().capabilities,
                calls_functions: calls_functions(&inspection),
                replaces: None,
                offer: Offer::Everything,
                act: "Call",
                dependencies: &inspection.dependencies,
            };
            let grants = match self.approved_before(&fetched, config) {
                Some(grants) => grants,
                None => {
                    let from = Provenance::before(&fetched);
                    KnownMakers::read(&config.settings)?.check(&self.target, &from)?;
                    let granted = self.dependencies.granted(&inspection, config)?;
                    self.approval.decide(&candidate, granted, config)?.0
                }
            };
            let storage = config.settings.storage(&fetched.origin.source());
            let command = format!("tool call {}", self.target);
            let store = config.settings.open_store()?;
            let loader = Loader {
                advice: Some(advice(command, self.target.clone())),
                ..sandbox::loader(&host, &store, config)
            };
            let approved = loader.known_as(&self.target, inspection.approve_tree(&grants)?);
            let tool = loader.load_approved(approved, storage).await?;
            return Ok(Target {
                tool,
                name: self.target.clone(),
                function: None,
                called_by_key: None,
            });
        }
        // No name of a tool holds `__`, so the name that agents see has one reading.
        let split = self.target.split_once('.');
        let (key, function) = match split.or_else(|| self.target.split_once("__")) {
            Some((key, function)) => (key, Some(function.to_owned())),
            None => (self.target.as_str(), None),
        };
        let toolbox = OpenToolbox::open(&config.settings)?;
        if key.contains('/') && config.settings.working.join(key).exists() {
            return Err(
                Problem::user(format!("`{key}` is not a valid name of a tool"))
                    .hint(format!("for what is in that directory, write ./{key}"))
                    .into(),
            );
        }
        let member = toolbox.member(key)?;
        member.notice_if_changed(printer);
        toolbox.notice_yanks(member, printer);
        toolbox.notice_advisories(member, printer);
        let store = config.settings.open_store()?;
        let loaded = sandbox::loader(&host, &store, config).load(member).await?;
        Ok(Target {
            called_by_key: loaded.called_by_key,
            tool: loaded.tool,
            name: key.to_owned(),
            function,
        })
    }

    /// The grants of these very bytes as a tool of the toolbox, where no flag says something else:
    /// whoever approved them once need not do so for each call.
    fn approved_before(&self, fetched: &Fetched, config: &Config) -> Option<GrantTree> {
        let toolbox = OpenToolbox::open(&config.settings).ok()?;
        let members = toolbox.statuses().into_iter();
        let mut members = members.filter_map(|status| status.member.ok());
        let same = members.find(|member| fetched.is_recorded_by(member.locked))?;
        let grants = || GrantTree {
            own: same.grants(),
            ..same.locked.grant_tree()
        };
        let no_flag = self.approval.is_empty() && self.dependencies.is_empty();
        no_flag.then(grants)
    }
}
