//! Words Python's own errors in a project for its author: the place first, and how to correct it.

use std::path::Path;

use super::native;
use crate::build::functions::python::MODULE;
use crate::terminal::problem::Problem;

const NO_MODULE: &str = "ModuleNotFoundError: No module named '";

/// Modules that are called otherwise than the packages that they are in.
const PACKAGES: [(&str, &str); 8] = [
    ("PIL", "pillow"),
    ("bs4", "beautifulsoup4"),
    ("cv2", "opencv-python"),
    ("dateutil", "python-dateutil"),
    ("dotenv", "python-dotenv"),
    ("grpc", "grpcio"),
    ("sklearn", "scikit-learn"),
    ("yaml", "PyYAML"),
];

/// Modules of the standard library that the sandbox lacks.
const ABSENT: [&str; 16] = [
    "_bz2",
    "_ctypes",
    "_curses",
    "_lzma",
    "_multiprocessing",
    "_sqlite3",
    "_tkinter",
    "_zstd",
    "curses",
    "fcntl",
    "multiprocessing",
    "pwd",
    "readline",
    "resource",
    "termios",
    "tkinter",
];

/// Modules of the standard library that tools use most, for names that were misspelt.
const STANDARD: [&str; 40] = [
    "argparse",
    "array",
    "base64",
    "bisect",
    "calendar",
    "collections",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "html",
    "inspect",
    "itertools",
    "json",
    "logging",
    "math",
    "operator",
    "pathlib",
    "random",
    "re",
    "secrets",
    "shutil",
    "statistics",
    "string",
    "struct",
    "tempfile",
    "textwrap",
    "time",
    "typing",
    "unicodedata",
    "uuid",
    "zoneinfo",
];

/// The beginning of an error's last line, and what to do about it.
const HINTS: [(&str, &str); 11] = [
    (
        "IndentationError",
        "indent the lines of one block alike, by four spaces each",
    ),
    (
        "TabError",
        "indent every line with spaces, four for each block, and none with tabs",
    ),
    (
        "SyntaxError",
        "write that line as Python 3 reads it; the mistake may be at the end of the line before",
    ),
    (
        "NameError",
        "define or import the name above that line, or write it as it is defined",
    ),
    (
        "ImportError: cannot import name",
        "import a name that the module has",
    ),
    (
        "FileNotFoundError",
        "what stands outside of functions runs while the tool is built, without files: open the \
         file in a function, and ask for its directory in [capabilities]",
    ),
    (
        "KeyError",
        "what stands outside of functions runs while the tool is built, without variables: read \
         `os.environ` in a function, and ask for the variable in [capabilities]",
    ),
    (
        "AttributeError: module 'wit_world.exports' has no attribute",
        "the class to inherit from is called after the interface in wit/world.wit: `functions` \
         is `exports.Functions`",
    ),
    (
        "AttributeError: module '",
        "write a class that is called after the interface in wit/world.wit: \
         `class Functions(exports.Functions):`",
    ),
    (
        "TypeError: Can't instantiate abstract class",
        "write each function of wit/world.wit as a method, with `_` where its name has `-`",
    ),
    (
        "",
        "what stands outside of functions runs once, while the tool is built",
    ),
];

/// The project whose modules Python was to load.
#[derive(Debug, Clone, Copy)]
pub(in crate::build) struct LoadedProject<'a> {
    pub(in crate::build) directory: &'a Path,
    /// The module that is loaded first.
    pub(in crate::build) module: &'a str,
}

/// The `error` of a build of `project`, for its author.
pub(super) fn explained(error: anyhow::Error, project: LoadedProject<'_>) -> anyhow::Error {
    let said = error.chain().nth(1).map(ToString::to_string);
    match said.as_deref().and_then(python_s_own) {
        Some(said) => cannot_be_loaded(&said, project),
        None => error,
    }
}

/// The error of `project`, of which Python `said` what is wrong.
pub(in crate::build) fn cannot_be_loaded(said: &str, project: LoadedProject<'_>) -> anyhow::Error {
    let said = without_generated(said);
    let missing = said.split_once(NO_MODULE);
    let missing = missing.and_then(|(_, rest)| rest.split_once('\'').map(|(name, _)| name));
    let last = said.lines().rfind(|line| !line.trim().is_empty());
    let last = last.unwrap_or_default();
    let place = place(&said, last, project).map_or_else(String::new, |place| format!("{place}: "));
    let problem = match missing {
        Some(name) if name == project.module => {
            return Problem::user(format!("there is no Python module `{name}`"))
                .caused_by(said.clone())
                .hint("[build] source in tool.toml names the file of the project that is loaded first")
                .into();
        }
        Some(name) => Problem::user(format!("{place}there is no Python module `{name}`"))
            .hint(missing_module(name.split('.').next().unwrap_or(name))),
        None => {
            let hint = HINTS.iter().find(|(words, _)| last.starts_with(words));
            Problem::user(format!("{place}Python cannot load the project: {last}"))
                .hint(hint.map_or("", |(_, hint)| *hint))
        }
    };
    match said.trim() == last.trim() {
        true => problem.into(),
        false => problem.caused_by(said).into(),
    }
}

