//! Words errors of a project's WIT for its author: the place first, and how to correct it.

use std::path::PathBuf;

use tool_hub_host::HostError;

use crate::terminal::problem::Problem;

/// A WIT file: its path below `wit`, and its text.
type File = (PathBuf, String);

/// Types of other languages, and what WIT calls them.
const TYPES: [(&[&str], &str); 6] = [
    (&["text", "str", "String", "varchar"], "string"),
    (
        &["int", "integer", "long", "i32", "i64", "isize"],
        "s32` or `s64",
    ),
    (&["number", "float", "double", "real"], "f64"),
    (&["boolean", "Bool"], "bool"),
    (&["array", "vec", "Vec", "sequence"], "list<…>"),
    (&["optional", "maybe", "Option", "nullable"], "option<…>"),
];

/// The parser's words for errors that it gives no place for.
const NO_PACKAGE: &str = "no `package` header was found";
const SEVERAL_WORLDS: &str = "There are multiple worlds in ";

/// The `error` of reading `files`, for the author of the project.
pub(crate) fn explained(error: HostError, files: &[File]) -> anyhow::Error {
    let HostError::Wit { reason } = &error else {
        return error.into();
    };
    let Some((message, rest)) = reason.split_once("\n     --> ") else {
        return without_place(error, files);
    };
    let (place, excerpt) = rest.split_once('\n').unwrap_or((rest, ""));
    let mut problem = Problem::user(format!("{place}: {message}"));
    if !excerpt.trim().is_empty() {
        problem = problem.caused_by(format!("this line\n{}", excerpt.trim_end()));
    }
    match hint(message) {
        Some(hint) => problem.hint(hint).into(),
        None => problem.into(),
    }
}

/// An error that the parser gives no place for.
fn without_place(error: HostError, files: &[File]) -> anyhow::Error {
    let said = error.to_string();
    let own: Vec<&File> = files
        .iter()
        .filter(|(path, _)| !path.starts_with("deps"))
        .collect();
    if said.contains(NO_PACKAGE)
        && let Some((path, _)) = own.first()
    {
        let path = path.display();
        return Problem::user(format!("wit/{path}:1: no line says which package this is"))
            .hint("begin the file with: package tools:NAME;")
            .into();
    }
    if said.contains(SEVERAL_WORLDS)
        && let Some((path, line, name)) = worlds(&own).get(1)
    {
        return Problem::user(format!(
            "wit/{path}:{line}: `{name}` is a second world, and nothing says which one to build"
        ))
        .hint(format!(
            "name it in tool.toml, below [build]: world = \"{name}\""
        ))
        .into();
    }
    error.into()
}

/// The error of a `world` that exports no function.
pub(crate) fn world_without_exports(world: &str, files: &[File]) -> Problem {
    let files: Vec<&File> = files.iter().collect();
    let worlds = worlds(&files);
    let place = worlds.iter().find(|(_, _, name)| *name == world);
    let place = place.map_or_else(String::new, |(path, line, _)| {
        format!("wit/{path}:{line}: ")
    });
    Problem::user(format!("{place}the world `{world}` exports no function"))
        .hint("write in it what agents can call: export NAME; with the name of an interface")
}

/// The worlds of `files`: each one's file, line and name.
fn worlds<'a>(files: &[&'a File]) -> Vec<(String, usize, &'a str)> {
    let mut found = Vec::new();
    for (path, text) in files {
        for (index, line) in text.lines().enumerate() {
            if let Some(rest) = line.trim_start().strip_prefix("world ") {
                let name = rest.split([' ', '{']).next().unwrap_or(rest);
                found.push((path.display().to_string(), index + 1, name));
            }
        }
    }
    found
}

/// The correction of a mistake that the parser words as `message`.
fn hint(message: &str) -> Option<String> {
    let name = message.split('`').nth(1).unwrap_or_default();
    if message.starts_with("name `") && message.contains("does not exist") {
        let known = TYPES.iter().find(|(others, _)| others.contains(&name));
        return Some(match known {
            Some((_, wit)) => format!("write `{wit}`, as WIT calls it"),
            None => format!(
                "write a type of WIT, such as `string`, `bool`, `s64`, `f64`, `list<string>` or \
                 `option<string>`, or define `{name}` in this interface"
            ),
        });
    }
    if message.contains("is defined more than once") {
        return Some(format!("give one of them another name than `{name}`"));
    }
    /// Words of a message, and what to do about it.
    const HINTS: [(&str, &str); 6] = [
        (
            "interface or world `",
            "write the name of an interface of this package: `interface NAME { … }`",
        ),
        (
            "invalid character in identifier",
            "write names in lower case with `-` between words: `first-name`, which agents see \
             as `first_name`",
        ),
        (
            "expected ';'",
            "end the declaration in the line before with `;`",
        ),
        (
            "expected keyword `func`",
            "declare a function as: name: func(argument: string) -> string;",
        ),
        (
            "package '",
            "lay the package's WIT files below wit/deps, or leave the line out",
        ),
        (
            "cannot be written as JSON",
            "agents call with JSON: take and return text, numbers, lists, records or enumerations",
        ),
    ];
    let found = HINTS.iter().find(|(words, _)| message.contains(words));
    found.map(|(_, hint)| (*hint).to_owned())
}
