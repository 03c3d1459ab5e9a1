//! Words errors of the bundler and the engine for a project's author: the place first, then a cure.

use std::path::{Component, Path, PathBuf};

use tool_hub_source::{Position, SOURCE_BYTES_MAX, uses_of_global};

use super::native;
use super::source_map::SourceMap;
use crate::files;
use crate::terminal::problem::Problem;

/// The mark before an error of esbuild.
const ERROR: &str = "[ERROR] ";
/// The words of esbuild for `await` outside of functions.
const TOP_LEVEL_AWAIT: &str = "Top-level await is not available";
/// The words of esbuild before the name of what is not there.
const UNRESOLVED: &str = "Could not resolve \"";
/// The words of the engine before an error of a module that it evaluates.
const EVALUATION: &str = "Failed to finish JavaScript module evaluation: ";
/// The file that the engine evaluates.
const BUNDLE: &str = "(/bundle.js:";

/// The hint at code that fails when it is evaluated.
const ONCE: &str = "what stands outside of functions runs once, while the tool is built";

/// Globals of Node and of browsers that a tool's engine lacks, with what to use instead.
const GLOBALS: [(&[&str], &str); 3] = [
    (
        &["process"],
        "a tool runs without Node: its variables come by wasi:cli/environment, once \
         [capabilities] in tool.toml asks for them",
    ),
    (
        &[
            "Buffer",
            "require",
            "module",
            "exports",
            "__dirname",
            "__filename",
        ],
        "a tool runs without Node: use what the language itself has, such as Uint8Array and `import`",
    ),
    (
        &["window", "document", "localStorage", "alert", "navigator"],
        "a tool runs without a browser: take what it needs as arguments",
    ),
];

/// The part of the language that the engine lacks, although the type checker knows it.
const MISSING: &str = "Intl";
const INSTEAD_OF_MISSING: &str = "write numbers and dates without it, such as with `toFixed` and \
                                  `toISOString`, or by a package that brings the words of a language";

/// True for the `error` of a bundle of which a module waits.
pub(super) fn is_top_level_await(error: &anyhow::Error) -> bool {
    error.to_string().contains(TOP_LEVEL_AWAIT)
}

/// The name by which a module of a package imports what is not installed, where the `error` of the
/// bundler says so.
pub(super) fn missing_in_package(error: &anyhow::Error) -> Option<String> {
    error.chain().find_map(|cause| {
        let text = cause.to_string();
        let (before, after) = text.split_once(UNRESOLVED)?;
        let (name, rest) = after.split_once('"')?;
        // A part of a package that something stands in for.
        let named = rest.strip_prefix(" (originally \"");
        let name = named.and_then(|it| it.split('"').next()).unwrap_or(name);
        let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '@')
            && !name.contains(['=', ' ', '\\']);
        let is_in_package = [before, rest].iter().any(|it| it.contains("node_modules/"));
        (is_name && is_in_package).then(|| name.to_owned())
    })
}

/// The advice for code that uses the global `name` of Node or of browsers; `None` for others.
pub(super) fn instead_of_global(name: &str) -> Option<&'static str> {
    let known = GLOBALS.iter().find(|(names, _)| names.contains(&name));
    known.map(|(_, hint)| *hint)
}

/// The mistake of using [`MISSING`] in one of the project's own `modules`, whose paths begin at
/// `directory`. Packages may look first whether it is there.
pub(super) fn missing_global(modules: &[String], directory: &Path) -> Option<anyhow::Error> {
    let is_own = |module: &&String| {
        let mut parts = Path::new(module).components();
        parts.all(|part| matches!(part, Component::Normal(name) if name != "node_modules"))
    };
    modules.iter().filter(is_own).find_map(|module| {
        let language = tool_hub_source::Language::of(Path::new(module))?;
        let text = files::read_regular(&directory.join(module), SOURCE_BYTES_MAX as u64).ok()?;
        let text = String::from_utf8(text).ok()?;
        let places = uses_of_global(&text, language, MISSING);
        let Position { line, column } = places.first()?;
        let said = format!("{module}:{line}:{column}: the engine of a tool has no `{MISSING}`");
        Some(Problem::user(said).hint(INSTEAD_OF_MISSING).into())
    })
}

