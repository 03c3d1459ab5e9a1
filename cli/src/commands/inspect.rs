//! `tool inspect`: fetches a tool and shows its claims next to its real imports and exports.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use tool_hub_manifest::{Digest, LockedTool, ServerAddress, ServerDescription, ToolKey};
use tool_hub_registry_client::AllowedYanks;
use tool_hub_toolbox::Error;
use tool_hub_toolbox::advisories::allowed::AllowedAdvisories;
use tool_hub_toolbox::fetch_options::{AllowedNew, FetchOptions, Purpose};
use tool_hub_toolbox::fetched::{Fetched, FetchedFrom};
use tool_hub_toolbox::inspection_report::Detail;
use tool_hub_toolbox::known_makers::KnownMakers;
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use tool_hub_toolbox::other_maker::OtherMaker;
use tool_hub_toolbox::package_attestations::PackageAttestations;
use tool_hub_toolbox::package_signature::PackageSignature;
use tool_hub_toolbox::policy::error::PolicyError;
use tool_hub_toolbox::policy::policies::Policies;
use tool_hub_toolbox::policy::subject::OriginSubject;
use tool_hub_toolbox::provenance::Provenance;
use tool_hub_toolbox::subject::Subject;
use tool_hub_toolbox::target::{self, Target};

use crate::commands::bundle::listing::{self, CheckedTool};
use crate::consent::authorship_json::{attestations_json, signer_json};
use crate::consent::capability_flags::CapabilityFlags;
use crate::consent::grant_flags;
use crate::consent::inspection_report::{inspection_report, wanted_detail};
use crate::consent::maker_flags::{ASK, flag_of, load_alone};
use crate::servers::command_line::server_named;
use crate::servers::fetching::{self as server_fetching, FetchedServer, WantedServer};
use crate::servers::start_consent;
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::escape::escape_line;
use crate::terminal::hints::Hint as _;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::toolbox::fetching;

/// Arguments of `tool inspect`.
#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// owner/name, owner/name@version, a path to a component, package or project, a bundle, or
    /// the name of a tool of the toolbox
    ///
    /// An MCP server is mcp:PROGRAM with its arguments, after all flags of `tool`, or
    /// mcp+https://… for a remote one. It is started to say what its tools are.
    tool: Subject,

    /// The arguments of an MCP server's program, or the names of a bundle's tools
    #[arg(value_name = "ARGUMENT", hide = true)]
    words: Vec<String>,

    /// Agree without asking to the start of an MCP server, by the digest that is shown for it
    #[arg(long, value_name = "DIGEST")]
    start: Option<Digest>,

    /// Print the bill of materials of the package, and nothing else: CycloneDX in JSON
    #[arg(long, conflicts_with = "start")]
    sbom: bool,

    #[command(flatten)]
    asked: CapabilityFlags,
}

