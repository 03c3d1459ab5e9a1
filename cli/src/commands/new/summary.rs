//! Prints what `tool new` read of a project's functions, and what the tool's types cannot say.

use tool_hub_agent::definition::{Loss, LossKind};

use crate::scaffold::{DefinedFunctions, PlainFile};
use crate::terminal::messages::counted;
use crate::terminal::printer::Printer;

/// The most differences that are told one by one.
const TOLD_MAX: usize = 20;

/// Tells what was read and what the project's types do not say.
pub(super) fn tell(defined: &DefinedFunctions, printer: &Printer) {
    printer.note(&format!(
        "read {} ({})",
        counted(defined.functions().len(), "function"),
        defined.source()
    ));
    for skipped in defined.skipped() {
        printer.warning(&format!("left out: {skipped}"));
    }
    tell_differences(defined.differences(), printer);
}

/// Tells what was read of a file of plain functions, and what the tool's types do not say.
pub(super) fn tell_plain(plain: &PlainFile, printer: &Printer) {
    printer.note(&format!(
        "read {} of {}",
        counted(plain.functions().len(), "function"),
        plain.name()
    ));
    tell_differences(plain.differences(), printer);
}

fn tell_differences(differences: &[Loss], printer: &Printer) {
    let (in_words, told): (Vec<_>, Vec<_>) = differences
        .iter()
        .partition(|loss| matches!(loss.kind, LossKind::ToldInWords { .. }));
    for loss in told.iter().take(TOLD_MAX) {
        printer.note(&loss.to_string());
    }
    if told.len() > TOLD_MAX {
        printer.note(&format!(
            "{} more differ; --json lists all",
            told.len() - TOLD_MAX
        ));
    }
    if !in_words.is_empty() {
        printer.note(&format!(
            "left to the functions to check, since comments say it and no type does: {} of the definitions",
            counted(in_words.len(), "bound")
        ));
    }
}