/// The cure for a module that is missing.
fn missing_module(name: &str) -> String {
    if ABSENT.contains(&name) {
        return format!(
            "the sandbox has no `{name}` of the standard library: do without it, and without \
             packages that import it when they are loaded"
        );
    }
    let mut packages = PACKAGES.iter();
    let package = packages.find_map(|(module, package)| (*module == name).then_some(*package));
    let package = package.unwrap_or(name);
    if let Some(instead) = native::instead(package) {
        return format!("`{package}` has machine code, which no component can load: use {instead}");
    }
    let install = format!(
        "ask for its package in requirements.txt beside tool.toml, by a line such as: {package}"
    );
    // A letter more, less or other: packages have names that are nearer to each other than that.
    let is_near = |known: &&&str| strsim::damerau_levenshtein(name, known) == 1;
    match STANDARD.iter().find(is_near) {
        Some(known) => format!("did you mean `{known}`? Else {install}"),
        None => install,
    }
}

/// The file and the line at which Python came upon the error, among those of the author.
fn place(said: &str, last: &str, project: LoadedProject<'_>) -> Option<String> {
    let mut frames = said.lines().filter_map(|line| {
        let (path, rest) = line.trim_start().strip_prefix("File \"")?.split_once('"')?;
        let line = rest.strip_prefix(", line ")?;
        let line = line.split(|c: char| !c.is_ascii_digit()).next()?;
        project
            .directory
            .join(path)
            .is_file()
            .then(|| format!("{path}:{line}"))
    });
    frames.next_back().or_else(|| place_of_class(last, project))
}

/// The place of the class that an error without a place is about, or of its file.
fn place_of_class(last: &str, project: LoadedProject<'_>) -> Option<String> {
    let named = last.strip_prefix("TypeError: Can't instantiate abstract class ");
    let named = named.and_then(|rest| rest.split(' ').next());
    let similar = last.split("Did you mean: '").nth(1);
    let similar = similar.and_then(|rest| rest.split('\'').next());
    let is_own = last.starts_with(&format!("AttributeError: module '{}'", project.module));
    if named.is_none() && !is_own {
        return None;
    }
    let file = format!("{}.py", project.module.replace('.', "/"));
    let text = std::fs::read_to_string(project.directory.join(&file)).ok()?;
    let class = format!("class {}", named.or(similar).unwrap_or_default());
    let line = text.lines().position(|line| line.starts_with(&class));
    Some(format!("{file}:{}", line.unwrap_or(0) + 1))
}

/// A traceback without the lines of the module that the build wrote.
fn without_generated(said: &str) -> String {
    let generated = format!("File \"{MODULE}.py\"");
    let mut is_generated = false;
    let lines = said.lines().filter(|line| {
        match line.trim_start().starts_with("File \"") {
            true => is_generated = line.contains(&generated),
            // The code of a frame is indented below it.
            false => is_generated &= line.starts_with("    "),
        }
        !is_generated
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Python's own error, with the project's files as the author knows them; nothing where there is
/// none.
fn python_s_own(complaint: &str) -> Option<String> {
    let (_, said) = complaint.split_once("AssertionError: ")?;
    let end = ["\nCaused by:", "\nStack backtrace:"];
    let end = end.iter().filter_map(|end| said.find(end)).min();
    let said = said[..end.unwrap_or(said.len())].trim_end();
    let lines = said.lines().map(|line| match line.split_once("File \"/") {
        Some((before, path)) => {
            // The sandbox has each directory of the path by its number.
            let inside = path.split_once('/').filter(|(number, _)| {
                !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
            });
            let path = inside.map_or_else(|| format!("/{path}"), |(_, path)| path.to_owned());
            format!("{before}File \"{path}")
        }
        None => line.to_owned(),
    });
    Some(lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::diagnosis;

    fn project() -> LoadedProject<'static> {
        LoadedProject {
            directory: Path::new("/no/such/project"),
            module: "app",
        }
    }

    fn failed(said: &str) -> anyhow::Error {
        let complaint = format!(
            "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n\
             AssertionError: {said}\n\n\nCaused by:\n    again\n\nStack backtrace:\n   0: x"
        );
        Problem::user("building failed").caused_by(complaint).into()
    }

    #[test]
    fn a_module_that_is_missing_is_named_with_what_to_do() {
        let said = "Traceback (most recent call last):\n  File \"/0/app.py\", line 1, in <module>\n    \
                    import yaml.x\nModuleNotFoundError: No module named 'yaml'";
        let error = explained(failed(said), project());
        assert_eq!(error.to_string(), "there is no Python module `yaml`");
        let cause = error.chain().nth(1).unwrap().to_string();
        assert!(cause.contains("  File \"app.py\", line 1"), "{cause}");
        assert!(!cause.contains("backtrace"), "{cause}");
        let hints = diagnosis::of(&error).hints;
        assert!(hints[0].ends_with("such as: PyYAML"), "{hints:?}");
        let own = explained(
            failed("ModuleNotFoundError: No module named 'app'"),
            project(),
        );
        assert!(diagnosis::of(&own).hints[0].contains("source"));
    }

    #[test]
    fn a_mistake_in_the_code_is_said_first() {
        let said = "  File \"/0/app.py\", line 4\n    return \"x\n           ^\nSyntaxError: unterminated string";
        let error = explained(failed(said), project());
        assert_eq!(
            error.to_string(),
            "Python cannot load the project: SyntaxError: unterminated string"
        );
        let other: anyhow::Error = Problem::user("building failed").caused_by("no room").into();
        assert_eq!(explained(other, project()).to_string(), "building failed");
    }
}