impl Inspect {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, .. } = session;
        self.check_flags(config)?;
        if let Some(path) = self.tool.bundle(&config.settings) {
            return self.bundle(&path, session).await;
        }
        let target = Target::of(&self.tool, &config.settings)?;
        let toolbox = OpenToolbox::open(&config.settings)?;
        let (fetched, key, start) = match server_named(&target.subject, &self.words, config)? {
            Some(address) => self.server(&address, &target, &toolbox, session).await?,
            None => {
                let (subject, endpoint) = (&target.subject, &target.endpoint);
                let options = self.options();
                let fetched = fetching::fetch(subject, options, endpoint, session).await?;
                // Includes the toolbox's overrides, as `tool load` does.
                let key = target.key(&fetched);
                (fetched, key, None)
            }
        };
        let named = target.named(&fetched);
        self.report(&fetched, &key, named, start, session).await
    }

    /// Takes any version: nothing of it is loaded here.
    fn options(&self) -> FetchOptions {
        FetchOptions {
            asked: self.asked.capabilities(),
            allowed_yanks: AllowedYanks::All,
            allowed_new: AllowedNew::IfNoOther,
            allowed_advisories: AllowedAdvisories::All,
            purpose: Purpose::Look,
            ..FetchOptions::default()
        }
    }

    /// Lists the tools of the bundle at `path`, or shows the one that was named or is alone.
    async fn bundle(&self, path: &Path, session: &Session) -> anyhow::Result<ExitCode> {
        let mut checked = listing::checked(path, &self.words, &self.options(), session)?;
        let fault = checked.iter_mut().find_map(|it| it.fault());
        if let Some(fault) = fault {
            return Err(fault);
        }
        let [
            CheckedTool {
                tool,
                fetched: Ok(fetched),
            },
        ] = &checked[..]
        else {
            listing::print(path, &checked, &session.printer)?;
            warn_of_others_in(&checked, session)?;
            let how = format!("see one whole with: tool inspect {} NAME", path.display());
            session.printer.hint(&how);
            return Ok(ExitCode::SUCCESS);
        };
        let key = ToolKey::from(&fetched.verified.manifest().name);
        let named = format!("{} {}", path.display(), tool.repo);
        self.report(fetched, &key, named, None, session).await
    }

    /// Shows a tool that the toolbox calls `key`, or will, and how `named` is loaded.
    async fn report(
        &self,
        fetched: &Fetched,
        key: &ToolKey,
        mut named: String,
        start: Option<Digest>,
        session: &Session,
    ) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        if self.sbom {
            return print_sbom(fetched, printer);
        }
        let toolbox = OpenToolbox::open(&config.settings)?;
        let overrides = target::entry(fetched, key, &toolbox).overrides();
        let approved = toolbox.last_approved(key);
        let are_approved = approved.is_some_and(|before| before.overrides == overrides);
        let inspection = fetched.inspect()?.with_overrides(overrides);
        if !inspection.overrides.is_empty() && !are_approved {
            printer.warning("you have not approved the texts for agents in toolbox.toml");
        }
        let policies = Policies::read(&config.settings);
        let refused = policies
            .and_then(|it| refused_by_policy(fetched, &it))
            .err();
        let refused = refused.map(Error::from);
        let provenance = Provenance::of(fetched, &config.settings, printer).await;
        let known = KnownMakers::read(&config.settings)?;
        let others = other_makers(key, approved, &provenance, &known);
        if printer.wants_json() {
            let mut shown = json!({
                "origin": origin(fetched, provenance.published.as_deref()),
                "digest": inspection.approval_digest,
                "signer": signer_json(&fetched.signature),
                "attestations": attestations_json(&fetched.attestations),
                "inspection": grant_flags::inspection_json(&inspection)?,
                "overrides_approved": are_approved || inspection.overrides.is_empty(),
                "other_makers": others.iter().map(other_maker_json).collect::<Vec<_>>(),
            });
            if let Some(start) = start {
                shown["start"] = json!(start);
            }
            printer.json(&shown)?;
            warn_of_others(&others, printer);
        } else {
            let detail = wanted_detail(printer);
            printer.data(&inspection_report(&provenance, &inspection, detail))?;
            warn_of_others(&others, printer);
            if detail == Detail::Decision {
                printer.hint("imports, digests and whole descriptions are shown with --verbose");
            }
            if refused.is_none() && inspection.refusals.is_empty() && inspection.offers_something()
            {
                if is_new(fetched) {
                    named.push_str(" --allow-new");
                }
                let (own, called): (Vec<_>, Vec<_>) =
                    others.iter().partition(|other| other.tool == key.as_str());
                for other in called {
                    printer.hint(&load_alone(other));
                }
                for other in &own {
                    named.push_str(&format!(" {}", flag_of(other)));
                }
                let ask = match own.is_empty() {
                    true => String::new(),
                    false => format!("{ASK}, "),
                };
                printer.hint(&format!(
                    "{ask}load it with: tool load {}",
                    self.load_arguments(&named, start, inspection.approval_digest)
                ));
            }
        }
        if let Some(refused) = refused {
            let hints = refused.hints();
            printer.warning(&format!("{:#}", anyhow::Error::from(refused)));
            hints.iter().for_each(|hint| printer.hint(hint));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The server at `address`: as it was approved where the toolbox's name was given, else as it
    /// says when it is started. Also the digest of that start.
    async fn server(
        &self,
        address: &ServerAddress,
        target: &Target,
        toolbox: &OpenToolbox,
        session: &Session,
    ) -> anyhow::Result<(Fetched, ToolKey, Option<Digest>)> {
        if let Some(key) = target.known_key()
            && let Some(approved) = toolbox.last_approved(key)
        {
            let verified = session.config.settings.open_store()?.get(&approved.pin())?;
            let fetched = Fetched {
                verified,
                origin: FetchedFrom::Approved(approved.source.clone()),
                signature: PackageSignature::none(),
                attestations: PackageAttestations::default(),
                bundle: None,
                logged: None,
                allowed_advisories: approved.allowed_advisories.clone(),
                dependencies: BTreeMap::new(),
            };
            return Ok((fetched, key.clone(), None));
        }
        let rights = self.asked.rights();
        let wanted = WantedServer {
            address,
            key: target.known_key(),
            rights: &rights,
            start: self.start,
        };
        let FetchedServer {
            key,
            fetched,
            grants,
        } = server_fetching::fetch(&wanted, session).await?;
        let description = ServerDescription::of(&fetched.verified)?;
        let start = start_consent::start_digest(&description.start, &grants)?;
        Ok((fetched, key, Some(start)))
    }

    /// The arguments by which `named` is loaded as it was inspected.
    fn load_arguments(&self, named: &str, start: Option<Digest>, approve: Digest) -> String {
        let flags = self.asked.flags();
        match start {
            // The server's own arguments come last.
            Some(start) => {
                let flags = flags.trim_start();
                let space = if flags.is_empty() { "" } else { " " };
                format!("{flags}{space}--start {start} --approve {approve} {named}")
            }
            None => format!("{named}{flags} --approve {approve}"),
        }
    }

    /// Refuses the flags for anything but a bare component, the only tool without a manifest to say
    /// what it asks for.
    fn check_flags(&self, config: &Config) -> anyhow::Result<()> {
        let is_component = match &self.tool {
            subject if subject.bundle(&config.settings).is_some() => false,
            Subject::Path(path) => !config.settings.place(path).is_dir(),
            Subject::Reference(..) => false,
            Subject::Server(_) => true,
        };
        let is_server = matches!(self.tool, Subject::Server(_));
        let is_understood = is_server || !self.asked.has_credentials();
        if is_component && is_understood || self.asked == CapabilityFlags::default() {
            return Ok(());
        }
        Err(
            Problem::user("`tool inspect` grants nothing and approves nothing")
                .hint("a tool with a manifest asks for what its manifest says; use: tool load")
                .into(),
        )
    }
}

