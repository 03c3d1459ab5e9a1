//! `tool load`: pulls a tool, verifies it, shows it, asks for consent, records it and compiles.

pub(crate) mod refusals;
pub(crate) mod shown;

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_host::Inspection;
use tool_hub_manifest::{
    AdvisoryId, Digest, Function, FunctionName, Grants, LockedTool, Manifest, ToolKey,
    ToolboxEntry, visible_name,
};
use tool_hub_registry_client::AllowedYanks;
use tool_hub_toolbox::advisories::allowed::AllowedAdvisories;
use tool_hub_toolbox::comparison::compare_with_approved;
use tool_hub_toolbox::consent_record::{GivenConsent, calls_functions};
use tool_hub_toolbox::fetch_options::{AllowedNew, FetchOptions, Purpose};
use tool_hub_toolbox::fetched::{Fetched, FetchedFrom};
use tool_hub_toolbox::known_signers::KnownSigners;
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use tool_hub_toolbox::open_toolbox::tool_status::origin;
use tool_hub_toolbox::provenance::Provenance;
use tool_hub_toolbox::subject::Subject;
use tool_hub_toolbox::target::{self, Target};

use crate::consent::approval::{ApprovalFlags, Candidate, Offer};
use crate::consent::capability_flags::CapabilityFlags;
use crate::consent::difference;
use crate::consent::signer::{SignerFlag, signer_json, tell_of_rotation};
use crate::servers::command_line::server_named;
use crate::servers::fetching::{self as server_fetching, FetchedServer, WantedServer};
use crate::session::Session;
use crate::terminal::escape::escape_line;
use crate::terminal::printer::Printer;
use crate::toolbox::{fetching, recording};
use refusals::check_refusals;
use shown::{note_known_interpreter, report_ungranted, show};

/// Arguments of `tool load`.
#[derive(Debug, Args)]
pub(crate) struct Load {
    /// owner/name, owner/name@version, a path to a component, package or project, or the
    /// name of a tool of the toolbox, to load it anew
    ///
    /// An MCP server is mcp:PROGRAM with its arguments, after all flags of `tool`, such as
    /// mcp:npx -y @modelcontextprotocol/server-memory, or mcp+https://… for a remote one.
    tool: Subject,

    /// The arguments of an MCP server's program
    #[arg(value_name = "ARGUMENT", hide = true)]
    words: Vec<String>,

    /// Agree without asking to the start of an MCP server, by the digest that is shown for it
    #[arg(long, value_name = "DIGEST")]
    start: Option<Digest>,

    /// The name that agents will see [default: the tool's own]
    ///
    /// A name that a tool of another place has goes over to this one. A warning says so, and
    /// so does the question at a terminal; with --approve the digest is the consent.
    #[arg(long = "as", value_name = "NAME")]
    name: Option<ToolKey>,

    /// Load a version although its owner yanked it; never one that is malicious
    #[arg(long)]
    allow_yanked: bool,

    /// Load the newest version however new it is
    ///
    /// Others are passed over until they are as old as `release_age_days` in `config.toml` says,
    /// by the log of the registry.
    #[arg(long)]
    allow_new: bool,
    /// Load a version although this advisory refuses it; the lock records it; repeatable
    #[arg(long, value_name = "ID")]
    allow_advisory: Vec<AdvisoryId>,

    #[command(flatten)]
    signer: SignerFlag,

    #[command(flatten)]
    approval: ApprovalFlags,
}

impl Load {
    /// `tool load TOOL --as NAME` with the flags of `approval`.
    pub(crate) fn new(tool: Subject, name: Option<ToolKey>, approval: ApprovalFlags) -> Self {
        Self {
            tool,
            words: Vec::new(),
            start: None,
            name,
            allow_yanked: false,
            allow_new: false,
            allow_advisory: Vec::new(),
            signer: SignerFlag::default(),
            approval,
        }
    }

    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        self.load(session).await?.report(&session.printer)
    }

    /// Shows the tool, asks for consent, and records it.
    ///
    /// # Errors
    /// When it cannot be fetched, is refused or not approved, or cannot be recorded.
    pub(crate) async fn load(&self, session: &Session) -> anyhow::Result<Loaded> {
        let config = &session.config;
        let target = Target::of(&self.tool, &config.settings)?;
        if let Some(address) = server_named(&target.subject, &self.words, config)? {
            let wanted = WantedServer {
                address: &address,
                key: self.name.as_ref().or(target.known_key()),
                rights: &self.approval.rights,
                start: self.start,
            };
            return load_server(&wanted, &self.approval, session).await;
        }
        let options = FetchOptions {
            asked: CapabilityFlags::of(&self.approval.rights).capabilities(),
            allowed_yanks: match self.allow_yanked {
                true => AllowedYanks::All,
                false => AllowedYanks::None,
            },
            allowed_new: match self.allow_new {
                true => AllowedNew::Any,
                false => AllowedNew::None,
            },
            allowed_advisories: AllowedAdvisories::Named(
                self.allow_advisory.iter().cloned().collect(),
            ),
            purpose: Purpose::Use,
        };
        let (subject, endpoint) = (&target.subject, &target.endpoint);
        let fetched = fetching::fetch(subject, options, endpoint, session).await?;
        self.signer.check(&fetched)?;
        let key = self.name.clone().unwrap_or_else(|| target.key(&fetched));
        let entry = target::entry(&fetched, &key, &OpenToolbox::open(&config.settings)?);
        let consent = ConsentFlags {
            approval: &self.approval,
            signer: &self.signer,
            started_with: None,
        };
        let locked = approve_and_load(&key, &entry, &fetched, consent, session).await?;
        Ok(Loaded {
            key,
            locked,
            fetched,
        })
    }
}

