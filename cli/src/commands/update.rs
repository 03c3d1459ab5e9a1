//! `tool update`: updates tools to newer versions of a registry, and to changed local packages.
//! A version that only asks for less is taken unasked; any other difference from the approved
//! version is shown and needs consent. If one tool cannot be updated, the others still are.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use tool_hub_host::{Change, ChangeKind};
use tool_hub_manifest::{
    Capabilities, Consent, Digest, Revision, Source, ToolKey, ToolRef, Version,
};
use tool_hub_registry_client::AllowedYanks;
use tool_hub_toolbox::Error;
use tool_hub_toolbox::advisories::allowed::AllowedAdvisories;
use tool_hub_toolbox::comparison::compare_with_approved;
use tool_hub_toolbox::consent_record::{GivenConsent, calls_functions};
use tool_hub_toolbox::fetch_options::{AllowedNew, FetchOptions, Purpose};
use tool_hub_toolbox::fetched::Fetched;
use tool_hub_toolbox::known_makers::KnownMakers;
use tool_hub_toolbox::open_toolbox::{Member, OpenToolbox};
use tool_hub_toolbox::provenance::Provenance;
use tool_hub_toolbox::subject::Subject;
use url::Url;

use crate::commands::load::refusals::check_refusals;
use crate::consent::approval::{ApprovalFlags, Candidate, Offer};
use crate::consent::difference;
use crate::consent::maker_flags::{MakerFlags, tell_of_rotation};
use crate::servers::fetching::{self as server_fetching, WantedServer};
use crate::serving::release_refresh::ask_of_malicious;
use crate::session::Session;
use crate::terminal::diagnosis;
use crate::terminal::exit::Exit;
use crate::terminal::phrases::counted;
use crate::terminal::printer::Printer;
use crate::toolbox::{fetching, recording};

/// Arguments of `tool update`.
#[derive(Debug, Args)]
pub(crate) struct Update {
    /// The toolbox's names of the tools [default: all]
    names: Vec<String>,

    /// Take newer versions without asking if only their code changed
    ///
    /// `accept_code = true` in `config.toml` says the same for every update. It never takes an
    /// older version, other code under the same version, nor other code of a tool that offers
    /// prompts or resources, because their texts come from the code.
    #[arg(long)]
    accept_code: bool,

    /// Take versions however new they are
    ///
    /// Others are passed over until they are as old as `release_age_days` in `config.toml` says,
    /// by the log of the registry.
    #[arg(long)]
    allow_new: bool,

    /// Agree without asking to the start of an MCP server, by the digest that is shown for it
    #[arg(long, value_name = "DIGEST")]
    start: Option<Digest>,

    #[command(flatten)]
    makers: MakerFlags,

    #[command(flatten)]
    approval: ApprovalFlags,
}

/// The outcome of looking for a newer version.
enum UpdateOutcome {
    Current,
    /// The toolbox follows no other version.
    Pinned,
    /// Nothing is at the path that it was loaded from.
    Gone,
    Updated(Version),
}

/// The outcomes for all tools so far.
#[derive(Default)]
struct Report {
    tools: Vec<Value>,
    stopped: Vec<Exit>,
}

impl Report {
    fn add(&mut self, member: Member<'_>, found: UpdateOutcome, printer: &Printer) {
        let before = &member.locked.version;
        let (state, said, now) = match found {
            UpdateOutcome::Current => ("current", "current at", before.clone()),
            UpdateOutcome::Pinned => ("pinned", "pinned to", before.clone()),
            UpdateOutcome::Gone => ("gone", "nothing is at its path; stays at", before.clone()),
            UpdateOutcome::Updated(version) => ("updated", "updated at", version),
        };
        printer.note(&format!("{}: {said} {now}", member.key));
        self.tools
            .push(json!({ "name": member.key, "state": state, "before": before, "now": now }));
    }

