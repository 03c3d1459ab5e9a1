//! Asks a person whether a client's configuration may be written.

use crate::consent::approval::Terminal;
use crate::terminal::escape::escape_line;
use crate::terminal::problem::Problem;

/// Fails unless a person at the terminal agrees that `file` is written. Where nobody can be asked
/// the error says so of `what`, with `hint`.
pub(super) fn consent(file: &str, what: &str, hint: &str) -> anyhow::Result<()> {
    let Some(mut terminal) = Terminal::open() else {
        let nobody = format!("nobody is there to ask whether {what} may be changed");
        return Err(Problem::refused(nobody).hint(hint).into());
    };
    let question = format!("Write {}? Type yes to approve: ", escape_line(file));
    if terminal.ask(&question)?.trim() == "yes" {
        return Ok(());
    }
    Err(
        Problem::refused(format!("{file} may not be changed; nothing was written"))
            .hint("only the whole word yes approves")
            .into(),
    )
}