/// The makers that are others than when the user approved the tool that is called `key`.
fn other_makers(
    key: &ToolKey,
    approved: Option<&LockedTool>,
    provenance: &Provenance,
    known: &KnownMakers,
) -> Vec<OtherMaker> {
    let before = known.before(approved, &provenance.source);
    known.changes(key.as_str(), &before, provenance)
}

/// Warns of other makers of the tools of a bundle, each under the name that it says itself.
fn warn_of_others_in(checked: &[CheckedTool], session: &Session) -> anyhow::Result<()> {
    let toolbox = OpenToolbox::open(&session.config.settings)?;
    let known = KnownMakers::read(&session.config.settings)?;
    for fetched in checked.iter().filter_map(|it| it.fetched.as_ref().ok()) {
        let key = ToolKey::from(&fetched.verified.manifest().name);
        // A bundle holds all that is known of its tools, so no registry is asked.
        let provenance = Provenance::before(fetched);
        let others = other_makers(&key, toolbox.last_approved(&key), &provenance, &known);
        warn_of_others(&others, &session.printer);
    }
    Ok(())
}

/// Warns of makers that are others than when the user approved the tool.
fn warn_of_others(others: &[OtherMaker], printer: &Printer) {
    for other in others {
        printer.warning(&escape_line(&other.to_string()));
    }
}

fn other_maker_json(other: &OtherMaker) -> Value {
    json!({
        "tool": other.tool,
        "part": other.role.as_str(),
        "before": other.before,
        "now": other.now,
        "name": other.name,
    })
}

/// Prints what the package is made of, as its author says. It stays JSON, with all escaped that a
/// terminal would obey.
fn print_sbom(fetched: &Fetched, printer: &Printer) -> anyhow::Result<ExitCode> {
    let Some(sbom) = fetched.verified.sbom() else {
        return Err(
            Problem::user(format!("{} has no bill of materials", fetched.subject()))
                .hint("its author writes one by building it again with this version of `tool`")
                .into(),
        );
    };
    let sbom: Value = serde_json::from_slice(sbom).map_err(|error| {
        Problem::user(format!(
            "the bill of materials of {} is not JSON",
            fetched.subject()
        ))
        .caused_by(error)
    })?;
    printer.json(&sbom)?;
    Ok(ExitCode::SUCCESS)
}

/// The policy's refusal of a tool, or of one that it depends on, if there is one.
fn refused_by_policy(fetched: &Fetched, policies: &Policies) -> Result<(), PolicyError> {
    let source = fetched.origin.source();
    let judged = OriginSubject {
        source: &source,
        version: &fetched.verified.manifest().version,
        signer: fetched.signature.signer(),
        attested_by: &fetched.attestations.publishers(),
        yank: None,
        advisories: Vec::new(),
        logged: fetched.logged.as_ref(),
    };
    policies.check_origin(&fetched.subject(), &judged)?;
    let mut dependencies = fetched.dependencies.values();
    dependencies.try_for_each(|it| refused_by_policy(it, policies))
}

/// True if it, or one that it depends on, is younger than the user's release age.
fn is_new(fetched: &Fetched) -> bool {
    let logged = fetched.logged.as_ref();
    logged.is_some_and(|entry| entry.taken_new) || fetched.dependencies.values().any(is_new)
}

fn origin(fetched: &Fetched, published: Option<&str>) -> serde_json::Value {
    match &fetched.origin {
        FetchedFrom::Registry {
            endpoint, resolved, ..
        } => json!({
            "endpoint": endpoint,
            "repo": resolved.repo,
            "commit": resolved.commit,
            "version": resolved.version,
            "publisher": resolved.repo.owner(),
            "published": published,
            "log_index": fetched.logged.as_ref().map(|entry| entry.index),
            "built_from": fetched.logged.as_ref().and_then(|entry| entry.built_from.as_ref()),
            "bundle": fetched.bundle.as_ref().map(|bundle| json!({
                "path": bundle.path,
                "proved": bundle.is_proved,
                "doubts": bundle.doubts.iter().map(ToString::to_string).collect::<Vec<_>>(),
            })),
        }),
        FetchedFrom::File { path } => json!({ "path": path }),
        FetchedFrom::Server { address } => json!({ "mcp": address }),
        FetchedFrom::Approved(source) => json!(source),
    }
}
