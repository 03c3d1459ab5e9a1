//! Forty-six mistakes that authors make, and six in C: each ends the build with one error.
//! It tells the place and a cure. A file for each language has its rows; `docs/reference.md` points
//! here.

mod c;
mod javascript;
mod mistake;
mod python;
mod rust;
mod wit;

use std::collections::{BTreeMap, BTreeSet};

use crate::support::python_project::make_greeter;
use crate::support::{Home, Need, Test, test};
use c::IN_C;
use javascript::{IN_JAVASCRIPT, IN_TYPESCRIPT};
use mistake::Mistake;
use python::IN_PYTHON;
use rust::IN_RUST;
use wit::{IN_THE_MANIFEST, IN_WIT};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("author::mistakes_in_wit", in_wit),
        test("author::mistakes_in_the_manifest", in_the_manifest).needs(&[Need::JavascriptGuest]),
        test("author::mistakes_in_python", in_python).needs(&[Need::PythonGuest]),
        test("author::mistakes_in_javascript", in_javascript).needs(&[Need::JavascriptGuest]),
        test("author::mistakes_in_typescript", in_typescript).needs(&[Need::JavascriptGuest]),
        test("author::mistakes_in_rust", in_rust).needs(&[Need::RustGuests]),
        test("author::mistakes_in_c", in_c).needs(&[Need::CGuest]),
        test("author::there_are_forty_six_mistakes", there_are_forty_six),
    ]
}

const FUNCTION: &str = "/**\n * Adds two numbers.\n *\n * @param {number} a The first.\n * @param \
                        {number} b The second.\n * @returns {number} The sum.\n */\n";
const TYPED: &str = "/**\n * Adds two numbers.\n *\n * @param a The first.\n * @param b The \
                     second.\n * @returns The sum.\n */\n";

/// The projects, each with the file that it is made from, or its language and whether it has WIT.
const PROJECTS: [(&str, &str, &str); 8] = [
    ("wit", "--lang", "rust"),
    ("app", "wit", "python"),
    ("tool", "--lang", "javascript"),
    ("native", "--lang", "c"),
    (
        "sums-py",
        "sums.py",
        "\"\"\"Sums.\"\"\"\n\n\ndef add(a: int, b: int) -> int:\n    \"\"\"Adds two numbers.\n\n    \
         Args:\n        a: The first.\n        b: The second.\n\n    Returns:\n        The sum.\n    \
         \"\"\"\n    return a + b\n",
    ),
    (
        "sums-js",
        "sums.js",
        "export function add(a, b) {\n  return a + b;\n}\n",
    ),
    (
        "sums-ts",
        "sums.ts",
        "export function add(a: number, b: number): number {\n  return a + b;\n}\n",
    ),
    (
        "sums-rs",
        "sums.rs",
        "/// Adds two numbers.\n///\n/// # Arguments\n///\n/// * `a` - The first.\n/// * `b` - The \
         second.\n///\n/// # Returns\n///\n/// The sum.\npub fn add(a: i32, b: i32) -> i32 {\n    a \
         + b\n}\n",
    ),
];

/// Makes each mistake in turn in a project that is right without it.
fn check(table: &[Mistake]) {
    let home = Home::new();
    let mut made: BTreeSet<&str> = BTreeSet::new();
    for mistake in table {
        if made.insert(mistake.project) {
            make(&home, mistake.project);
        }
        let project = home.work().join(mistake.project);
        let mut originals: BTreeMap<&str, Option<String>> = BTreeMap::new();
        for (file, from, to) in mistake.edits {
            let path = project.join(file);
            let text = std::fs::read_to_string(&path).ok();
            let changed = match &text {
                Some(text) => {
                    assert!(
                        text.contains(from),
                        "{}: {file} holds no {from:?}",
                        mistake.name
                    );
                    text.replacen(from, to, 1)
                }
                None => (*to).to_owned(),
            };
            originals.entry(file).or_insert(text);
            home.write(&format!("{}/{file}", mistake.project), changed);
        }
        let refused = home.run(["build", mistake.project]);
        check_message(mistake, &refused.stderr(), refused.code());
        assert!(!project.join("dist").exists(), "{}", mistake.name);
        for (file, text) in originals {
            match text {
                Some(text) => std::fs::write(project.join(file), text).expect("the file"),
                None => std::fs::remove_file(project.join(file)).expect("the file"),
            }
        }
    }
}

/// Asserts that one error tells the mistake, with its place and the cure, and names no file that
/// the author does not have.
fn check_message(mistake: &Mistake, told: &str, code: i32) {
    let name = mistake.name;
    assert_eq!(code, 1, "{name}: {told}");
    let errors = told.lines().filter(|line| line.starts_with("error: "));
    assert!(told.starts_with("error: "), "{name}: {told}");
    // Errors of the compiler below are its own words.
    let is_quoted = told.contains("error: could not compile");
    assert!(is_quoted || errors.count() == 1, "{name}: {told}");
    let (message, hints) = told.split_once("\nhint: ").unwrap_or((told, ""));
    let told_first: Vec<&str> = message.lines().take(2).collect();
    let is_first = |words: &str| told_first.iter().any(|line| line.contains(words));
    assert!(
        is_first(mistake.place),
        "{name}: no {} in {told}",
        mistake.place
    );
    assert!(
        is_first(mistake.error),
        "{name}: no {} in {told}",
        mistake.error
    );
    assert!(
        hints.contains(mistake.cure),
        "{name}: no {} in {told}",
        mistake.cure
    );
    for hidden in [
        "tool_functions",
        "bundle.js",
        "tool-build-",
        "Stack backtrace",
        "exit status: 101",
    ] {
        assert!(!message.contains(hidden), "{name}: {hidden} in {told}");
    }
}

/// Makes the project called `name`.
fn make(home: &Home, name: &str) {
    let known = PROJECTS.iter().find(|(known, ..)| *known == name);
    let (_, from, text) = known.expect("a project of the table");
    if *from == "wit" {
        make_greeter(home, name);
        return;
    }
    if *from == "--lang" {
        home.run(["new", name, "--lang", text]).ok();
        return;
    }
    let comment = match *from {
        "sums.js" => FUNCTION,
        "sums.ts" => TYPED,
        _ => "",
    };
    home.write(from, format!("{comment}{text}"));
    home.run(["new", name, "--from", from]).ok();
}

fn in_wit() {
    check(&IN_WIT);
}

fn in_the_manifest() {
    check(&IN_THE_MANIFEST);
}

fn in_python() {
    check(&IN_PYTHON);
}

fn in_javascript() {
    check(&IN_JAVASCRIPT);
}

fn in_typescript() {
    check(&IN_TYPESCRIPT);
}

fn in_rust() {
    check(&IN_RUST);
}

fn in_c() {
    check(&IN_C);
}

fn there_are_forty_six() {
    let tables: [&[Mistake]; 6] = [
        &IN_WIT,
        &IN_THE_MANIFEST,
        &IN_PYTHON,
        &IN_JAVASCRIPT,
        &IN_TYPESCRIPT,
        &IN_RUST,
    ];
    assert_eq!(tables.iter().map(|table| table.len()).sum::<usize>(), 46);
}
