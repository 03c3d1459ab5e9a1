//! `tool load`: pulls a tool, verifies it, shows the inspection, asks, records the consent
//! and compiles.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_host::{InspectedCapability, Inspection};
use tool_hub_manifest::{
    FunctionName, Grants, LockedTool, Revision, ToolKey, ToolRef, ToolboxEntry, VersionReq,
    visible_name,
};
use url::Url;

use crate::approval::{ApprovalFlags, Candidate, Offer};
use crate::config::Config;
use crate::diagnosis::Problem;
use crate::package::{Fetched, FetchedFrom, Subject};
use crate::printer::Printer;
use crate::record::{self, Consented};
use crate::report;
use crate::toolbox::{OpenToolbox, origin};

/// Arguments of `tool load`.
#[derive(Debug, Args)]
pub(crate) struct Load {
    /// owner/name, owner/name@version, a path to a component, package or project, or the
    /// name of a tool of the toolbox, to load it anew
    tool: Subject,

    /// The name that agents will see [default: the tool's own]
    ///
    /// A name that a tool of another place has goes over to this one. A warning says so, and
    /// so does the question at a terminal; with --approve the digest is the consent.
    #[arg(long = "as", value_name = "NAME")]
    name: Option<ToolKey>,

    #[command(flatten)]
    approval: ApprovalFlags,
}

