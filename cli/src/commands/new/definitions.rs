//! The definitions that `tool new --from` starts with: read within bounds, and what became
//! of them told.

use std::path::Path;

use tool_hub_agent::{IMPORT_BYTES_MAX, Import, ImportError, Loss, Lost, import};

use crate::diagnosis::Problem;
use crate::files::{Limit, shown, text_or_input};
use crate::printer::Printer;
use crate::scaffold::{Defined, PlainFile};
use crate::wording::counted;

/// The longest definitions.
const DEFINITIONS: Limit = Limit {
    name: "definitions_bytes",
    bytes_max: IMPORT_BYTES_MAX,
    hint: "keep the functions that one tool is to have, and leave the others out",
};
/// How many differences are told one by one.
const TOLD_MAX: usize = 20;

/// Reads the definitions in `file`.
pub(super) fn read(file: &Path, working: &Path) -> anyhow::Result<Import> {
    parse(&text_or_input(file, working, &DEFINITIONS)?, &shown(file))
}

/// Reads the definitions in `text`, which came from what is `shown`.
pub(super) fn parse(text: &str, shown: &str) -> anyhow::Result<Import> {
    import(text).map_err(|error| refused(shown, error).into())
}

fn refused(shown: &str, error: ImportError) -> Problem {
    let what = format!("{shown} holds no definitions that can be read");
    let problem = match error {
        ImportError::TooLong { .. } | ImportError::TooMany { .. } => Problem::refused(what),
        _ => Problem::user(what),
    };
    let hint = hint(&error);
    problem.caused_by(error).hint(hint)
}

fn hint(error: &ImportError) -> &'static str {
    match error {
        ImportError::TooLong { .. } | ImportError::TooMany { .. } => DEFINITIONS.hint,
        ImportError::NotJson { .. } => {
            "give it JSON, such as the value of `tools` in a request or a server's answer to tools/list"
        }
        ImportError::ServerError { .. } => "ask the server again, and give it the answer",
        ImportError::Member { .. } => "mend that place, or leave the definition out",
        ImportError::Duplicate { .. } => "give one of them another name",
        _ => {
            "definitions are those of OpenAI, Anthropic, MCP (tools/list) or Transformers (tool_config.json)"
        }
    }
}

/// Tells what was read and what the project's types do not say.
pub(super) fn tell(defined: &Defined, printer: &Printer) {
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
        .partition(|loss| matches!(loss.lost, Lost::ToldInWords { .. }));
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
