//! Puts into a few words what a tool may do, for `tool grant`, `tool revoke` and `tool list`.

use std::process::ExitCode;

use serde_json::json;
use tool_hub_manifest::{Grants, LockedTool};

use crate::commands::grant::grant_place::GrantPlace;
use crate::terminal::phrases::{counted, rights};
use crate::terminal::printer::Printer;

/// Prints what a tool may do from now on.
pub(crate) fn tell(
    place: &GrantPlace<'_>,
    granted: &Grants,
    printer: &Printer,
) -> anyhow::Result<ExitCode> {
    let GrantPlace { name, locked, .. } = place;
    if printer.wants_json() {
        printer.json(&json!({ "name": name, "grants": granted }))?;
    } else {
        printer.note(&format!("{name} may {}", summary(granted, locked)));
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