impl Load {
    pub(crate) async fn execute(
        &self,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let meant = self.meant(config)?;
        let fetched = meant.tool.fetch(&meant.endpoint, config, printer).await?;
        let key = match self.name.clone().or(meant.key) {
            Some(name) => name,
            None => ToolKey::from(&fetched.verified.manifest().name),
        };
        let entry = entry(&fetched, &key, config)?;
        let loaded =
            approve_and_load(&key, &entry, &fetched, &self.approval, config, printer).await?;
        let names: Vec<&str> = loaded.functions.keys().map(FunctionName::as_str).collect();
        if printer.wants_json() {
            printer.json(&json!({
                "name": key,
                "version": loaded.version,
                "digest": loaded.approval.digest,
                "functions": names,
                "grants": loaded.grants,
            }))?;
        } else {
            printer.note(&format!(
                "loaded {key} {} ({})",
                loaded.version,
                names.join(", ")
            ));
            printer.hint(&format!(
                "call it with: tool call {key}{}",
                first_call(&names)
            ));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// What is to be loaded: what the command line names, unless that is the name of a tool
    /// of the toolbox.
    fn meant(&self, config: &Config) -> anyhow::Result<Meant> {
        if let Subject::Reference(Err(_), text) = &self.tool
            && let Ok(key) = text.replace('-', "_").parse()
            && let Some(meant) = Meant::under(key, config)?
        {
            return Ok(meant);
        }
        Ok(Meant {
            tool: self.tool.clone(),
            endpoint: config.endpoint.clone(),
            key: None,
        })
    }
}

/// A tool that is to be loaded, where it is looked for, and the name it has already.
struct Meant {
    tool: Subject,
    endpoint: Url,
    key: Option<ToolKey>,
}

impl Meant {
    /// What the toolbox has under `key`, in the newest version that it follows. A refusal
    /// names the command that grants one right more, and knows no more than this name.
    fn under(key: ToolKey, config: &Config) -> anyhow::Result<Option<Self>> {
        let toolbox = OpenToolbox::open(config)?;
        let Some(entry) = toolbox.entry(&key) else {
            return Ok(None);
        };
        let tool = match (&entry.repo, &entry.path) {
            (Some(repo), _) => {
                let version = entry.version.clone();
                let reference = ToolRef {
                    repo: repo.clone(),
                    revision: version.map_or(Revision::Newest, Revision::Version),
                };
                let text = reference.to_string();
                Subject::Reference(Ok(reference), text)
            }
            (None, Some(path)) => Subject::Path(path.clone()),
            (None, None) => return Ok(None),
        };
        let endpoint = entry.endpoint.as_ref().unwrap_or(&config.endpoint);
        Ok(Some(Self {
            tool,
            endpoint: endpoint.clone(),
            key: Some(key),
        }))
    }
}

fn first_call(functions: &[&str]) -> String {
    match functions {
        [] | [_] => " …".to_owned(),
        [first, ..] => format!(".{first} …"),
    }
}

/// Shows the inspection, asks for consent, and records the tool under `key`.
async fn approve_and_load(
    key: &ToolKey,
    entry: &ToolboxEntry,
    fetched: &Fetched,
    flags: &ApprovalFlags,
    config: &Config,
    printer: &Printer,
) -> anyhow::Result<LockedTool> {
    let inspection = tool_hub_host::inspect(&fetched.verified)?;
    refuse_the_refused(&inspection)?;
    printer.note(&report::inspection(&fetched.origin.source(), &inspection));
    let toolbox = OpenToolbox::open(config)?;
    let before = toolbox.member(key.as_str()).ok();
    let before = before.filter(|member| member.locked.pin() == *fetched.verified.pin());
    if let Some(member) = before
        && flags.is_empty()
    {
        printer.note("you approved exactly this before");
        let approval = &member.locked.approval;
        let grants = member.locked.grants.clone();
        let consented = Consented {
            digest: approval.digest,
            grants,
            consent: approval.consent,
        };
        return record::record(key, entry, fetched, consented, config, printer).await;
    }
    let replaces = replaced(key, fetched, &toolbox);
    if let Some(old) = &replaces {
        let names = names_in_both(key, &inspection, &toolbox);
        let new = report::subject(fetched);
        printer.warning(&match &names[..] {
            [] | [_] => format!("`{key}` is taken by {old}, which {new} replaces"),
            names => format!(
                "these names are taken by {old}, which {new} replaces:\n- {}",
                names.join("\n- ")
            ),
        });
        printer.hint("to keep both, give this one another name with --as");
    }
    let asked = &fetched.verified.manifest().capabilities;
    let digest = inspection.approval_digest;
    let granted = before.map_or_else(Grants::none, |member| member.locked.grants.clone());
    if !granted.is_none() {
        printer.note("what you granted it before stays granted");
    }
    let candidate = Candidate {
        name: key.as_str(),
        digest,
        asked,
        replaces,
        offer: Offer::Everything,
    };
    let (grants, consent) = flags.decide(&candidate, granted, config)?;
    let ungranted = inspection.ungranted(&grants);
    let consented = Consented {
        digest,
        grants,
        consent,
    };
    let locked = record::record(key, entry, fetched, consented, config, printer).await?;
    tell_of_the_ungranted(key, &ungranted, printer);
    Ok(locked)
}

/// What a tool asks for and does not get is missed only when it is called.
pub(super) fn tell_of_the_ungranted(
    key: &ToolKey,
    ungranted: &[InspectedCapability],
    printer: &Printer,
) {
    if ungranted.is_empty() {
        return;
    }
    let what: Vec<&str> = ungranted.iter().map(|asked| &*asked.what).collect();
    let flags: Vec<&str> = ungranted.iter().map(|asked| &*asked.flag).collect();
    printer.warning(&format!(
        "`{key}` asks for what it was not granted: {}",
        what.join(", ")
    ));
    printer.hint(&format!(
        "grant it with: tool grant {key} {}",
        flags.join(" ")
    ));
}

pub(crate) fn refuse_the_refused(inspection: &Inspection) -> anyhow::Result<()> {
    if inspection.refusals.is_empty() {
        return Ok(());
    }
    let reasons: Vec<String> = inspection
        .refusals
        .iter()
        .map(ToString::to_string)
        .collect();
    Err(Problem::refused(format!(
        "`{}` is refused: {}",
        inspection.name,
        reasons.join("; ")
    ))
    .hint("this tool can never be loaded as it is; tell its author")
    .into())
}

/// The tool of another place that has the name `key`. An agent that knew it will call the
/// new one: whoever loads that must know.
fn replaced(key: &ToolKey, fetched: &Fetched, toolbox: &OpenToolbox) -> Option<String> {
    let entry = toolbox.entry(key)?;
    let is_same = match (&fetched.origin, &entry.repo, &entry.path) {
        (FetchedFrom::Registry { resolved, .. }, Some(repo), _) => *repo == resolved.repo,
        (FetchedFrom::File { path }, _, Some(old)) => old == path,
        _ => false,
    };
    (!is_same).then(|| origin(key, entry))
}

/// The names by which agents call a function of the tool that is there, and will call one of the
/// tool that comes.
fn names_in_both(key: &ToolKey, inspection: &Inspection, toolbox: &OpenToolbox) -> Vec<String> {
    let Ok(old) = toolbox.member(key.as_str()) else {
        return Vec::new();
    };
    let seen = |name: &FunctionName, count| visible_name(key, name, count).ok();
    let old = &old.locked.functions;
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

/// What the toolbox will say about the tool. What people wrote there before stays.
fn entry(fetched: &Fetched, key: &ToolKey, config: &Config) -> anyhow::Result<ToolboxEntry> {
    let toolbox = OpenToolbox::open(config)?;
    match &fetched.origin {
        FetchedFrom::Registry {
            endpoint,
            reference,
            resolved,
        } => {
            let before = toolbox
                .entry(key)
                .filter(|entry| entry.repo.as_ref() == Some(&resolved.repo));
            let mut entry = before.cloned().unwrap_or_default();
            entry.repo = Some(resolved.repo.clone());
            entry.version = version_to_follow(reference, fetched);
            if entry
                .endpoint
                .as_ref()
                .is_some_and(|named| named != endpoint)
            {
                entry.endpoint = Some(endpoint.clone());
            }
            Ok(entry)
        }
        FetchedFrom::Approved(_) => Ok(toolbox.entry(key).cloned().unwrap_or_default()),
        FetchedFrom::File { path } => {
            let before = toolbox
                .entry(key)
                .filter(|entry| entry.path.as_ref() == Some(path));
            let mut entry = before.cloned().unwrap_or_default();
            entry.path = Some(path.clone());
            Ok(entry)
        }
    }
}

/// What `tool update` may go to: what the reference says, or everything compatible with the
/// version that was loaded. A branch or a commit follows no version.
fn version_to_follow(reference: &ToolRef, fetched: &Fetched) -> Option<VersionReq> {
    match &reference.revision {
        Revision::Version(requirement) => Some(requirement.clone()),
        Revision::Newest => format!("^{}", fetched.verified.manifest().version)
            .parse()
            .ok(),
        Revision::Branch(_) | Revision::Commit(_) => None,
    }
}