    fn stop(&mut self, key: &ToolKey, error: &anyhow::Error, printer: &Printer) {
        let diagnosis = diagnosis::of(error);
        printer.error(error, &diagnosis.hints);
        self.stopped.push(diagnosis.exit);
        self.tools
            .push(json!({ "name": key, "state": "stopped", "error": error.to_string() }));
    }

    /// Returns the worst exit code: a refusal outweighs what the user can mend.
    fn end(&self, printer: &Printer) -> anyhow::Result<ExitCode> {
        if printer.wants_json() {
            printer.json(&json!({ "tools": self.tools }))?;
        }
        if self.tools.len() > 1 && !self.stopped.is_empty() {
            printer.note(&format!(
                "{} of {} could not be updated",
                self.stopped.len(),
                counted(self.tools.len(), "tool")
            ));
        }
        let worst = self.stopped.iter().max_by_key(|exit| **exit as u8);
        Ok(worst.map_or(ExitCode::SUCCESS, |exit| (*exit).into()))
    }
}

impl Update {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let toolbox = OpenToolbox::open(&config.settings)?;
        let toolbox = ask_of_malicious(toolbox, session).await?;
        let mut report = Report::default();
        for status in toolbox.chosen(&self.names)? {
            let found = match status.member {
                Ok(member) => self
                    .update(member, session)
                    .await
                    .map(|found| (member, found)),
                Err(unusable) => Err(unusable.into()),
            };
            match found {
                Ok((member, found)) => report.add(member, found, printer),
                Err(error) => report.stop(status.key, &error, printer),
            }
        }
        report.end(printer)
    }

    async fn update(&self, member: Member<'_>, session: &Session) -> anyhow::Result<UpdateOutcome> {
        let (fetched, is_exact) = match &member.locked.source {
            Source::File { path } if !path.exists() => return Ok(UpdateOutcome::Gone),
            Source::File { path } => {
                // A component without a manifest asks for what it asked for before.
                let before = session
                    .config
                    .settings
                    .open_store()?
                    .get(&member.locked.pin())?;
                let asked = before.manifest().capabilities.clone();
                let subject = Subject::Path(path.clone());
                let endpoint = &session.config.settings.endpoint;
                let fetched = fetching::fetch(&subject, asked, endpoint, session);
                (fetched.await?, false)
            }
            Source::Registry { .. } => {
                let Some((endpoint, reference)) = followed(member) else {
                    return Ok(UpdateOutcome::Pinned);
                };
                let subject = Subject::Reference(Ok(reference.clone()), reference.to_string());
                let options = FetchOptions {
                    asked: Capabilities::default(),
                    allowed_yanks: AllowedYanks::Version(member.locked.version.clone()),
                    allowed_new: match self.allow_new {
                        true => AllowedNew::Any,
                        false => AllowedNew::None,
                    },
                    allowed_advisories: AllowedAdvisories::OfVersion(
                        member.locked.version.clone(),
                        member.locked.allowed_advisories.clone(),
                    ),
                    purpose: Purpose::Use,
                    dependencies_in_use: member.locked.dependencies.clone(),
                };
                let fetched = fetching::fetch(&subject, options, &endpoint, session).await;
                stop_at_malicious(member.key, session)?;
                (fetched?, reference.revision.is_exact_version())
            }
            Source::Server { address } => {
                let wanted = WantedServer {
                    address,
                    key: Some(member.key),
                    rights: &self.approval.rights,
                    start: self.start,
                };
                (
                    server_fetching::fetch(&wanted, session).await?.fetched,
                    false,
                )
            }
        };
        if fetched.is_recorded_by(member.locked) {
            return Ok(match is_exact {
                true => UpdateOutcome::Pinned,
                false => UpdateOutcome::Current,
            });
        }
        self.makers.check(&fetched)?;
        let given = self.consent(member, &fetched, session)?;
        let locked = recording::record(member.key, member.entry, &fetched, given, session).await?;
        Ok(UpdateOutcome::Updated(locked.version))
    }

    /// Takes a version that asks for nothing more than the approved one; asks about any other.
    fn consent(
        &self,
        member: Member<'_>,
        fetched: &Fetched,
        session: &Session,
    ) -> anyhow::Result<GivenConsent> {
        let Session { config, printer } = session;
        let Member { key, locked, .. } = member;
        let new = fetched.inspect()?.with_overrides(locked.overrides.clone());
        check_refusals(&new)?;
        let asked = &fetched.verified.manifest().capabilities;
        let grants = fetched.kept_grants(locked);
        let changes = compare_with_approved(locked, fetched, &new, &config.settings)?;
        let greatest = Change::greatest(&changes);
        let malicious = fetched.malicious_since(locked);
        let known = KnownMakers::read(&config.settings)?;
        let before = known.before(Some(locked), &fetched.origin.source());
        let other_makers = known.changes(key.as_str(), &before, &Provenance::before(fetched));
        let passes = match greatest {
            _ if malicious.is_some() || !other_makers.is_empty() => false,
            None | Some(ChangeKind::Less | ChangeKind::Newer) => true,
            Some(ChangeKind::Code) => self.accept_code || config.settings.accept_code,
            Some(ChangeKind::Beyond) => false,
        };
        tell_of_rotation(key, before.signer.as_ref(), fetched, printer);
        if passes {
            return Ok(GivenConsent::now(&new, &grants, Consent::Update)?);
        }
        if let Some(malicious) = &malicious {
            printer.warning(&format!(
                "{malicious}; whoever published that may have published the newer one too, so it is not taken unasked"
            ));
        }
        show_changes(member, &new.version, &changes, printer);
        if greatest == Some(ChangeKind::Code) && malicious.is_none() {
            printer.hint(
                "--accept-code takes newer versions without asking if only their code changed",
            );
        }
        if new.server.is_some() {
            // `tool inspect` shows the server as it was approved.
            printer.before_a_question(&format!("  digest of this: {}", new.approval_digest));
        }
        if let Some(why) = fetched.signature.unverifiable() {
            printer.warning(&format!("it has a signature that was not verified: {why}"));
        }
        let approve = self.approval.approve;
        self.makers
            .check_changes(key, other_makers, approve, printer)?;
        let candidate = Candidate {
            name: key.as_str(),
            digest: new.approval_digest,
            asked,
            calls_functions: calls_functions(&new),
            replaces: None,
            offer: Offer::Everything,
            act: "Load",
            dependencies: &new.dependencies,
        };
        let (grants, consent) = self.approval.decide(&candidate, grants, config)?;
        Ok(GivenConsent::now(&new, &grants, consent)?)
    }
}

