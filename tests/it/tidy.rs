//! Tests that this repository's sources keep its rules: on dependencies, file sizes and comments.
//! Crates may depend on some only, modules form no circle, unused dependencies and unfinished work
//! are found, and documents name what exists.

mod dependencies;
mod modules;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Test, root, test};
use modules::Modules;

/// Which crate may know which. A new arrow changes this table and ARCHITECTURE.md in the
/// same commit.
const ARROWS: [(&str, &[&str]); 17] = [
    ("manifest", &[]),
    ("signing", &["manifest"]),
    ("egress", &["manifest"]),
    ("cage", &["egress", "manifest"]),
    ("registry-client", &["manifest", "transparency"]),
    ("host", &["egress", "manifest"]),
    ("agent", &["manifest"]),
    (
        "mcp-client",
        &["agent", "cage", "egress", "host", "manifest"],
    ),
    ("source", &[]),
    ("transparency", &["manifest"]),
    ("registry-server", &["manifest", "signing", "transparency"]),
    ("serve", &["agent", "host", "manifest"]),
    (
        "toolbox",
        &[
            "agent",
            "host",
            "manifest",
            "registry-client",
            "signing",
            "transparency",
        ],
    ),
    (
        "embed",
        &[
            "agent",
            "host",
            "manifest",
            "registry-client",
            "serve",
            "toolbox",
        ],
    ),
    ("python", &["cli", "embed"]),
    ("node", &["embed"]),
    (
        "cli",
        &[
            "agent",
            "cage",
            "host",
            "manifest",
            "mcp-client",
            "registry-client",
            "registry-server",
            "serve",
            "signing",
            "source",
            "toolbox",
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
            "tidy::every_first_line_is_a_whole_sentence",
            every_first_line_is_a_whole_sentence,
        ),
        test(
            "tidy::nothing_is_left_unfinished",
            nothing_is_left_unfinished,
        ),
        test(
            "tidy::modules_do_not_go_round_in_circles",
            modules_do_not_go_round_in_circles,
        ),
        test("tidy::a_circle_is_found", a_circle_is_found),
        test(
            "tidy::modules_take_nothing_from_their_crate_s_root",
            modules_take_nothing_from_their_crate_s_root,
        ),
        test("tidy::comments_are_not_too_wide", comments_are_not_too_wide),
        test("tidy::every_dependency_is_used", every_dependency_is_used),
        test(
            "tidy::security_md_names_tests_that_exist",
            security_md_names_tests_that_exist,
        ),
    ]
}

/// Files longer than this have more than one purpose.
const LINES_MAX: usize = 500;

/// Words that begin a clause: a first line that starts with one does not name anything.
const QUESTION_WORDS: [&str; 9] = [
    "What", "Where", "Who", "Whose", "Whom", "Whether", "How", "Why", "Which",
];

