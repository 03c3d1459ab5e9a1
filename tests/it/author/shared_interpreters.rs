//! Tests of tools that take the interpreter of another author's package, made on another machine.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::{Home, Need, RegistryProcess, Test, test};

use super::edit;
use super::programs::GREETER;

pub(super) fn tests() -> Vec<Test> {
    vec![
        test(
            "author::two_authors_share_an_interpreter",
            two_authors_share_an_interpreter,
        )
        .needs(&[Need::PythonGuest]),
        test(
            "author::an_interpreter_of_another_kind_is_refused",
            an_interpreter_of_another_kind_is_refused,
        )
        .needs(&[Need::PythonGuest, Need::JavascriptGuest]),
    ]
}

/// The most bytes that the second tool takes to fetch.
const FETCHED_BYTES_MAX: u64 = 100_000;

/// Makes a project of one file of functions.
#[track_caller]
fn project(home: &Home, name: &str, ending: &str, text: &str) {
    let file = format!("{name}.{ending}");
    home.write(&file, text);
    home.run(["new", name, "--from", &file]).ok();
}

/// The digest of the interpreter in what `tool build --json` says.
#[track_caller]
fn interpreter(built: &Value) -> String {
    let digest = built["interpreter"].as_str();
    digest.unwrap_or_else(|| panic!("{built}")).to_owned()
}

/// True for what a machine has that has made no interpreter yet.
fn is_no_interpreter(toolchain: &str) -> bool {
    !toolchain.ends_with(".wasm")
}

/// The files in the store of `home`.
fn blobs(home: &Home) -> Vec<PathBuf> {
    let files = home.files().into_iter();
    files
        .filter(|it| it.display().to_string().contains("/blobs/"))
        .collect()
}

/// The number of bytes in the store of `home`.
fn stored(home: &Home) -> u64 {
    let bytes = |it: PathBuf| it.metadata().map_or(0, |it| it.len());
    blobs(home).into_iter().map(bytes).sum()
}

fn two_authors_share_an_interpreter() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    project(&ada, "weather", "py", GREETER);
    let shared = interpreter(&ada.tool("build weather --json").json());
    ada.tool("push -C weather").ok();

    let bob = registry.member("bob");
    bob.keep_toolchains(is_no_interpreter);
    let parting = GREETER.replace("Hello", "Goodbye");
    project(&bob, "parting", "py", &parting);
    let own = interpreter(&bob.tool("build parting --json").json());
    assert_ne!(own, shared, "the machines made the same bytes");

    // It is shown, and taken by its digest only.
    let manifest = std::fs::read_to_string(bob.work().join("parting/tool.toml")).expect("a text");
    let naming = "build parting --json --interpreter ada/weather";
    for (flags, said) in [
        (String::new(), "is not approved, and nobody is there to ask"),
        (format!("--approve {own}"), "the approval names sha256:"),
    ] {
        let refused = bob.tool(&format!("{naming} {flags}"));
        says(&refused, 3, said);
        says(&refused, 3, "  package      weather 0.1.0\n");
        says(&refused, 3, "  publisher    ada");
        says(&refused, 3, &format!("  interpreter  {shared}, "));
        says(&refused, 3, "  made as      python-interpreter ");
        assert!(!bob.work().join("parting/interpreter.lock").exists());
        let now = std::fs::read_to_string(bob.work().join("parting/tool.toml")).expect("a text");
        assert_eq!(now, manifest);
    }
    let built = bob.tool(&format!("{naming} --approve {shared}")).json();
    assert_eq!(interpreter(&built), shared);
    let named = std::fs::read_to_string(bob.work().join("parting/tool.toml")).expect("a text");
    assert!(named.contains("interpreter = \"ada/weather\"\n"), "{named}");

    // From then on nothing is asked, by any command, and nothing is made.
    assert_eq!(
        interpreter(&bob.tool("build parting --json").json()),
        shared
    );
    let said = bob
        .run(["dev", "parting", "--once", "--call", "name=Bob"])
        .ok();
    assert!(said.ends_with("\nGoodbye, Bob!\n"), "{said}");
    bob.tool("push -C parting").ok();

    // A user has it once, and hears whose it is.
    let user = registry.visitor();
    load(&user, "ada/weather", &[]);
    let bytes = stored(&user);
    let loaded = user.tool("inspect bob/parting --json").json();
    assert_eq!(
        loaded["inspection"]["interpreter"]["digest"].as_str(),
        Some(shared.as_str())
    );
    let digest = loaded["digest"].as_str().expect("a digest").to_owned();
    let loaded = user.run(["load", "bob/parting", "--approve", &digest]);
    says(
        &loaded,
        0,
        "its interpreter is the one that you approved with `weather`",
    );
    let more = stored(&user) - bytes;
    assert!(0 < more && more < FETCHED_BYTES_MAX, "{more}");
    assert_eq!(user.tool("call parting name=Ada").ok(), "Goodbye, Ada!\n");
    assert_eq!(user.tool("call weather name=Ada").ok(), "Hello, Ada!\n");

    // Without the package at hand the locked version is pulled, which is no longer the newest.
    edit(&ada, "weather/tool.toml", "0.1.0", "0.2.0");
    ada.tool("build weather").ok();
    ada.tool("push -C weather").ok();
    for file in blobs(&bob) {
        std::fs::remove_file(file).expect("a file of the store");
    }
    let again = bob.tool("build parting --json").json();
    assert_eq!(again["digest"], built["digest"]);
    assert!(stored(&bob) > 0);

    // The lock pins these bytes, and no others.
    edit(&bob, "parting/interpreter.lock", &shared, &own);
    let refused = bob.tool("build parting");
    says(
        &refused,
        3,
        &format!("interpreter.lock pins the interpreter {own} of"),
    );
    says(
        &refused,
        3,
        "hint: look at the other one and take it with: tool build --interpreter",
    );
    std::fs::remove_file(bob.work().join("parting/interpreter.lock")).expect("the lock");
    let refused = bob.tool("dev parting --once");
    says(
        &refused,
        1,
        "interpreter.lock does not pin the interpreter of `ada/weather`",
    );
    says(&bob.tool("build parting"), 3, "nobody is there to ask");
}

