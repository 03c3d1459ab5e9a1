//! Words errors of cargo and rustc for a project's author: the place first, and how to correct it.

use std::path::Path;

use super::target::TARGET;
use crate::build::functions::rust::CARGO_MANIFEST;
use crate::terminal::problem::Problem;

/// The crate that a build writes around plain functions.
const GENERATED: &str = "tool-functions";

/// Words of rustc's errors, and what to do about them. The first that fit count.
const HINTS: [(&str, &str); 12] = [
    ("[E0046]", DECLARED),
    ("[E0050]", DECLARED),
    ("[E0053]", DECLARED),
    ("[E0186]", DECLARED),
    ("[E0407]", DECLARED),
    (
        "[E0432]",
        "add the crate to [dependencies] in Cargo.toml, or correct the path",
    ),
    (
        "[E0433]",
        "add the crate to [dependencies] in Cargo.toml, or correct the path",
    ),
    (
        "[E0382]",
        "borrow the value with `&`, or copy it with `.clone()` before it is moved",
    ),
    (
        "[E0308]",
        "give the value that is expected there, or change the type that says so",
    ),
    (
        "World `",
        "`world` in `generate!` names a world of wit/world.wit",
    ),
    (
        "failed to read path for WIT",
        "write `path: \"wit\"`, the directory beside Cargo.toml",
    ),
    ("unclosed table", "correct Cargo.toml in that line"),
];
const DECLARED: &str = "write the functions as wit/world.wit declares them: the same names, with `_` \
                        for `-`, arguments and results";

/// The `error` of a build of the project in `directory`, for its author.
pub(super) fn explained(error: anyhow::Error, directory: &Path) -> anyhow::Error {
    let Some(said) = error.chain().nth(1).map(ToString::to_string) else {
        return error;
    };
    let said = said.replace(&format!("{}/", directory.display()), "");
    let found = missing_export(&said, directory)
        .or_else(|| unknown_package(&said, directory))
        .or_else(|| compile_error(&said, directory));
    match found {
        Some(problem) => problem.caused_by(said).into(),
        None => error,
    }
}

/// The error of a project whose `Cargo.toml` makes no component.
pub(super) fn no_component(manifest: &Path, shown: &str) -> Problem {
    let line = line_of(manifest, &["crate-type", "[lib]", "[package]"]);
    Problem::user(format!("{shown}:{line}: cargo built no component"))
        .hint("Cargo.toml needs: [lib] crate-type = [\"cdylib\"]")
}

/// The first error of the compiler or of cargo that has a place.
fn compile_error(said: &str, directory: &Path) -> Option<Problem> {
    let heads = said.lines().enumerate();
    let heads = heads.filter(|(_, line)| line.starts_with("error"));
    let errors: Vec<(&str, &str)> = heads
        .filter_map(|(index, head)| {
            let block = said.lines().skip(index + 1);
            let mut block = block.take_while(|line| !line.is_empty());
            let place = block.find_map(|line| line.trim_start().strip_prefix("--> "))?;
            Some((head, place))
        })
        .collect();
    // What differs from the WIT makes other errors, which may come first.
    let of_wit = errors.iter().find(|(head, _)| {
        let mut known = HINTS.iter().filter(|(_, hint)| *hint == DECLARED);
        known.any(|(words, _)| head.contains(words))
    });
    let (head, place) = *of_wit.or(errors.first())?;
    if let Some(name) = foreign_crate(said, directory) {
        return foreign_problem(name, place, directory);
    }
    let (code, message) = head.split_once(": ").unwrap_or((head, ""));
    let known = HINTS.iter().find(|(words, _)| head.contains(words));
    let code = code.trim_start_matches("error").trim_matches(['[', ']']);
    let hint = match known {
        Some((_, hint)) => (*hint).to_owned(),
        None if code.is_empty() => "correct that line".to_owned(),
        None => format!("correct that line; `rustc --explain {code}` says more"),
    };
    Some(Problem::user(format!("{place}: {message}")).hint(hint))
}

/// The crate that did not compile, if it is none of the project's own.
fn foreign_crate<'a>(said: &'a str, directory: &Path) -> Option<&'a str> {
    let (_, rest) = said.split_once("error: could not compile `")?;
    let name = rest.split('`').next()?;
    let manifest = std::fs::read_to_string(directory.join(CARGO_MANIFEST)).unwrap_or_default();
    let is_own = manifest.contains(&format!("name = \"{name}\"")) || name == GENERATED;
    (!is_own).then_some(name)
}

/// The error of a crate that the project depends on, at `place`.
fn foreign_problem(name: &str, place: &str, directory: &Path) -> Option<Problem> {
    let line = line_of(&directory.join(CARGO_MANIFEST), &[name, "[dependencies]"]);
    Some(
        Problem::user(format!(
            "{CARGO_MANIFEST}:{line}: the dependency `{name}` does not build for {TARGET}"
        ))
        .hint(format!(
            "take a crate, or features of it, that need no threads, processes or C libraries, \
             which no tool has; the compiler stopped at {place}"
        )),
    )
}

/// The error of a component that lacks a function of its world.
fn missing_export(said: &str, directory: &Path) -> Option<Problem> {
    let (_, rest) = said.split_once("failed to find export of interface `")?;
    let (interface, rest) = rest.split_once('`')?;
    let function = rest.split('`').nth(1)?;
    let line = line_of(&directory.join("src/lib.rs"), &["generate!"]);
    Some(
        Problem::user(format!(
            "src/lib.rs:{line}: nothing exports `{function}` of `{interface}`"
        ))
        .hint(
            "write `export!(Tool);` at the end, with the name of the type that has the functions",
        ),
    )
}

/// The error of a dependency that no registry has.
fn unknown_package(said: &str, directory: &Path) -> Option<Problem> {
    let (_, rest) = said.split_once("no matching package named `")?;
    let name = rest.split('`').next()?;
    let line = line_of(&directory.join(CARGO_MANIFEST), &[name]);
    Some(
        Problem::user(format!(
            "{CARGO_MANIFEST}:{line}: there is no crate `{name}`"
        ))
        .hint("correct its name in [dependencies]; `cargo search WORD` finds crates"),
    )
}

/// The first line of a file that begins with or holds one of `words`, the first of them first.
fn line_of(file: &Path, words: &[&str]) -> usize {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let mut found = words.iter().filter_map(|word| {
        let is_it = |line: &str| line.contains(word) && !line.trim_start().starts_with('#');
        text.lines().position(is_it)
    });
    found.next().map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(said: &str, expect: &str) {
        let error: anyhow::Error = Problem::user("building failed").caused_by(said).into();
        let error = explained(error, Path::new("/no/such/project"));
        assert_eq!(error.to_string(), expect);
    }

    #[test]
    fn the_first_error_with_a_place_is_said_first() {
        check(
            "warning: unused\n --> src/lib.rs:1:1\n\nerror[E0053]: method `greet` differs\n  \
             --> /no/such/project/src/lib.rs:10:20\n   |\n",
            "src/lib.rs:10:20: method `greet` differs",
        );
        check(
            "error: no place\n\nerror: unclosed table\n  --> Cargo.toml:10:14\n",
            "Cargo.toml:10:14: unclosed table",
        );
        check(
            "error: sockets are missing\n --> /registry/mio-1.0.0/src/lib.rs:1:1\n\n\
             error: could not compile `mio` (lib) due to 1 previous error",
            "Cargo.toml:1: the dependency `mio` does not build for wasm32-wasip2",
        );
        check("error: the disk is full", "building failed");
    }
}