fn crates_know_only_whom_they_may_know() {
    let metadata = metadata();
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

fn metadata() -> Value {
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
    serde_json::from_slice(&output.stdout).expect("cargo prints JSON")
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
        let first_word = text.split_whitespace().nth(1).unwrap_or_default();
        assert!(
            !QUESTION_WORDS.contains(&first_word),
            "{}: the first line begins with `{first_word}` and does not name what the file holds",
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

/// Whoever looks for a file reads its first line and no further.
fn every_first_line_is_a_whole_sentence() {
    let mut cut_off = Vec::new();
    for path in files(&["rs", "py", "pyi", "js", "mjs", "ts"]) {
        let text = std::fs::read_to_string(&path).expect("a source file is UTF-8");
        let mut lines = text.lines().map(str::trim);
        let first =
            lines.find(|line| !line.is_empty() && !line.starts_with("#!") && *line != "/**");
        let Some(first) = first else { continue };
        let sentence = first.trim_end_matches(r#"""""#).trim_end_matches("*/");
        if !sentence.trim_end().ends_with(['.', ':']) {
            cut_off.push(format!("{}: {first}", path.display()));
        }
    }
    none("the project", "first lines that break off", &cut_off);
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

/// A module that needs another which needs the first can be understood, tested and moved only
/// together with it.
fn modules_do_not_go_round_in_circles() {
    for (name, _) in ARROWS {
        let modules = Modules::read(&root().join(name).join("src"));
        no_circles(name, &modules.circles());
    }
    let samples = std::fs::read_dir(root().join("sample-tools")).expect("the sample tools");
    let samples = samples.map(|entry| entry.expect("an entry").path());
    let mut count = 0;
    for sample in samples.filter(|sample| sample.join("src/lib.rs").is_file()) {
        let modules = Modules::read(&sample.join("src"));
        no_circles(&sample.to_string_lossy(), &modules.circles_below_root());
        count += 1;
    }
    assert!(count > 0, "no sample tool is written in Rust");
}

fn no_circles(part: &str, circles: &[BTreeSet<Vec<String>>]) {
    let circles = circles.iter().flat_map(|circle| {
        let names: Vec<String> = circle.iter().map(|path| shown(path)).collect();
        let whole = names.join(", ");
        names
            .into_iter()
            .map(move |name| format!("{name} in a circle of {whole}"))
    });
    none(part, "modules in circles", &circles.collect::<Vec<_>>());
}

/// Through a re-export and a path within a function, and not through what is for tests alone.
fn a_circle_is_found() {
    let source = tempfile::tempdir().expect("a directory");
    for (name, text) in [
        (
            "lib.rs",
            "mod one; mod other; pub use other::Other; mod third;",
        ),
        ("one.rs", "use crate::Other; pub struct One(Other);"),
        (
            "other.rs",
            "pub struct Other; fn one() -> crate::one::One {}",
        ),
        (
            "third.rs",
            "#[cfg(test)] use crate::one; use super::other::Other;",
        ),
    ] {
        std::fs::write(source.path().join(name), text).expect("a file is written");
    }
    let modules = Modules::read(source.path());
    let circle = ["one", "other"].map(|name| vec![name.to_owned()]);
    assert_eq!(modules.circles(), [BTreeSet::from(circle.clone())]);
    let [one, _] = circle;
    assert_eq!(modules.imports_from_root(), [(one, "Other".to_owned())]);
}

/// A name that is imported from where it is defined says where to look.
fn modules_take_nothing_from_their_crate_s_root() {
    for (name, _) in ARROWS {
        let imports = Modules::read(&root().join(name).join("src")).imports_from_root();
        let imports = imports.iter().map(|(module, item)| {
            let module = shown(module);
            format!("{module} takes {item}")
        });
        none(
            name,
            "names from the crate's root",
            &imports.collect::<Vec<_>>(),
        );
    }
}

fn shown(module: &[String]) -> String {
    match module {
        [] => "crate".to_owned(),
        names => names.join("::"),
    }
}

/// The widest comment. Addresses and tables cannot be broken.
const COMMENT_COLUMNS_MAX: usize = 100;

fn comments_are_not_too_wide() {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files(&["rs", "js", "mjs", "ts", "py", "pyi"]) {
        let text = std::fs::read_to_string(&path).expect("a source file is UTF-8");
        let path = path.strip_prefix(root()).expect("a file of the project");
        let part = path.iter().next().expect("a directory").to_string_lossy();
        let found = found.entry(part.into_owned()).or_default();
        for (index, line) in text.lines().enumerate() {
            let comment = line.trim_start();
            let is_whole = comment.contains("://") || comment.contains(" |");
            let is_comment = ["//", "/**", "* ", "# "]
                .iter()
                .any(|it| comment.starts_with(it));
            if is_comment && !is_whole && line.chars().count() > COMMENT_COLUMNS_MAX {
                found.push(format!("{}:{}", path.display(), index + 1));
            }
        }
    }
    for (part, found) in found {
        none(&part, "comments that are too wide", &found);
    }
}

/// Fails when `part` of the project has any of `what`.
fn none(part: &str, what: &str, found: &[String]) {
    let count = found.len();
    assert!(
        found.is_empty(),
        "{part} has {count} {what}:\n{}",
        found.join("\n")
    );
}

fn every_dependency_is_used() {
    let unused = dependencies::unused(&metadata());
    assert!(unused.is_empty(), "nothing uses {unused:?}");
}

/// The table of cases that the target `hostile` makes is compared with them there.
fn security_md_names_tests_that_exist() {
    let [security, trust, attacks] = ["SECURITY.md", "docs/trust.md", "docs/attacks.md"]
        .map(|file| std::fs::read_to_string(root().join(file)).expect("a document"));
    // All columns but the last, which states the expected outcome.
    let outcomes = cells(&security).map(|mut row| {
        row.pop();
        row
    });
    // The last column, after what is promised.
    let promises = cells(&trust)
        .chain(cells(&attacks))
        .map(|row| row.last().copied().into_iter().collect());
    let cells = outcomes.chain(promises).flat_map(|row: Vec<&str>| row);
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
        let functions = text.split("fn ").filter_map(|rest| rest.split_once('('));
        for (name, _) in functions {
            missing.remove(name);
        }
        let listed = text
            .split("\",")
            .filter_map(|before| before.rsplit_once("::"));
        for (_, name) in listed {
            missing.remove(name);
        }
    }
    assert!(missing.is_empty(), "no tests: {missing:?}");
}

/// The cells of each row of the tables in a document.
fn cells(document: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = document.lines().filter_map(|line| line.strip_prefix("| "));
    rows.map(|row| row.trim_end_matches(" |").split(" | ").collect())
}

fn sources() -> Vec<PathBuf> {
    files(&["rs"])
}

/// The source files of the crates and the tests with one of these extensions.
fn files(extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let crates = ARROWS.iter().map(|(name, _)| *name);
    for directory in crates.chain(["deploy", "tests"]) {
        collect(&root().join(directory), extensions, &mut found);
    }
    assert!(
        found.len() > 50,
        "only {} source files were found",
        found.len()
    );
    found
}

fn collect(directory: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("a directory of the project") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let extension = path.extension().and_then(|it| it.to_str());
        if path.is_dir() && !["target", "templates", "node_modules"].contains(&name) {
            collect(&path, extensions, found);
        } else if extension.is_some_and(|it| extensions.contains(&it)) {
            found.push(path);
        }
    }
}
