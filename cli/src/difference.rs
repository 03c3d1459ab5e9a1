//! The difference between the tool that was approved and the one that is to take its place.

use tool_hub_host::{Change, Inspection, inspect};
use tool_hub_manifest::{LockedTool, Source};

use crate::config::Config;
use crate::escape::escape_line;
use crate::printer::Printer;

/// Everything in which the tool of `new`, from `source`, differs from the approved one; nothing
/// where it is the same.
///
/// # Errors
/// When the approved bytes are not in the store any more.
pub(crate) fn since(
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

/// Shows `changes`, also to whoever wants to hear little: they are what is asked about.
pub(crate) fn show(changes: &[Change], printer: &Printer) {
    for line in lines(changes) {
        printer.before_a_question(&format!("  {line}"));
    }
}

/// `changes` as people read them, every text of a stranger's on one line and escaped.
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