/// The `error` of the bundler. `not_seen` says what it may have missed.
pub(super) fn of_bundler(error: anyhow::Error, not_seen: Option<&str>) -> anyhow::Error {
    let with_advice = |problem: Problem| match not_seen {
        Some(advice) => problem.hint(advice).into(),
        None => problem.into(),
    };
    let said = error.chain().nth(1).map(ToString::to_string);
    let Some(mistake) = said.as_deref().and_then(Mistake::parse) else {
        return match error.downcast::<Problem>() {
            Ok(problem) => with_advice(problem),
            Err(error) => error,
        };
    };
    let Mistake {
        message,
        place,
        excerpt,
    } = mistake;
    let problem =
        Problem::user(format!("{place}: {message}")).caused_by(format!("this line\n{excerpt}"));
    let quoted = message.split('"').nth(1).unwrap_or_default();
    let is_unresolved = message.starts_with("Could not resolve");
    if !is_unresolved {
        return problem.hint(hint(&message)).into();
    }
    if said.is_some_and(|said| said.contains("is built into node")) {
        return problem
            .hint(format!(
                "`{quoted}` is a part of Node, and a tool runs without Node: {}",
                native::instead_of_module(quoted)
            ))
            .into();
    }
    if ["tool-hub:", "wasi:"]
        .iter()
        .any(|of| quoted.starts_with(of))
    {
        return problem
            .hint(
                "plain functions import no interfaces: a project with WIT of its own does, such as \
                 tool new NAME --lang javascript makes",
            )
            .into();
    }
    if quoted.starts_with('.') {
        return problem
            .hint(format!(
                "write the path of a file of the project, beginning at this one, in place of `{quoted}`"
            ))
            .into();
    }
    with_advice(problem.hint(format!(
        "correct the name, or add the package to package.json and its lock: npm install {quoted}"
    )))
}

/// The cure for a mistake other than an import that leads nowhere.
fn hint(message: &str) -> &'static str {
    const HINTS: [(&str, &str); 4] = [
        (
            "No matching export",
            "import a name that the file exports, or write `export` before it there",
        ),
        (
            "because it is a constant",
            "declare it with `let`, or give the new value another name",
        ),
        (
            "has already been declared",
            "give one of the two another name",
        ),
        (
            TOP_LEVEL_AWAIT,
            "write it in an `async` function: a module that comes with WIT of its own runs while \
             the component is built, and waits for nothing",
        ),
    ];
    let known = HINTS.iter().find(|(words, _)| message.contains(words));
    known.map_or("correct that line or the one before", |(_, hint)| *hint)
}

/// An error of esbuild, in a file of the project.
struct Mistake {
    message: String,
    place: String,
    excerpt: String,
}

impl Mistake {
    /// The first error in what esbuild said. Nothing if it is in a file that the build wrote.
    fn parse(said: &str) -> Option<Self> {
        let (_, rest) = said.split_once(ERROR)?;
        let (message, rest) = rest.split_once("\n\n")?;
        let (place, rest) = rest.trim_start().split_once(":\n")?;
        let mut parts = place.rsplitn(3, ':');
        let column: usize = parts.next()?.parse().ok()?;
        let (line, file) = (parts.next()?, parts.next()?);
        if file.starts_with(['.', '/']) || file.contains('\n') {
            return None;
        }
        let excerpt: Vec<&str> = rest.lines().take_while(|line| !line.is_empty()).collect();
        Some(Self {
            message: message.to_owned(),
            place: format!("{file}:{line}:{}", column + 1),
            excerpt: excerpt.join("\n"),
        })
    }
}

/// The `error` of evaluating the module at `bundle`, which has a source map beside it, made of
/// sources in `directory`.
pub(super) fn of_evaluation(
    error: anyhow::Error,
    bundle: &Path,
    directory: &Path,
) -> anyhow::Error {
    let said = error.chain().nth(1).map(ToString::to_string);
    let said = said.unwrap_or_default();
    let found = said.split_once(EVALUATION).and_then(|(_, thrown)| {
        let (message, rest) = thrown.split_once('\n')?;
        let message = message.strip_prefix("Error: ").unwrap_or(message);
        Some((message, place(rest, bundle, directory)?))
    });
    match found {
        Some((message, place)) => located(message, &place),
        None => error,
    }
}

