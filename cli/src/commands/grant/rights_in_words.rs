//! Puts into a few words what a tool may do, for `tool grant`, `tool revoke` and `tool list`.

use std::process::ExitCode;

use serde_json::json;
use tool_hub_manifest::{Grants, LockedTool};

use crate::terminal::phrases::{counted, rights};
use crate::terminal::printer::Printer;
use tool_hub_toolbox::open_toolbox::Member;

/// Prints what a tool may do from now on.
pub(crate) fn tell(
    member: Member<'_>,
    granted: &Grants,
    printer: &Printer,
) -> anyhow::Result<ExitCode> {
    let Member { key, locked, .. } = member;
    if printer.wants_json() {
        printer.json(&json!({ "name": key, "grants": granted }))?;
    } else {
        printer.note(&format!("{key} may {}", summary(granted, locked)));
    }
    Ok(ExitCode::SUCCESS)
}

/// A few words on what the tool of a record may do with `grants`, with every directory by the
/// tool's name for it.
pub(crate) fn summary(grants: &Grants, tool: &LockedTool) -> String {
    rights(grants, tool.calls_functions, |name, grant| {
        match grant.despite.len() {
            0 => format!("{} {name}", grant.access),
            dangers => format!(
                "{} {name} with {}",
                grant.access,
                counted(dangers, "accepted danger")
            ),
        }
    })
}