fn an_interpreter_of_another_kind_is_refused() {
    let home = Home::new();
    project(&home, "greeter", "py", GREETER);
    let first = interpreter(&home.tool("build greeter --json").json());
    let twice = "/**\n * Doubles.\n * @param {number} it - A number.\n * @returns {number} Twice it.\n \
                 */\nexport function twice(it) {\n  \
                 return 2 * it;\n}\n";
    project(&home, "twice", "js", twice);
    let refused = home.tool("build twice --interpreter ../greeter");
    says(
        &refused,
        1,
        "error: the interpreter of `../greeter` is python-interpreter ",
    );
    says(&refused, 1, "; this build needs javascript-interpreter ");
    says(&refused, 1, "hint: name a package of such an interpreter");

    // A package of another language, and one of none.
    home.tool("build twice").ok();
    project(&home, "parting", "py", &GREETER.replace("Hello", "Goodbye"));
    let refused = home.tool("build parting --interpreter ../twice");
    says(&refused, 1, "is javascript-interpreter ");
    let wrong = "[build]\ninterpreter = \"../nowhere\"";
    edit(&home, "parting/tool.toml", "[build]", wrong);
    says(&home.tool("build parting"), 1, "nowhere");

    // A directory is pinned as well: another interpreter in it is not taken unseen.
    let naming = "build parting --json --interpreter ../greeter --approve";
    let built = home.tool(&format!("{naming} {first}")).json();
    assert_eq!(interpreter(&built), first);
    home.keep_toolchains(is_no_interpreter);
    home.tool("build greeter").ok();
    let refused = home.tool("build parting");
    says(
        &refused,
        3,
        &format!("interpreter.lock pins the interpreter {first} of `../greeter`"),
    );

    // What is compiled takes none.
    home.tool("new native --lang c").ok();
    let said = "error: no interpreter runs this tool: its language is compiled";
    says(&home.tool("build native --interpreter ../greeter"), 1, said);
    edit(&home, "native/tool.toml", "[build]", wrong);
    let said = "names an `interpreter`, and the tool is run by none: its language is compiled";
    says(&home.tool("build native"), 1, said);
}
