//! Tests of tools of plain functions in Python: programs for one interpreter that they share.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};

use crate::support::loading::{digest, load};
use crate::support::{Home, Need, RegistryProcess, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test(
            "author::programs_share_an_interpreter",
            programs_share_an_interpreter,
        )
        .needs(&[Need::PythonGuest]),
        test("author::programs_are_loaded_once", programs_are_loaded_once)
            .needs(&[Need::PythonGuest]),
        test(
            "author::programs_have_what_they_import",
            programs_have_what_they_import,
        )
        .needs(&[Need::PythonGuest]),
        test(
            "author::programs_that_cannot_be_loaded",
            programs_that_cannot_be_loaded,
        )
        .needs(&[Need::PythonGuest]),
    ]
}

/// The most bytes that a second tool may have, and take to fetch.
const PROGRAM_BYTES_MAX: u64 = 100_000;

pub(super) const GREETER: &str = r#"
def greet(name: str) -> str:
    """Greets somebody.

    Args:
        name: Whom.
    """
    return f"Hello, {name}!"
"#;

/// Makes and builds a project of one file.
#[track_caller]
fn build(home: &Home, name: &str, text: &str) {
    let file = format!("{}.py", name.replace('-', "_"));
    home.write(&file, text);
    home.run(["new", name, "--from", &file]).ok();
    home.run(["build", name]).ok();
}

fn programs_share_an_interpreter() {
    let registry = RegistryProcess::start();
    let author = registry.member("author");
    build(&author, "greeter", GREETER);
    let before = Instant::now();
    build(&author, "parting", &GREETER.replace("Hello", "Goodbye"));
    let took = before.elapsed();
    for name in ["greeter", "parting"] {
        let component = author.work().join(name).join("dist/tool.wasm");
        let bytes = std::fs::metadata(component).expect("a component").len();
        assert!(bytes < PROGRAM_BYTES_MAX, "{bytes}");
        author.run(["push", "-C", name]).ok();
    }
    // No part of it is a limit: it says when a build makes an interpreter, or compiles one.
    eprintln!("the second project was made and built in {took:?}");

    let user = registry.visitor().compiling_alone();
    load(&user, "author/greeter", &[]);
    let stored = |user: &Home| {
        let files = user.files().into_iter();
        let files = files.filter(|it| it.display().to_string().contains("/blobs/"));
        files
            .map(|it| it.metadata().map_or(0, |it| it.len()))
            .sum::<u64>()
    };
    let compiled = |user: &Home| {
        let is_code = |it: &PathBuf| it.extension().is_some_and(|ending| ending == "code");
        user.files().into_iter().filter(is_code).count()
    };
    let (bytes, code) = (stored(&user), compiled(&user));
    load(&user, "author/parting", &[]);
    let more = stored(&user) - bytes;
    assert!(0 < more && more < PROGRAM_BYTES_MAX, "{more}");
    assert!(code > 0);
    assert_eq!(compiled(&user), code, "nothing is compiled for the second");
    let said = user.tool("call greeter name=Ada").ok();
    assert_eq!(said.trim_end(), "Hello, Ada!");
    let said = user.tool("call parting name=Ada").ok();
    assert_eq!(said.trim_end(), "Goodbye, Ada!");

    // One is removed, and the other keeps the interpreter.
    user.tool("remove greeter").ok();
    user.tool("gc").ok();
    assert_eq!(compiled(&user), code, "its compiled code is kept");
    let said = user.tool("call parting name=Bob").ok();
    assert_eq!(said.trim_end(), "Goodbye, Bob!");

    let shown = user.tool("inspect author/parting --verbose").ok();
    assert!(shown.contains("run by     interpreter sha256:"), "{shown}");
}

const CURIOUS: &str = r#"
import os
import random

FOUND = os.environ.get("API_KEY")
DRAWN = random.random()


def look() -> list[str]:
    """Says what is found when the module is loaded, and in a call."""
    return [str(FOUND), str(os.environ.get("API_KEY")), str(DRAWN), str(random.random())]
"#;

fn programs_are_loaded_once() {
    let home = Home::new().with("API_KEY", "a-key-of-somebody");
    home.write("curious.py", CURIOUS);
    home.run(["new", "curious", "--from", "curious.py"]).ok();
    let manifest = home.work().join("curious/tool.toml");
    let mut text = std::fs::read_to_string(&manifest).expect("a manifest");
    text.push_str("\n[capabilities]\nvariables = [{ name = \"API_KEY\", why = \"to look\" }]\n");
    std::fs::write(&manifest, text).expect("the manifest is written");
    home.tool("build curious").ok();
    let load = ["load", "./curious", "--allow-plain-var", "API_KEY"];
    let digest = digest(&home, "./curious");
    home.run([&load[..], &["--approve", &digest]].concat()).ok();
    let look = || {
        let said = home.tool("call curious --json").json();
        let said: Value = said["structured"].clone();
        let said: Vec<String> =
            serde_json::from_value(said.clone()).unwrap_or_else(|error| panic!("{error}: {said}"));
        said
    };
    let (first, second) = (look(), look());
    for said in [&first, &second] {
        assert_eq!(said[..2], ["a-key-of-somebody", "a-key-of-somebody"]);
    }
    // Each call draws a new number.
    assert_ne!(first[3], second[3]);
}

fn programs_have_what_they_import() {
    let home = Home::new();
    let project = home.work().join("words");
    home.write(
        "words.py",
        "from statistics import count\n\n\ndef words(text: str) -> dict[str, int]:\n    \
         '''Counts words.\n\n    Args:\n        text: The text.\n    '''\n    \
         import difflib\n    return count.words(text)\n",
    );
    home.run(["new", "words", "--from", "words.py"]).ok();
    std::fs::create_dir_all(project.join("statistics")).expect("a package");
    // It comes before the standard library's module of that name.
    home.write("words/statistics/__init__.py", "");
    home.write(
        "words/statistics/count.py",
        "import collections\n\n\ndef words(text):\n    return collections.Counter(text.split())\n",
    );
    home.write("words/unused.py", "import nothing_like_it\n");
    home.tool("build words").ok();
    load(&home, "./words", &[]);
    let said = home
        .run(["call", "words", "text=to be or not to be", "--json"])
        .json();
    let counted: Value =
        serde_json::from_str(said["structured"].as_str().unwrap_or("{}")).expect("JSON");
    assert_eq!(
        counted,
        json!({"to": 2, "be": 2, "or": 1, "not": 1}),
        "{said}"
    );
}

fn programs_that_cannot_be_loaded() {
    let home = Home::new();
    home.write("greeter.py", GREETER);
    home.run(["new", "greeter", "--from", "greeter.py"]).ok();
    for (line, said) in [
        (
            "import yaml",
            "error: greeter.py:1: there is no Python module `yaml`\n",
        ),
        (
            "open('/etc/passwd')",
            "error: greeter.py:1: Python cannot load the project: FileNotFoundError: [Errno 44] No such file",
        ),
        (
            "1 / 0",
            "error: greeter.py:1: Python cannot load the project: ZeroDivisionError",
        ),
    ] {
        home.write("greeter/greeter.py", format!("{line}\n{GREETER}"));
        let refused = home.tool("build greeter");
        assert_eq!(refused.code(), 1, "{line}");
        let stderr = refused.stderr();
        assert!(stderr.contains(said), "{line}: {stderr}");
        assert!(stderr.contains("File \"greeter.py\", line 1"), "{stderr}");
        assert!(!home.work().join("greeter/dist").exists(), "{line}");
    }
}
