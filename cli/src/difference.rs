//! The differences between an approved tool and the one that is to replace it.

use tool_hub_host::{Change, Inspection, inspect};
use tool_hub_manifest::{LockedTool, Source};

use crate::config::Config;
use crate::escape::escape_line;
use crate::printer::Printer;

/// All differences between the tool of `new`, from `source`, and the approved one; empty if there
/// are none.
///
/// # Errors
/// If the bytes of the approved tool are not in the store any more.
pub(crate) fn compare_with_approved(
    approved: &LockedTool,
    new: &Inspection,
    source: Source,
    config: &Config,
) -> anyhow::Result<Vec<Change>> {
    let pin = approved.pin();
    let bytes = match *new.verified().pin() == pin {
        true => new.verified().clone(),
        false => config.open_store()?.get(&pin)?,
    };
    let old = inspect(&bytes)?.with_overrides(approved.overrides.clone());
    let old = old.terms(approved.source.clone(), approved.signer.clone());
    Ok(old.changes(&new.terms(source, None)))
}

/// Shows `changes`, even with `--quiet`: a question about them follows.
pub(crate) fn show(changes: &[Change], printer: &Printer) {
    for line in lines(changes) {
        printer.before_a_question(&format!("  {line}"));
    }
}

/// `changes` as lines for people. Texts from the tool are escaped and kept on one line.
pub(crate) fn lines(changes: &[Change]) -> Vec<String> {
    let escaped = changes.iter().map(|change| {
        let text = |text: &Option<String>| text.as_deref().map(escape_line);
        let mut shown = change.clone();
        shown.what = escape_line(&change.what);
        (shown.before, shown.after) = (text(&change.before), text(&change.after));
        shown.to_string()
    });
    escaped
        .flat_map(|shown| shown.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}
