//! Tests that somebody else who builds a tool again gets the same bytes.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::python_project::{make_component, make_greeter};
use crate::support::ran::says;
use crate::support::{Home, Need, RegistryProcess, Test, files, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "rebuilt::the_same_bytes_elsewhere",
            the_same_bytes_elsewhere,
        )
        .needs(&[
            Need::RustGuests,
            Need::PythonGuest,
            Need::JavascriptGuest,
            Need::CGuest,
            Need::PythonPackages,
        ]),
        test("rebuilt::a_published_version", a_published_version).needs(&[
            Need::RustGuests,
            Need::JavascriptGuest,
            Need::CGuest,
        ]),
        test("rebuilt::python", python).needs(&[Need::PythonGuest, Need::PythonPackages]),
    ]
}

/// A package of npm that esbuild wraps in a function with a name.
const QUERY: &str = r#"import jmespath from "jmespath";
/**
 * Asks.
 * @param {string} text - The question.
 * @returns {string} The answer.
 */
export function ask(text) { return JSON.stringify(jmespath.search({ a: 1 }, text)); }
"#;

/// All files of the package in `directory`, by their names.
fn package(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = files(directory).into_iter();
    files
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy();
            (name.into_owned(), std::fs::read(&path).expect("a file"))
        })
        .collect()
}

/// True if `text` is in the bytes.
fn tells(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|it| it == text.as_bytes())
}

/// Ada writes tools in each language and builds them; somebody else has her sources elsewhere.
fn the_same_bytes_elsewhere() {
    let ada = Home::new();
    for language in ["rust", "python", "c"] {
        ada.run(["new", language, "--lang", language]).ok();
    }
    ada.write("python/requirements.txt", "idna==3.7\n");
    let source = ada.work().join("python/app.py");
    let text = std::fs::read_to_string(source).expect("a source");
    ada.write("python/app.py", format!("import idna\n{text}"));
    ada.write("query.js", QUERY);
    ada.tool("new query --from query.js").ok();
    for name in ["package.json", "package-lock.json"] {
        let text = std::fs::read(guests::built("json-query").join(name)).expect("a file of npm");
        ada.write(&format!("query/{name}"), text);
    }
    let other = Home::new();
    for name in ["rust", "python", "c", "query"] {
        let project = ada.work().join(name);
        ada.run(["build", name]).ok();
        let there = format!("checkouts/of/ada/{name}");
        for file in files(&project) {
            let within = file.strip_prefix(&project).expect("a file of the project");
            if !within.starts_with("dist") && !within.starts_with("target") {
                let contents = std::fs::read(&file).expect("a file");
                other.write(&format!("{there}/{}", within.display()), contents);
            }
        }
        let trust: &[&str] = if name == "rust" { &["--trust"] } else { &[] };
        other.run([&["build", &*there], trust].concat()).ok();
        let built = package(&project.join("dist"));
        let again = package(&other.work().join(&there).join("dist"));
        let names: Vec<&String> = built.keys().collect();
        assert_eq!(names, again.keys().collect::<Vec<_>>());
        for (file, bytes) in &built {
            assert!(bytes == &again[file], "{name}: {file} differs");
        }
        for place in ["/project-packages-", "tool-build-", "/.cargo/registry/"] {
            assert!(
                !tells(&built["tool.wasm"], place),
                "{name} tells of {place}"
            );
        }
    }
    // Its packages have places of panics in them.
    let notes = std::fs::read(guests::built("notes").join("dist/tool.wasm")).expect("a component");
    assert!(tells(&notes, "/cargo/registry/"));
    assert!(!tells(&notes, "/.cargo/registry/"));
}

/// A tool for an interpreter that is shared.
const SCRIPT: &str = r#"/**
 * Adds.
 * @param {number} a - One number.
 * @param {number} b - Another one.
 * @returns {number} The sum.
 */
export function add(a, b) { return a + b; }
"#;

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// Copies the sources of ada's project to where somebody has checked them out.
fn check_out(ada: &Home, other: &Home, name: &str) {
    let project = ada.work().join(name);
    for file in files(&project) {
        let within = file.strip_prefix(&project).expect("a file of the project");
        if !within.starts_with("dist") && !within.starts_with("target") {
            let contents = std::fs::read(&file).expect("a file");
            other.write(&format!("checkouts/{name}/{}", within.display()), contents);
        }
    }
}

