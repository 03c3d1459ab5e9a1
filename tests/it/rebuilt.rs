//! Tests that somebody else who builds a tool again gets the same bytes.

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::{Home, Need, Test, files, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("rebuilt::the_same_bytes_elsewhere", the_same_bytes_elsewhere).needs(&[
            Need::RustGuests,
            Need::PythonGuest,
            Need::JavascriptGuest,
            Need::CGuest,
            Need::PythonPackages,
        ]),
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
            assert!(!tells(&built["tool.wasm"], place), "{name} tells of {place}");
        }
    }
    // Its packages have places of panics in them.
    let notes = std::fs::read(guests::built("notes").join("dist/tool.wasm")).expect("a component");
    assert!(tells(&notes, "/cargo/registry/"));
    assert!(!tells(&notes, "/.cargo/registry/"));
}