fn show_changes(member: Member<'_>, now: &Version, changes: &[Change], printer: &Printer) {
    let (key, before) = (member.key, &member.locked.version);
    printer.warning(&match Change::greatest(changes) {
        Some(ChangeKind::Code) => {
            format!("`{key}` {now}: only the code changed since {before}, which you approved:")
        }
        _ => format!("`{key}` {now} differs from {before}, which you approved:"),
    });
    difference::show(changes, printer);
}

/// Fails if the approved version, or one that it calls, is known to be malicious, as the registry
/// may just have said. Another version is loaded like a tool that nobody knows: all of it is shown.
fn stop_at_malicious(key: &ToolKey, session: &Session) -> anyhow::Result<()> {
    let toolbox = OpenToolbox::open(&session.config.settings)?;
    match toolbox.member(key.as_str()) {
        Err(malicious @ Error::Malicious(_)) => Err(malicious.into()),
        _ => Ok(()),
    }
}

/// The reference by which newer versions of a tool of a registry are looked for; none where it was
/// loaded from a branch or a commit.
fn followed(member: Member<'_>) -> Option<(Url, ToolRef)> {
    let (endpoint, repo) = member.locked.source.repo()?;
    let requirement = member.entry.version.clone()?;
    let reference = ToolRef {
        repo: repo.clone(),
        revision: Revision::Version(requirement),
    };
    Some((endpoint.clone(), reference))
}