/// Somebody who has the sources of what ada published finds out whether they make just that.
fn a_published_version() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    let other = registry.visitor();
    ada.run(["new", "c", "--lang", "c"]).ok();
    ada.run(["new", "rust", "--lang", "rust"]).ok();
    ada.write("script.js", SCRIPT);
    ada.tool("new script --from script.js").ok();
    for name in ["c", "rust", "script"] {
        ada.run(["build", name]).ok();
        ada.run(["push", &format!("ada/{name}"), "-C", name]).ok();
        check_out(&ada, &other, name);
    }
    // The other machine makes an interpreter of its own.
    other.keep_toolchains(|name| !name.starts_with("javascript-interpreter"));
    // Settings that somebody else left above the directory for temporary files steer no build.
    let shared = other.path().join("shared");
    for (file, text) in [
        (
            ".cargo/config.toml",
            "[build]\nrustc = \"/nowhere/rustc\"\n",
        ),
        ("package.json", "{"),
        ("tsconfig.json", "{"),
    ] {
        let file = shared.join(file);
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("a directory");
        std::fs::write(file, text).expect("a file");
    }
    let shared = shared.to_string_lossy();
    let rebuild = |language: &str, more: &[&str]| {
        let tool = format!("ada/{language}@0.1.0");
        let source = format!("checkouts/{language}");
        let line = ["verify", "--rebuild", &tool, "--source", &source];
        other.run_with(&[&line, more].concat(), &[("TMPDIR", &shared)])
    };
    let rebuilt = rebuild("c", &[]);
    says(&rebuilt, 0, "c 0.1.0 is what these sources make");
    let equal = rebuild("script", &["--json"]).json();
    assert_eq!(equal["equal"], json!(true), "{equal}");
    let files = equal["files"].as_array().expect("files").iter();
    let results: BTreeMap<&str, &str> = files
        .map(|it| (text(&it["file"]), text(&it["result"])))
        .collect();
    let expect = [
        ("README.md", "equal"),
        ("interpreter.wasm", "not-rebuilt"),
        ("sbom.cdx.json", "equal"),
        ("tool.toml", "equal"),
        ("tool.wasm", "equal"),
    ];
    assert_eq!(results, BTreeMap::from(expect), "{equal}");

    // Building it in Rust runs programs of the project, about which a person is asked.
    says(&rebuild("rust", &[]), 3, "needs consent");
    says(
        &rebuild("rust", &["--trust"]),
        0,
        "rust 0.1.0 is what these sources make",
    );
    assert!(!other.work().join("checkouts/rust/dist").exists());

    // What was published is not what the sources say.
    let source = other.work().join("checkouts/c/tool.c");
    let before = std::fs::read_to_string(&source).expect("a source");
    other.write("checkouts/c/tool.c", before.replace("Hello", "Good day"));
    let rebuilt = rebuild("c", &[]);
    says(
        &rebuilt,
        3,
        "is not what these sources make here: tool.toml, tool.wasm differ",
    );
    let shown = rebuilt.stdout();
    assert!(shown.contains("module 1: data: "), "{shown}");
    let differs = rebuild("c", &["--json"]);
    assert_eq!(differs.code(), 3);
    says(
        &other.tool("verify --rebuild ada/c@0.1.0"),
        1,
        "a package does not hold its sources",
    );
    std::fs::remove_file(other.work().join("checkouts/rust/Cargo.lock")).expect("it goes");
    says(&rebuild("rust", &[]), 1, "has no Cargo.lock");
}

/// A program in Python is the same again, and of a component with an interpreter of its own it is
/// said that its bytes tell nothing.
fn python() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    let other = registry.visitor();
    make_greeter(&ada, "program");
    make_component(&ada, "whole");
    for name in ["program", "whole"] {
        ada.run(["build", name]).ok();
        ada.run(["push", &format!("ada/{name}"), "-C", name]).ok();
        check_out(&ada, &other, name);
    }
    let rebuild = |name: &str, more: &[&str]| {
        let tool = format!("ada/{name}@0.1.0");
        let source = format!("checkouts/{name}");
        let line = ["verify", "--rebuild", &tool, "--source", &source];
        other.run([&line, more].concat())
    };
    says(
        &rebuild("program", &[]),
        0,
        "program 0.1.0 is what these sources make",
    );

    let reason = "the component holds an interpreter, of which each build makes other bytes";
    let rebuilt = rebuild("whole", &[]);
    let told = format!(
        "error: nobody can tell by its bytes if whole 0.1.0 is what these sources make: {reason}; all else is equal"
    );
    says(&rebuilt, 3, &told);
    says(&rebuilt, 3, "hint: the same sources differ here, too");
    assert!(!rebuilt.stderr().contains("the very sources"));
    assert!(rebuilt.stdout().contains(reason), "{}", rebuilt.stdout());

    // Where more differs, that is the reason.
    let source = other.work().join("checkouts/whole/wit/world.wit");
    let before = std::fs::read_to_string(&source).expect("the WIT");
    let after = before.replace("/// ", "/// Kindly: ");
    assert_ne!(before, after);
    other.write("checkouts/whole/wit/world.wit", after);
    let rebuilt = rebuild("whole", &[]);
    says(
        &rebuilt,
        3,
        "whole 0.1.0 is not what these sources make here: tool.toml, ",
    );
    says(&rebuilt, 3, "hint: ask the author for the very sources");
    says(
        &rebuilt,
        3,
        &format!("hint: tool.wasm will differ all the same: {reason}"),
    );
}
