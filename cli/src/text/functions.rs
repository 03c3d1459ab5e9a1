//! Reads function definitions from source code, and reports what is missing in them with its place.

use std::path::Path;

use tool_hub_source::{
    Definition, Fault, Language, Position, SOURCE_BYTES_MAX, SourceError, read, withheld,
};

use crate::files::{self, Limit};
use crate::terminal::phrases::counted;
use crate::terminal::problem::Problem;

/// The longest file of source code.
const SOURCE: Limit = Limit {
    name: "source_bytes",
    bytes_max: SOURCE_BYTES_MAX,
    hint: "keep the functions that one tool is to have in a file of their own",
};
/// The most faults that are told.
const FAULTS_TOLD_MAX: usize = 20;

/// What a file offers.
pub(crate) struct FileFunctions {
    pub(crate) definitions: Vec<Definition>,
    /// What it has for a framework and does not become a function, each with its place and the
    /// reason.
    pub(crate) left_out: Vec<String>,
}

/// The definitions of all functions that the file at `path` offers, or of those called
/// `names`. Errors call the file `shown`.
///
/// # Errors
/// When it is no source code, offers no function, or one of them lacks what a model is told.
pub(crate) fn definitions(
    path: &Path,
    shown: &Path,
    names: &[String],
) -> anyhow::Result<FileFunctions> {
    let shown = shown.display();
    let language = Language::of(path).ok_or_else(|| {
        Problem::user(format!(
            "{shown} is not in a language whose functions can be read"
        ))
        .hint(format!("give a file whose name ends in {}", endings()))
    })?;
    let bytes = files::read(path, &shown.to_string(), &SOURCE)?;
    let text = files::text(bytes, &shown.to_string())?;
    let functions = read(&text, language).map_err(|error| match &error {
        SourceError::Syntax { position, .. } => {
            Problem::user(format!("{shown}:{error}"))
                .caused_by(excerpt(&text, *position))
                .hint(format!(
                    "look at line {} and the one before: what stands there is no {language}, or newer than is read",
                    position.line
                ))
        }
        SourceError::TooLong { .. } | SourceError::TooMany { .. } | SourceError::TooSlow { .. } => {
            Problem::refused(format!("{shown} cannot be read"))
                .caused_by(error)
                .hint(SOURCE.hint)
        }
        _ => Problem::user(format!("{shown} cannot be read")).caused_by(error),
    })?;
    for name in names {
        if !functions.iter().any(|function| function.name == *name) {
            let known: Vec<&str> = functions.iter().map(|it| it.name.as_str()).collect();
            return Err(
                Problem::user(format!("{shown} offers no function `{name}`"))
                    .hint(format!("it offers {}", known.join(", ")))
                    .into(),
            );
        }
    }
    let asked = functions
        .into_iter()
        .filter(|function| names.is_empty() || names.contains(&function.name));
    let (mut definitions, mut faults) = (Vec::new(), Vec::new());
    for function in asked {
        match function.definition {
            Ok(definition) => definitions.push(definition),
            Err(fault) => faults.push(fault),
        }
    }
    let left_out = match definitions.iter().any(|it| it.tool.is_some()) {
        true => left_out(&shown.to_string(), std::mem::take(&mut faults), language),
        false => Vec::new(),
    };
    if !faults.is_empty() {
        return Err(refusal(&shown.to_string(), &faults, language).into());
    }
    if definitions.is_empty() {
        let problem = Problem::user(format!("{shown} offers no function"));
        let problem = match withheld(&text, language) {
            Some(found) => problem
                .caused_by(format!(
                    "{shown}:{}: `{}` {}",
                    found.position, found.name, found.reason
                ))
                .hint(found.hint),
            None => problem.hint(offering(language)),
        };
        return Err(problem.into());
    }
    Ok(FileFunctions {
        definitions,
        left_out,
    })
}

/// What is told of the parts of a framework's file that do not become functions.
fn left_out(shown: &str, faults: Vec<Fault>, language: Language) -> Vec<String> {
    let told = faults.iter().map(|fault| {
        let hint = fault.kind.hint(language);
        format!("{shown}:{}: {fault}; {hint}", fault.position)
    });
    told.collect()
}

/// The endings of files that are read.
fn endings() -> String {
    Language::ENDINGS
        .map(|ending| format!(".{ending}"))
        .join(", ")
}

fn offering(language: Language) -> &'static str {
    match language {
        Language::Python => {
            "functions at the top of the file are offered, unless their names begin with `_`"
        }
        Language::Rust => "functions that are `pub` are offered",
        _ => "functions that the file exports are offered, unless their names begin with `_`",
    }
}

/// The line at `position`, with a mark below the character that stands there.
fn excerpt(text: &str, position: Position) -> String {
    /// The most characters of a line that are shown.
    const SHOWN_MAX: usize = 120;
    let line = text.lines().nth(position.line - 1).unwrap_or_default();
    let line: String = line.chars().take(SHOWN_MAX).collect();
    let number = position.line.to_string();
    let mark = " ".repeat((position.column - 1).min(SHOWN_MAX));
    let margin = " ".repeat(number.len());
    format!("this line\n{number} | {line}\n{margin} | {mark}^")
}

fn refusal(shown: &str, faults: &[Fault], language: Language) -> Problem {
    let mut told: Vec<String> = faults
        .iter()
        .take(FAULTS_TOLD_MAX)
        .map(|fault| format!("{shown}:{}: {fault}", fault.position))
        .collect();
    if faults.len() > FAULTS_TOLD_MAX {
        told.push(format!("{} more", faults.len() - FAULTS_TOLD_MAX));
    }
    let hint = faults.first().map(|fault| fault.kind.hint(language));
    Problem::user(format!(
        "{} of {shown} cannot be described to a model",
        counted(faults.len(), "function")
    ))
    .caused_by(anyhow::Error::msg(told.join("\n")))
    .hint(hint.unwrap_or_default())
}
