//! Words errors of the C compiler and the linker for a project's author: the place first.

use std::path::Path;

use super::bindings::{CBindings, function_name};
use super::sources::source;
use crate::build::project::Project;
use crate::terminal::problem::Problem;

/// Words of the compiler's errors, and what to do about them. The first that fit count.
const HINTS: [(&str, &str); 4] = [
    (
        "call to undeclared",
        "include the header that declares it, or correct its name; a tool has no sockets, threads \
         or processes",
    ),
    (
        "use of undeclared identifier",
        "declare it, or correct its name",
    ),
    (
        "file not found",
        "put it beside the source that includes it: libraries are part of a project as C files",
    ),
    ("expected ';'", "write the `;` that is missing there"),
];

/// The advice where a header of the C library says that it cannot be used.
const NO_SUCH_HEADER: &str = "do without that header: a tool has no setjmp, signals, sockets, \
                              threads or processes";

/// The `error` of compiling `project`, for its author.
pub(super) fn explained(
    error: anyhow::Error,
    project: Project<'_>,
    bindings: &CBindings,
) -> anyhow::Error {
    let Some(said) = error.chain().nth(1).map(ToString::to_string) else {
        return error;
    };
    let said = without_places_of_objects(&said, project);
    let found = compile_error(&said, bindings).or_else(|| link_error(&said, project, bindings));
    match found {
        Some(problem) => problem.caused_by(said).into(),
        None => error,
    }
}

/// The first error of the compiler.
fn compile_error(said: &str, bindings: &CBindings) -> Option<Problem> {
    let mut includer = None;
    for line in said.lines() {
        if let Some(from) = line.strip_prefix("In file included from ") {
            includer = Some(from.trim_end_matches([':', ',']));
            continue;
        }
        let found = [": fatal error: ", ": error: "]
            .iter()
            .find_map(|word| line.split_once(word));
        let Some((place, message)) = found.filter(|(place, _)| has_line(place)) else {
            continue;
        };
        // The author's place in an error of a header of the C library is where it is included.
        let (place, hint) = match includer {
            Some(includer) if Path::new(place).is_absolute() => {
                (includer, NO_SUCH_HEADER.to_owned())
            }
            _ => (place, hint(message, bindings)),
        };
        return Some(Problem::user(format!("{place}: {message}")).hint(hint));
    }
    None
}

/// The linker's words with the names of object files in place of their paths, which are
/// directories of the build and of a digest.
fn without_places_of_objects(said: &str, project: Project<'_>) -> String {
    let objects = format!("{}/", project.scratch.join("zig").join("o").display());
    let mut parts = said.split(objects.as_str());
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shown.push_str(part.split_once('/').map_or(part, |(_, rest)| rest));
    }
    shown
}

fn has_line(place: &str) -> bool {
    let mut numbers = place.rsplit(':').take(2);
    numbers.all(|number| number.parse::<usize>().is_ok())
}

fn hint(message: &str, bindings: &CBindings) -> String {
    let exports = bindings.exports();
    let is_named = |export: &&String| message.contains(&format!("'{}'", function_name(export)));
    if let Some(export) = exports.iter().find(is_named) {
        return declared(&[export], bindings);
    }
    let known = HINTS.iter().find(|(words, _)| message.contains(words));
    known
        .map_or("correct that line", |(_, hint)| hint)
        .to_owned()
}

/// The error of a module that lacks functions.
fn link_error(said: &str, project: Project<'_>, bindings: &CBindings) -> Option<Problem> {
    let symbols = said.lines().filter_map(|line| {
        let (_, symbol) = line.split_once("undefined symbol: ")?;
        Some(symbol.trim())
    });
    let symbols: Vec<&str> = symbols.collect();
    let source = source(project);
    let exports = bindings.exports();
    let missing = exports
        .iter()
        .filter(|it| symbols.contains(&function_name(it)));
    let missing: Vec<&String> = missing.collect();
    if let Some(first) = missing.first() {
        let message = format!(
            "{source}:1: nothing defines `{}`, a function of the WIT",
            function_name(first)
        );
        return Some(Problem::user(message).hint(declared(&missing, bindings)));
    }
    let symbol = symbols.first()?;
    Some(
        Problem::user(format!(
            "{source}:1: nothing defines `{symbol}`, which is used"
        ))
        .hint(format!(
            "put the C file that defines it beside {source}; a tool has no sockets, threads \
                 or processes"
        )),
    )
}

/// The advice to write functions as the bindings declare them.
fn declared(exports: &[&String], bindings: &CBindings) -> String {
    let exports: Vec<String> = exports.iter().map(|it| format!("\n{it} {{ … }}")).collect();
    format!(
        "write what {} declares:{}",
        bindings.header().display(),
        exports.concat()
    )
}
