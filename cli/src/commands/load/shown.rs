//! Shows a tool's inspection before consent is asked, and warns of rights that were not granted.

use tool_hub_host::{InspectedCapability, Inspection};
use tool_hub_manifest::{GrantTree, ToolKey};
use tool_hub_toolbox::open_toolbox::{Member, OpenToolbox};

use crate::consent::approval::{ApprovalFlags, Terminal};
use crate::consent::grant_flags;
use crate::consent::inspection_report::{inspection_report, wanted_detail};
use crate::session::Session;
use crate::terminal::printer::Printer;
use tool_hub_toolbox::provenance::Provenance;

/// Shows the inspection, even with `--quiet` if a question about it follows.
pub(crate) fn show(
    from: &Provenance,
    inspection: &Inspection,
    flags: &ApprovalFlags,
    printer: &Printer,
) {
    let report = inspection_report(from, inspection, wanted_detail(printer));
    if flags.approve.is_none() && Terminal::open().is_some() {
        printer.before_a_question(&report);
    } else {
        printer.note(&report);
    }
}

/// Says which other approved tool of the toolbox is run by the interpreter of this one: there is
/// less to think about then.
pub(crate) fn note_known_interpreter(
    key: &ToolKey,
    inspection: &Inspection,
    toolbox: &OpenToolbox,
    session: &Session,
) -> anyhow::Result<()> {
    let Some(interpreter) = inspection.interpreter else {
        return Ok(());
    };
    let store = session.config.settings.open_store()?;
    let others = toolbox.statuses().into_iter();
    let mut others = others.filter_map(|status| status.member.ok());
    let has_it = |it: &Member<'_>| {
        it.key != key && store.code_digest(&it.locked.pin()) == interpreter.digest
    };
    if let Some(other) = others.find(has_it) {
        session.printer.note(&format!(
            "its interpreter is the one that you approved with `{}`",
            other.key
        ));
    }
    Ok(())
}

/// Warns of capabilities that a tool, or one that it depends on, asks for and does not get: they
/// are missed only when it is called.
pub(crate) fn report_ungranted(
    key: &str,
    inspection: &Inspection,
    grants: &GrantTree,
    printer: &Printer,
) {
    report(key, &inspection.ungranted(&grants.own), printer);
    for (name, inspection) in &inspection.dependencies {
        let path = format!("{key}.{name}");
        report_ungranted(&path, inspection, &grants.of_dependency(name), printer);
    }
}

fn report(key: &str, ungranted: &[InspectedCapability], printer: &Printer) {
    if ungranted.is_empty() {
        return;
    }
    let what: Vec<&str> = ungranted.iter().map(|asked| &*asked.what).collect();
    printer.warning(&format!(
        "`{key}` asks for what it was not granted: {}",
        what.join(", ")
    ));
    let grants = ungranted.iter().map(|asked| &asked.grant);
    let command = grant_flags::command(&format!("tool grant {key}"), grants);
    printer.hint(&format!("grant it with: {command}"));
}
