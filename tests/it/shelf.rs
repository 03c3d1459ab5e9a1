//! Tests of the shelf: the sample tools that people look for.
//! Each is built, checked and tested, and some are compared with the servers that they stand for.

mod compared;

use std::path::Path;

use crate::support::{Home, Need, Test, guests, root, test};

const PYTHON: &[Need] = &[Need::PythonGuest];
const JAVASCRIPT: &[Need] = &[Need::JavascriptGuest];

pub(crate) fn tests() -> Vec<Test> {
    let mut tests = vec![
        test("shelf::arxiv", || check("arxiv")).needs(PYTHON),
        test("shelf::fetch", || check("fetch")).needs(PYTHON),
        test("shelf::filesystem", || check("filesystem")).needs(PYTHON),
        test("shelf::git", || check("git")).needs(PYTHON),
        test("shelf::github_issues", || check("github-issues")).needs(PYTHON),
        test("shelf::html_to_markdown", || check("html-to-markdown")).needs(PYTHON),
        test("shelf::memory", || check("memory")).needs(PYTHON),
        test("shelf::pdf_text", || check("pdf-text")).needs(PYTHON),
        test("shelf::sequentialthinking", || check("sequentialthinking")).needs(PYTHON),
        test("shelf::spreadsheets", || check("spreadsheets")).needs(PYTHON),
        test("shelf::sqlite", || check("sqlite")).needs(PYTHON),
        test("shelf::time", || check("time")).needs(PYTHON),
        test("shelf::weather", || check("weather")).needs(PYTHON),
        test("shelf::wikipedia", || check("wikipedia")).needs(JAVASCRIPT),
        test("shelf::replacements", the_replacements_are_on_the_shelf),
        test("shelf::one_page", pages_are_read_by_the_same_code),
    ];
    tests.extend(compared::tests());
    tests
}

/// Builds a tool, and has it pass what an author would ask of it before publishing it.
#[track_caller]
fn check(name: &str) {
    let home = Home::new();
    let project = guests::built(name);
    let of_project = |command: &[&str]| {
        let mut line: Vec<&Path> = command.iter().map(Path::new).collect();
        line.insert(1, &project);
        home.run(line)
    };
    let checked = of_project(&["check", "--json"]).json();
    assert_eq!(checked["remarks"], serde_json::json!([]), "{name}");
    of_project(&["lint", "--deny"]).ok();
    let tested = of_project(&["test", "--random", "2"]);
    assert_eq!(tested.code(), 0, "{}{}", tested.stdout(), tested.stderr());

    let listed = std::fs::read_to_string(root().join("sample-tools/README.md")).expect("a list");
    assert!(listed.contains(&format!("({name}/README.md)")), "{name}");
}

/// `tool adopt` offers what this table names.
fn the_replacements_are_on_the_shelf() {
    let shelf = root().join("sample-tools");
    let text = std::fs::read_to_string(shelf.join("replacements.toml")).expect("the table");
    let table: toml_edit::DocumentMut = text.parse().expect("TOML");
    let replacements = table["replacement"].as_array_of_tables().expect("tables");
    assert!(replacements.len() >= 8, "{text}");
    for replacement in replacements {
        let tool = replacement["tool"].as_str().expect("the tool's name");
        let card = std::fs::read_to_string(shelf.join(tool).join("README.md")).expect("a card");
        let packages = replacement["packages"].as_array().expect("packages");
        for package in packages {
            let package = package.as_str().expect("a package's name");
            let (registry, name) = package.split_once(':').expect("a registry");
            assert!(["npm", "pypi"].contains(&registry), "{package}");
            assert!(
                card.contains(&format!("## In place of `{name}`")),
                "{tool}: {name}"
            );
        }
        assert!(
            !replacement["differs"].as_array().expect("texts").is_empty(),
            "{tool}"
        );
    }
}

/// A tool holds only files of its own project, so two of them have this one each.
fn pages_are_read_by_the_same_code() {
    let read = |tool: &str| {
        std::fs::read_to_string(root().join("sample-tools").join(tool).join("page.py"))
            .expect("code")
    };
    assert_eq!(read("fetch"), read("html-to-markdown"));
}