/// The error of a program, of which the interpreter `said` what is wrong, and where.
pub(in crate::build) fn cannot_be_loaded(said: &str) -> anyhow::Error {
    let (message, frames) = said.split_once('\n').unwrap_or((said, ""));
    let place = frames.lines().find_map(|frame| {
        let (_, at) = frame.trim().strip_prefix("at ")?.rsplit_once('(')?;
        let (place, _column) = at.trim_end_matches(')').rsplit_once(':')?;
        Some(place)
    });
    match place {
        Some(place) => located(message, place),
        None => Problem::user(format!("JavaScript cannot load the project: {message}"))
            .hint(ONCE)
            .into(),
    }
}

/// The error of a module that says `message` when it is evaluated, at `place`.
fn located(message: &str, place: &str) -> anyhow::Error {
    let undefined = message.split(' ').rev().nth(3).unwrap_or_default();
    let undefined = match message.ends_with(" is not defined") {
        true => undefined,
        false => "",
    };
    let hint = match (instead_of_global(undefined), undefined) {
        (Some(hint), _) => hint,
        (None, "") => ONCE,
        (None, _) => "define or import it above that line, or write it as it is defined",
    };
    Problem::user(format!("{place}: {message}"))
        .hint(hint)
        .into()
}

/// The place in the project's sources of the first frame that has one.
fn place(frames: &str, bundle: &Path, directory: &Path) -> Option<String> {
    let map = SourceMap::read(&bundle.with_extension("js.map"))?;
    frames.lines().find_map(|frame| {
        let (_, at) = frame.split_once(BUNDLE)?;
        let (line, column) = at.trim_end_matches(')').split_once(':')?;
        let (source, line) = map.original(line.parse().ok()?, column.parse().ok()?)?;
        let source = normal(&bundle.parent()?.join(source));
        let file = source.strip_prefix(normal(directory)).ok()?;
        Some(format!("{}:{line}", file.display()))
    })
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::diagnosis;

    #[test]
    fn what_a_package_misses_is_named() {
        for (said, expect) in [
            (
                "../node_modules/a/b.js:4:48: Could not resolve \"effect\"",
                Some("effect"),
            ),
            (
                "../node_modules/a/b.js:4:48: Could not resolve \"/x/u.js/c\" (originally \"u/c\")",
                Some("u/c"),
            ),
            ("a.js:1:1: Could not resolve \"effect\"", None),
            (
                "../node_modules/a/b.js:4:48: Could not resolve \"./c\"",
                None,
            ),
            ("../node_modules/a/b.js:4:48: No loader", None),
        ] {
            let error = Problem::user("bundling failed").caused_by(said.to_owned());
            assert_eq!(
                missing_in_package(&error.into()).as_deref(),
                expect,
                "{said}"
            );
        }
    }

    #[test]
    fn an_error_of_the_bundler_begins_with_its_place() {
        let said = "✘ [ERROR] Could not resolve \"fs\"\n\n    sums.js:1:15:\n      1 │ import \
                    fs from \"fs\";\n        ╵    ~~~~\n\n  It is built into node.\n";
        let failed: anyhow::Error = Problem::user("bundling failed").caused_by(said).into();
        let error = of_bundler(failed, None);
        assert_eq!(error.to_string(), "sums.js:1:16: Could not resolve \"fs\"");
        let said = said
            .replace("\"fs\"", "\"wasi:cli/stdout\"")
            .replace("  It is built into node.", "");
        let failed: anyhow::Error = Problem::user("bundling failed").caused_by(said).into();
        let hints = diagnosis::of(&of_bundler(failed, None)).hints;
        assert!(
            hints[0].starts_with("plain functions import no interfaces"),
            "{hints:?}"
        );
        let other: anyhow::Error = Problem::user("bundling failed").caused_by("no room").into();
        assert_eq!(of_bundler(other, None).to_string(), "bundling failed");
    }
}
