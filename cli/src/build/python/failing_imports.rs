//! Finds, in a Python project's source, imports that will fail once it is built into a component.
//! They are of modules that need sockets or processes, or are made only during a call: a component
//! has no files, so a module that is imported then is never found.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use tool_hub_source::{Import, ImportTime, Position};

use super::modules::{file_of, reached};

/// The most failing imports that are reported.
const FAILING_MAX: usize = 20;

/// Modules that open sockets for more than requests of HTTP. Tools have none.
const NEED_SOCKETS: [&str; 12] = [
    "ftplib",
    "http.server",
    "imaplib",
    "poplib",
    "smtplib",
    "socketserver",
    "telnetlib",
    "tornado",
    "websocket",
    "websockets",
    "wsgiref.simple_server",
    "xmlrpc.server",
];
/// Modules that make requests of HTTP over sockets. Programs can: their interpreter has such
/// sockets.
const MAKE_REQUESTS: [&str; 9] = [
    "aiohttp",
    "asyncio.streams",
    "http.client",
    "httplib2",
    "httpx",
    "requests",
    "urllib.request",
    "urllib3",
    "xmlrpc.client",
];
/// Modules that start programs or threads.
const NEED_PROCESSES: [&str; 2] = ["multiprocessing", "subprocess"];

/// An import that will fail.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FailingImport {
    file: String,
    position: Position,
    module: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sockets,
    /// Makes requests in a way that only programs have.
    Requests,
    Processes,
    /// Imported only during a call, when no files are there.
    Late,
}

impl FailingImport {
    pub(super) fn hint(&self) -> &'static str {
        match self.kind {
            Kind::Sockets => "tools have no sockets; they can make requests of HTTP only",
            Kind::Requests => {
                "it works in a program, which a project becomes whose world imports nothing but what \
                 the shared interpreter has"
            }
            Kind::Processes => "tools cannot start programs",
            Kind::Late => {
                "import it at the top of the file, so that it becomes part of the component"
            }
        }
    }
}

impl fmt::Display for FailingImport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            position: Position { line, .. },
            module,
            kind,
        } = self;
        let what = match kind {
            Kind::Sockets | Kind::Requests | Kind::Processes => {
                "will not work when the tool is called"
            }
            Kind::Late => "will not be found when the tool is called",
        };
        write!(f, "{file}:{line}: `{module}` {what}")
    }
}

/// The interpreter that runs the modules of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InterpreterKind {
    /// The one that programs share: it finds modules in a call too, and speaks HTTP for them.
    Shared,
    /// The one in the project's own component.
    Own,
}

/// The imports that will fail, in `entry` and in the modules of the project in `directory` that it
/// loads. Files that cannot be parsed are skipped: Python reports their errors itself.
pub(super) fn find(
    directory: &Path,
    entry: &str,
    interpreter: InterpreterKind,
) -> Vec<FailingImport> {
    let modules = reached(&[directory], &[entry]);
    let loaded: BTreeSet<&str> = modules
        .values()
        .flatten()
        .filter(|import| import.time == ImportTime::Load)
        .map(|import| import.module.as_str())
        .collect();
    let of = |file: &str, import: &Import| {
        let (module, kind) = failing(import, &loaded, directory)?;
        if interpreter == InterpreterKind::Shared && matches!(kind, Kind::Late | Kind::Requests) {
            return None;
        }
        Some(FailingImport {
            file: file.to_owned(),
            position: import.position,
            module,
            kind,
        })
    };
    let all = modules
        .iter()
        .flat_map(|(file, imports)| imports.iter().filter_map(|import| of(file, import)));
    all.take(FAILING_MAX).collect()
}

