//! Shows a tool that was fetched, obtains consent to it, and records it in the toolbox.

use tool_hub_host::Inspection;
use tool_hub_manifest::{
    FunctionName, GrantTree, Grants, LockedTool, ToolKey, ToolboxEntry, visible_name,
};
use tool_hub_toolbox::comparison::compare_with_approved;
use tool_hub_toolbox::consent_record::{GivenConsent, calls_functions};
use tool_hub_toolbox::fetched::{Fetched, FetchedFrom};
use tool_hub_toolbox::known_makers::KnownMakers;
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use tool_hub_toolbox::open_toolbox::tool_status::origin;
use tool_hub_toolbox::provenance::Provenance;

use super::refusals::check_refusals;
use super::shown::{note_known_interpreter, report_ungranted, show};
use crate::consent::approval::{ApprovalFlags, Candidate, Offer};
use crate::consent::difference;
use crate::consent::maker_flags::{MakerFlags, tell_of_rotation};
use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::toolbox::recording;

/// The consent that a command line gives.
pub(super) struct ConsentFlags<'a> {
    pub(super) approval: &'a ApprovalFlags,
    pub(super) makers: &'a MakerFlags,
    /// The grants of a server, from before it was started.
    pub(super) started_with: Option<Grants>,
}

/// Shows the inspection, asks for consent, and records the tool under `key`.
pub(super) async fn approve_and_load(
    key: &ToolKey,
    entry: &ToolboxEntry,
    fetched: &Fetched,
    consent: ConsentFlags<'_>,
    session: &Session,
) -> anyhow::Result<LockedTool> {
    let ConsentFlags {
        approval: flags,
        makers,
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
    let known = KnownMakers::read(&config.settings)?;
    let before = known.before(approved, &from.source);
    tell_of_rotation(key, before.signer.as_ref(), fetched, printer);
    let changes = known.changes(key.as_str(), &before, &from);
    makers.check_changes(key, changes, flags.approve, printer)?;
    if let Some(before) = unchanged
        && flags.is_empty()
        && fetched.allows_no_more_than(before)
        && started_with
            .as_ref()
            .is_none_or(|grants| *grants == before.grants)
    {
        printer.note("you approved exactly this before");
        let given = GivenConsent::before(&inspection, before)?;
        return recording::record(key, entry, fetched, given, session).await;
    }
    let before = approved.filter(|before| before.pin() == *fetched.verified.pin());
    let granted = before.map_or_else(
        || Grants::none().into(),
        |before| fetched.kept_grants(before),
    );
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
            // A server's rights were settled before it was started.
            true => Offer::Named,
            false => Offer::Everything,
        },
        act: "Load",
        dependencies: &inspection.dependencies,
    };
    let granted = started_with.map_or(granted, GrantTree::from);
    let (grants, consent) = flags.decide(&candidate, granted, config)?;
    let given = GivenConsent::now(&inspection, &grants, consent)?;
    let locked = recording::record(key, entry, fetched, given, session).await?;
    report_ungranted(key.as_str(), &inspection, &grants, printer);
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
    match compare_with_approved(approved, fetched, inspection, &config.settings) {
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
