//! Reads function definitions for OpenAI, Anthropic, MCP or Transformers, up to a length limit.

use std::path::Path;

use tool_hub_agent::definition::import::{IMPORT_BYTES_MAX, Import, ImportError, import};

use crate::files::{Limit, shown, text_or_input};
use crate::terminal::problem::Problem;

/// The limit on the length of definitions.
const DEFINITIONS: Limit = Limit {
    name: "definitions_bytes",
    bytes_max: IMPORT_BYTES_MAX,
    hint: "keep the functions that one tool is to have, and leave the others out",
};

/// Reads the definitions in `file`.
pub(crate) fn read(file: &Path, working: &Path) -> anyhow::Result<Import> {
    parse(&text_or_input(file, working, &DEFINITIONS)?, &shown(file))
}

/// Parses the definitions in `text`; errors name their source as `shown`.
pub(crate) fn parse(text: &str, shown: &str) -> anyhow::Result<Import> {
    import(text).map_err(|error| refused(shown, error).into())
}

fn refused(shown: &str, error: ImportError) -> Problem {
    let what = format!("{shown} contains no readable function definitions");
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
        ImportError::ServerError { .. } => {
            "request the list from the server again, and use that answer"
        }
        ImportError::Member { .. } => "fix the definition there, or leave it out",
        ImportError::Duplicate { .. } => "give one of them another name",
        _ => {
            "definitions are those of OpenAI, Anthropic, MCP (tools/list) or Transformers (tool_config.json)"
        }
    }
}
