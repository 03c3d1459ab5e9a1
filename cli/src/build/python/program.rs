//! Makes the program of a Python project: the sources of its modules, for the shared interpreter.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::bindings::World;
use super::modules::{FILES_MAX, name_of, reached};
use super::packages::Packages;
use crate::files::{self, Limit};
use crate::terminal::problem::Problem;

/// The most bytes of all sources of a program.
const PROGRAM_BYTES_MAX: usize = 16 << 20;

/// A program, as `python_interpreter.py` reads it.
#[derive(Serialize)]
struct Program<'a> {
    modules: BTreeMap<String, Module>,
    /// An archive of zip in base64, with what the project depends on.
    #[serde(skip_serializing_if = "Option::is_none")]
    packages: Option<String>,
    main: &'a str,
    /// The world whose interfaces the classes of `main` implement, where the project has WIT.
    #[serde(skip_serializing_if = "Option::is_none")]
    world: Option<&'a World>,
}

/// The file of a module as its author knows it, its source, and whether it is a package.
#[derive(Serialize)]
struct Module(String, String, bool);

/// The program whose module `main` is loaded first: the modules in the files `main` and `others`,
/// with all that they import from `directories`, and that their imports import, `packages`, and
/// `world`.
///
/// # Errors
/// When a file cannot be read, is not UTF-8, or all of them are too long.
pub(super) fn program(
    directories: &[&Path],
    main: &str,
    others: &[&str],
    packages: Option<&Packages>,
    world: Option<&World>,
) -> anyhow::Result<String> {
    let files = reached(directories, &[&[main], others].concat());
    if files.len() >= FILES_MAX {
        let problem = format!("the project and what it imports have {FILES_MAX} modules or more");
        return Err(Problem::user(problem)
            .hint("import fewer or smaller packages")
            .into());
    }
    let mut modules = BTreeMap::new();
    let mut room = PROGRAM_BYTES_MAX;
    for file in files.into_keys() {
        let mut all = directories.iter();
        let Some(directory) = all.find(|directory| directory.join(&file).is_file()) else {
            continue;
        };
        let limit = Limit {
            name: "PROGRAM_BYTES_MAX",
            bytes_max: room,
            hint: "import fewer or smaller packages",
        };
        let bytes = files::read(&directory.join(&file), &file, &limit)?;
        room -= bytes.len();
        let (name, is_package) = name_of(&file);
        let source = files::text(bytes, &file)?;
        modules.insert(name, Module(file, source, is_package));
    }
    let (main, _) = name_of(main);
    if !modules.contains_key(&main) {
        return Err(Problem::user(format!("there is no Python module `{main}`")).into());
    }
    Ok(serde_json::to_string(&Program {
        modules,
        packages: packages.map(Packages::archive).transpose()?,
        main: &main,
        world,
    })?)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_program_has_what_its_first_module_imports() {
        let directory = tempfile::tempdir().unwrap();
        let (project, environment) = (directory.path().join("p"), directory.path().join("e"));
        for (path, text) in [
            (
                "p/app.py",
                "import package.deep\ndef f():\n    import yaml\n",
            ),
            ("p/package/__init__.py", ""),
            ("p/package/deep.py", "from . import beside\n"),
            ("p/package/beside.py", "import json"),
            ("p/test_app.py", "import app"),
            ("p/other.py", ""),
            ("e/yaml/__init__.py", "from .nodes import *\n"),
            ("e/yaml/nodes.py", "broken ("),
            ("e/unused.py", ""),
        ] {
            files::write(&directory.path().join(path), text.as_bytes()).unwrap();
        }
        let made = program(
            &[&project, &environment],
            "app.py",
            &["other.py"],
            None,
            None,
        )
        .unwrap();
        let made: Value = serde_json::from_str(&made).unwrap();
        assert_eq!(made["main"], "app");
        let modules = made["modules"].as_object().unwrap();
        let names: Vec<&str> = modules.keys().map(String::as_str).collect();
        let expect = [
            "app",
            "other",
            "package",
            "package.beside",
            "package.deep",
            "yaml",
            "yaml.nodes",
        ];
        assert_eq!(names, expect);
        assert_eq!(modules["package"], json!(["package/__init__.py", "", true]));
        assert_eq!(modules["yaml.nodes"][1], "broken (");
        assert!(program(&[&project], "absent.py", &[], None, None).is_err());
    }
}
