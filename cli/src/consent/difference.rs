//! Shows the differences between an approved tool and the one that is to replace it.

use tool_hub_host::Change;
use tool_hub_toolbox::difference;

use crate::terminal::printer::Printer;

/// Shows `changes`, even with `--quiet`: a question about them follows.
pub(crate) fn show(changes: &[Change], printer: &Printer) {
    for line in difference::lines(changes) {
        printer.before_a_question(&format!("  {line}"));
    }
}
