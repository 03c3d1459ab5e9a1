//! Rules of the house that no compiler checks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Test, root, test};

/// Which crate may know which. A new arrow changes this table and ARCHITECTURE.md in the
/// same commit.
const ARROWS: [(&str, &[&str]); 8] = [
    ("manifest", &[]),
    ("registry-client", &["manifest"]),
    ("host", &["manifest"]),
    ("agent", &["manifest"]),
    ("source", &[]),
    ("registry-server", &["manifest"]),
    ("serve", &["agent", "host", "manifest"]),
    (
        "cli",
        &[
            "agent",
            "host",
            "manifest",
            "registry-client",
            "registry-server",
            "serve",
            "source",
        ],
    ),
];

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "tidy::crates_know_only_whom_they_may_know",
            crates_know_only_whom_they_may_know,
        ),
        test(
            "tidy::the_architecture_names_every_directory",
            the_architecture_names_every_directory,
        ),
        test(
            "tidy::every_source_file_says_what_it_is_for_and_stays_small",
            every_source_file_says_what_it_is_for_and_stays_small,
        ),
        test(
            "tidy::nothing_is_left_unfinished",
            nothing_is_left_unfinished,
        ),
        test(
            "tidy::security_md_names_tests_that_exist",
            security_md_names_tests_that_exist,
        ),
    ]
}

/// Files longer than this have more than one purpose.
const LINES_MAX: usize = 500;

fn crates_know_only_whom_they_may_know() {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version=1",
            "--no-deps",
            "--offline",
            "--locked",
        ])
        .current_dir(root())
        .output()
        .expect("cargo metadata runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let found: BTreeMap<String, BTreeSet<String>> = metadata["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .map(|package| {
            (
                ours(&package["name"]).expect("every member is ours"),
                arrows_of(package),
            )
        })
        .collect();
    let allowed: BTreeMap<String, BTreeSet<String>> = ARROWS
        .iter()
        .map(|(from, to)| {
            (
                (*from).to_owned(),
                to.iter().map(|to| (*to).to_owned()).collect(),
            )
        })
        .collect();
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        allowed.keys().collect::<Vec<_>>()
    );
    for (from, to) in &found {
        let forbidden: Vec<_> = to.difference(&allowed[from]).collect();
        assert!(forbidden.is_empty(), "{from} may not know {forbidden:?}");
    }
}

/// The members of the workspace that a package depends on, dependencies of its tests aside.
fn arrows_of(package: &Value) -> BTreeSet<String> {
    let dependencies = package["dependencies"].as_array().expect("dependencies");
    dependencies
        .iter()
        .filter(|dependency| dependency["kind"].is_null())
        .filter_map(|dependency| ours(&dependency["name"]))
        .collect()
}

fn ours(name: &Value) -> Option<String> {
    name.as_str()?.strip_prefix("tool-hub-").map(str::to_owned)
}

fn the_architecture_names_every_directory() {
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    for (name, _) in ARROWS {
        assert!(
            map.contains(&format!("`{name}/`")),
            "ARCHITECTURE.md does not describe {name}/"
        );
    }
    assert!(
        map.lines().count() <= 250,
        "ARCHITECTURE.md has grown beyond 250 lines"
    );
}

fn every_source_file_says_what_it_is_for_and_stays_small() {
    for path in sources() {
        let text = std::fs::read_to_string(&path).expect("a source file is UTF-8");
        assert!(
            text.starts_with("//!"),
            "{}: the first line does not say what the file is for",
            path.display()
        );
        let lines = text.lines().count();
        assert!(
            lines <= LINES_MAX,
            "{}: {lines} lines; does it still have one purpose?",
            path.display()
        );
        assert_ne!(
            path.file_name().and_then(|name| name.to_str()),
            Some("mod.rs"),
            "{}",
            path.display()
        );
    }
}

fn nothing_is_left_unfinished() {
    // Put together here so that this file does not find itself.
    let marks = [
        ["TO", "DO"],
        ["FIX", "ME"],
        ["XX", "X"],
        ["todo", "!("],
        ["unimplemented", "!("],
    ]
    .map(|parts| parts.concat());
    for path in sources() {
        let text = std::fs::read_to_string(&path).expect("a source file is UTF-8");
        for mark in &marks {
            assert!(!text.contains(mark.as_str()), "{}: {mark}", path.display());
        }
    }
}

/// The table of cases that the target `hostile` makes is compared with them there.
fn security_md_names_tests_that_exist() {
    let document = std::fs::read_to_string(root().join("SECURITY.md")).expect("SECURITY.md");
    let rows = document.lines().filter_map(|line| line.strip_prefix("| "));
    // All columns but the last, which states the expected outcome.
    let cells = rows.flat_map(|row| {
        let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
        cells[..cells.len() - 1].to_vec()
    });
    let named: BTreeSet<&str> = cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .filter_map(|name| name.rsplit("::").next())
        .filter(|name| name.contains('_') && !name.starts_with("case_"))
        .collect();
    assert!(named.len() > 20, "only {named:?}");
    let mut missing = named;
    missing.retain(|name| {
        !root()
            .join(format!("fuzz/fuzz_targets/{name}.rs"))
            .is_file()
    });
    for path in sources() {
        let text = std::fs::read_to_string(&path).expect("a source file is UTF-8");
        missing.retain(|name| {
            let function = format!("fn {name}(");
            let listed = format!("::{name}\",");
            !text.contains(&function) && !text.contains(&listed)
        });
    }
    assert!(missing.is_empty(), "no tests: {missing:?}");
}

fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for directory in ARROWS.iter().map(|(name, _)| *name).chain(["tests"]) {
        collect(&root().join(directory), &mut found);
    }
    assert!(
        found.len() > 50,
        "only {} source files were found",
        found.len()
    );
    found
}

fn collect(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("a directory of the project") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if path.is_dir() && !["target", "templates", "node_modules"].contains(&name) {
            collect(&path, found);
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}