/// A tool that was loaded.
pub(crate) struct Loaded {
    pub(crate) key: ToolKey,
    pub(crate) locked: LockedTool,
    fetched: Fetched,
}

/// Loads the MCP server that is `wanted`: starts it once somebody agreed to that, shows its tools,
/// obtains consent by `flags` or at the terminal, and records it.
///
/// # Errors
/// When it cannot be started, is not approved, or cannot be recorded.
pub(crate) async fn load_server(
    wanted: &WantedServer<'_>,
    flags: &ApprovalFlags,
    session: &Session,
) -> anyhow::Result<Loaded> {
    let FetchedServer {
        key,
        fetched,
        grants,
    } = server_fetching::fetch(wanted, session).await?;
    let entry = target::entry(
        &fetched,
        &key,
        &OpenToolbox::open(&session.config.settings)?,
    );
    let consent = ConsentFlags {
        approval: flags,
        signer: &SignerFlag::default(),
        started_with: Some(grants),
    };
    let locked = approve_and_load(&key, &entry, &fetched, consent, session).await?;
    Ok(Loaded {
        key,
        locked,
        fetched,
    })
}

impl Loaded {
    /// Says what was loaded, and how it is called.
    pub(crate) fn report(&self, printer: &Printer) -> anyhow::Result<ExitCode> {
        let Self {
            key,
            locked: loaded,
            fetched,
        } = self;
        let names: Vec<&str> = loaded.functions.keys().map(FunctionName::as_str).collect();
        if printer.wants_json() {
            printer.json(&json!({
                "name": key,
                "version": loaded.version,
                "digest": loaded.approval.digest,
                "signer": signer_json(&fetched.signature),
                "functions": names,
                "grants": loaded.grants,
            }))?;
        } else {
            printer.note(&format!(
                "loaded {key} {} ({})",
                loaded.version,
                names.join(", ")
            ));
            let manifest = fetched.verified.manifest();
            printer.hint(&format!(
                "call it with: tool call {key}{}",
                first_call(manifest)
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// An example of a call: of a function that changes nothing where there is one, and of none that
/// destroys something where there is another.
fn first_call(manifest: &Manifest) -> String {
    let mut functions: Vec<(&FunctionName, &Function)> = manifest.functions.iter().collect();
    functions.sort_by_key(|(name, function)| {
        (destroys(name, function), function.read_only != Some(true))
    });
    let Some((name, function)) = functions.first() else {
        return " …".to_owned();
    };
    let named = match functions.len() {
        1 => String::new(),
        _ => format!(".{name}"),
    };
    let needed: Vec<String> = match &function.input_schema {
        Some(schema) => {
            let members = schema.members().filter(|(name, _)| schema.requires(name));
            members
                .map(|(name, _)| escape_line(name).to_string())
                .collect()
        }
        None => {
            let inputs = function.inputs.iter().filter(|(_, input)| !input.optional);
            inputs.map(|(name, _)| name.to_string()).collect()
        }
    };
    let arguments: String = needed.iter().map(|name| format!(" {name}=…")).collect();
    format!("{named}{arguments}")
}

/// True if a function says that it destroys something, or is called so.
fn destroys(name: &FunctionName, function: &Function) -> bool {
    const VERBS: [&str; 6] = ["clear", "delete", "drop", "erase", "remove", "reset"];
    let verb = name.as_str().split('_').next().unwrap_or_default();
    function.destructive == Some(true) || VERBS.contains(&verb)
}

/// The consent that a command line gives.
struct ConsentFlags<'a> {
    approval: &'a ApprovalFlags,
    signer: &'a SignerFlag,
    /// The grants of a server, from before it was started.
    started_with: Option<Grants>,
}

/// Shows the inspection, asks for consent, and records the tool under `key`.
async fn approve_and_load(
    key: &ToolKey,
    entry: &ToolboxEntry,
    fetched: &Fetched,
    consent: ConsentFlags<'_>,
    session: &Session,
) -> anyhow::Result<LockedTool> {
    let ConsentFlags {
        approval: flags,
        signer,
        started_with,
    } = consent;
    let Session { config, printer } = session;
    let inspection = fetched.inspect()?.with_overrides(entry.overrides());
    check_refusals(&inspection)?;
    let from = Provenance::of(fetched, &config.settings, printer).await;
    show(&from, &inspection, flags, printer);
    let toolbox = OpenToolbox::open(&config.settings)?;
    note_known_interpreter(key, &inspection, &toolbox, session)?;
    let replaces = replaced(key, fetched, &toolbox);
    if let Some(old) = &replaces {
        let names = names_in_both(key, &inspection, &toolbox);
        warn_of_replacing(key, old, &names, fetched, printer);
    }
    let approved = toolbox.last_approved(key);
    let unchanged =
        approved.filter(|before| !show_difference(key, before, &inspection, fetched, session));
    // The same tool may have been removed, or be loaded into another toolbox.
    let known = KnownSigners::read(&config.settings)?;
    let signed_by = match approved.filter(|_| replaces.is_none()) {
        Some(before) => before.signer.as_ref(),
        None => known.of(&fetched.origin.source()),
    };
    tell_of_rotation(key, signed_by, fetched, printer);
    signer.check_change(key, signed_by, fetched, flags.approve, printer)?;
    if let Some(before) = unchanged
        && flags.is_empty()
        && started_with
            .as_ref()
            .is_none_or(|grants| *grants == before.grants)
    {
        printer.note("you approved exactly this before");
        let given = GivenConsent::before(&inspection, before)?;
        return recording::record(key, entry, fetched, given, session).await;
    }
    let before = approved.filter(|before| before.pin() == *fetched.verified.pin());
    let granted = before.map_or_else(Grants::none, |before| before.grants.clone());
    let is_server = started_with.is_some();
    if !granted.is_none() && !is_server {
        printer.note("what you granted it before stays granted");
    }
    let candidate = Candidate {
        name: key.as_str(),
        digest: inspection.approval_digest,
        asked: &fetched.verified.manifest().capabilities,
        calls_functions: calls_functions(&inspection),
        replaces,
        offer: match is_server {
            // What it may do was settled before it was started.
            true => Offer::Named,
            false => Offer::Everything,
        },
        act: "Load",
    };
    let granted = started_with.unwrap_or(granted);
    let (grants, consent) = flags.decide(&candidate, granted, config)?;
    let ungranted = inspection.ungranted(&grants);
    let given = GivenConsent::now(&inspection, grants, consent)?;
    let locked = recording::record(key, entry, fetched, given, session).await?;
    report_ungranted(key, &ungranted, printer);
    Ok(locked)
}

fn warn_of_replacing(
    key: &ToolKey,
    old: &str,
    names: &[String],
    fetched: &Fetched,
    printer: &Printer,
) {
    let new = fetched.subject();
    printer.warning(&match names {
        [] | [_] => format!("`{key}` is already the name of {old}, which {new} replaces"),
        names => format!(
            "these are already names of {old}, which {new} replaces:\n- {}",
            names.join("\n- ")
        ),
    });
    printer.hint("to keep both, give this one another name with --as");
}

/// Shows how the tool differs from the one approved as `key`. Returns false if it does not.
fn show_difference(
    key: &ToolKey,
    approved: &LockedTool,
    inspection: &Inspection,
    fetched: &Fetched,
    session: &Session,
) -> bool {
    let Session { config, printer } = session;
    let source = fetched.origin.source();
    let signer = fetched
        .signature
        .signer_compared_with(approved.signer.as_ref())
        .cloned();
    let logged = fetched.logged.as_ref();
    match compare_with_approved(
        approved,
        inspection,
        source,
        signer,
        logged,
        &config.settings,
    ) {
        Ok(changes) if changes.is_empty() => false,
        Ok(changes) => {
            let version = &approved.version;
            let what = format!("this differs from `{key}` {version}, which you approved:");
            printer.before_a_question(&what);
            difference::show(&changes, printer);
            true
        }
        Err(error) => {
            let what = format!("this cannot be compared with the `{key}` that you approved");
            printer.warning(&format!("{what}: {:#}", anyhow::Error::from(error)));
            true
        }
    }
}

/// The tool of another place that has the name `key`. An agent that knew it will call the
/// new one: whoever loads that must know.
fn replaced(key: &ToolKey, fetched: &Fetched, toolbox: &OpenToolbox) -> Option<String> {
    let entry = toolbox.entry(key)?;
    let is_same = match (&fetched.origin, &entry.repo, &entry.path) {
        (FetchedFrom::Registry { resolved, .. }, Some(repo), _) => *repo == resolved.repo,
        (FetchedFrom::File { path }, _, Some(old)) => old == path,
        (FetchedFrom::Server { address }, ..) => entry.mcp.as_ref() == Some(address),
        _ => false,
    };
    (!is_same).then(|| origin(key, entry))
}

/// The names by which agents call a function of the tool that is there, and will call one of the
/// tool that comes.
fn names_in_both(key: &ToolKey, inspection: &Inspection, toolbox: &OpenToolbox) -> Vec<String> {
    let Some(old) = toolbox.last_approved(key) else {
        return Vec::new();
    };
    let seen = |name: &FunctionName, count| visible_name(key, name, count).ok();
    let old = &old.functions;
    let old: Vec<String> = old
        .keys()
        .filter_map(|name| seen(name, old.len()))
        .collect();
    let new = &inspection.functions;
    let new = new
        .iter()
        .filter_map(|function| seen(&function.name, new.len()));
    new.filter(|name| old.contains(name)).collect()
}