/// The module that makes the import fail, and the reason; `None` if it works.
fn failing(import: &Import, loaded: &BTreeSet<&str>, directory: &Path) -> Option<(String, Kind)> {
    let module = import.module.as_str();
    let whole = import.name.as_ref().map(|name| format!("{module}.{name}"));
    let is_own = |module: &str| module.starts_with('.') || file_of(&[directory], module).is_some();
    if is_own(module.split('.').next().unwrap_or_default()) || is_own(module) {
        // The project's own modules are found if anything else imports them at load time.
        return None;
    }
    let needs = |table: &[&str]| {
        let is_it = |name: &str, known: &&str| {
            name.strip_prefix(*known)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let names = [Some(module), whole.as_deref()];
        let mut names = names.into_iter().flatten();
        names.find_map(|name| {
            table
                .iter()
                .find(|known| is_it(name, known))
                .map(|it| (*it).to_owned())
        })
    };
    if let Some(module) = needs(&NEED_SOCKETS) {
        return Some((module, Kind::Sockets));
    }
    if let Some(module) = needs(&MAKE_REQUESTS) {
        return Some((module, Kind::Requests));
    }
    if let Some(module) = needs(&NEED_PROCESSES) {
        return Some((module, Kind::Processes));
    }
    let is_late = import.time == ImportTime::Call
        && !ALWAYS_THERE.contains(&module.split('.').next().unwrap_or_default())
        && !loaded.iter().any(|there| is_or_is_below(there, module));
    is_late.then(|| (module.to_owned(), Kind::Late))
}

/// True if loading `there` has also loaded `module`.
fn is_or_is_below(there: &str, module: &str) -> bool {
    there
        .strip_prefix(module)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Modules that are always loaded, by the interpreter or by the code that is part of every
/// component.
const ALWAYS_THERE: [&str; 24] = [
    "__future__",
    "abc",
    "asyncio",
    "builtins",
    "codecs",
    "collections",
    "dataclasses",
    "enum",
    "functools",
    "io",
    "itertools",
    "keyword",
    "math",
    "operator",
    "os",
    "re",
    "sys",
    "time",
    "traceback",
    "types",
    "typing",
    "warnings",
    "weakref",
    "wit_world",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files;

    #[track_caller]
    fn check(project: &[(&str, &str)], expect: &[&str]) {
        check_form(project, InterpreterKind::Own, expect);
    }

    #[track_caller]
    fn check_form(project: &[(&str, &str)], interpreter: InterpreterKind, expect: &[&str]) {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in project {
            files::write(&directory.path().join(path), text.as_bytes()).unwrap();
        }
        let found = find(directory.path(), "app.py", interpreter);
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn modules_that_need_what_no_tool_has() {
        const LATER: &str = "when the tool is called";
        for (text, module) in [
            ("import urllib.request", "urllib.request"),
            ("from urllib import request", "urllib.request"),
            ("from urllib.request import urlopen", "urllib.request"),
            ("def f():\n    import requests", "requests"),
            ("import requests.adapters", "requests"),
            ("import subprocess", "subprocess"),
        ] {
            let line = text.lines().count();
            let told = format!("app.py:{line}: `{module}` will not work {LATER}");
            check(&[("app.py", text)], &[&told]);
        }
        for text in [
            "from urllib.parse import quote",
            "import http",
            "import requests_like",
            "import json",
            "import )",
        ] {
            check(&[("app.py", text)], &[]);
        }
        // A project's own module may have the name of a listed one.
        check(&[("app.py", "import requests"), ("requests.py", "")], &[]);
    }

    #[test]
    fn programs_make_requests_and_import_late() {
        let text = "import requests\ndef f():\n    import csv, smtplib\n";
        let told = "app.py:3: `smtplib` will not work when the tool is called";
        check_form(&[("app.py", text)], InterpreterKind::Shared, &[told]);
    }

    #[test]
    fn what_is_imported_too_late() {
        let late = "def f():\n    import datetime\n";
        let told = "app.py:2: `datetime` will not be found when the tool is called";
        check(&[("app.py", late)], &[told]);
        check(
            &[("app.py", "import datetime\ndef f():\n    import datetime\n")],
            &[],
        );
        check(&[("app.py", "def f():\n    import sys, os.path\n")], &[]);
        // Another module of the project has loaded it.
        check(
            &[
                ("app.py", &format!("import other\n{late}")),
                ("other.py", "import datetime"),
            ],
            &[],
        );
    }

    #[test]
    fn only_what_is_loaded_is_looked_at() {
        let told = "package/deep.py:1: `requests` will not work when the tool is called";
        check(
            &[
                ("app.py", "from package import middle\n"),
                ("package/__init__.py", ""),
                ("package/middle.py", "from . import deep\n"),
                ("package/deep.py", "import requests\n"),
                ("test_app.py", "import requests\n"),
            ],
            &[told],
        );
    }
}
