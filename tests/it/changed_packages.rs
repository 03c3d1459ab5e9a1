//! Tests of packages that change after they were loaded: on disk, or to another version.
//! The other version is lower than the newest, or has more functions, and agents may go on calling
//! the first one by the name that they know.

use serde_json::{Value, json};

use crate::support::adder::{adder_with, load_adder, package};
use crate::support::loading::{digest, load};
use crate::support::ran::says;
use crate::support::{Client, Home, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "changed_packages::a_package_that_changed_on_disk",
            a_package_that_changed_on_disk,
        ),
        test(
            "changed_packages::a_component_that_changed_on_disk",
            a_component_that_changed_on_disk,
        ),
        test(
            "changed_packages::a_lower_version_is_pushed",
            a_lower_version_is_pushed,
        ),
        test(
            "changed_packages::a_name_that_agents_know_stays",
            a_name_that_agents_know_stays,
        ),
    ]
}

/// What was approved runs until somebody takes the package that is on the disk instead.
fn a_package_that_changed_on_disk() {
    let home = Home::new();
    package(&home, "one", |_| ());
    load(&home, "./one", &[]);
    let current = home.tool("update");
    says(&current, 0, "one: current at 0.0.0");
    let called = home.tool("call one.add a=1 b=2");
    assert_eq!((called.code(), called.stderr()), (0, String::new()));

    // By its path too: these bytes are approved.
    assert_eq!(home.tool("call ./one add a=1 b=2").ok(), "3\n");

    package(&home, "one", |manifest| {
        manifest.description = "Adds, and says so.".to_owned();
    });
    let called = home.tool("call one.add a=1 b=2");
    says(&called, 0, "warning: `one` runs as you approved it");
    says(
        &called,
        0,
        "hint: look at the new one and take it with: tool update one",
    );
    says(&home.tool("call ./one add a=1 b=2"), 3, "is not approved");
    let asked = home.tool("update one");
    says(&asked, 3, "+ description: Adds, and says so.");
    says(&asked, 3, "error: `one` is not approved");
    let digest = digest(&home, "./one");
    let taken = home.run(["update", "one", "--approve", &digest]);
    says(&taken, 0, "one: updated at 0.0.0");
    assert_eq!(home.tool("call one.add a=1 b=2").stderr(), "");

    std::fs::remove_dir_all(home.work().join("one")).expect("the package");
    says(
        &home.tool("update"),
        0,
        "one: nothing is at its path; stays at 0.0.0",
    );
    assert_eq!(home.tool("call one.add a=1 b=2").ok(), "3\n");
}

fn a_component_that_changed_on_disk() {
    let home = Home::new();
    load_adder(&home, "plus");
    home.write("adder.wasm", adder_with("(core module)"));
    let called = home.tool("call plus.add a=1 b=2");
    says(&called, 0, "tool update plus");
    says(
        &home.tool("update plus"),
        3,
        "error: `plus` is not approved",
    );
}

/// A lower version than the newest is published, and the author told who gets it.
fn a_lower_version_is_pushed() {
    let registry = RegistryProcess::start();
    let author = registry.member("author");
    let push = |version: &str, more: &[&str]| {
        package(&author, "one", |manifest| {
            manifest.version = version.parse().expect("a version");
        });
        author.run([&["push", "author/one", "-C", "one"], more].concat())
    };
    let first = push("0.1.0", &[]);
    assert!(!first.stderr().contains("warning"), "{}", first.stderr());
    for more in [&["--dry-run"][..], &[]] {
        let lower = push("0.0.9", more);
        says(
            &lower,
            0,
            "warning: 0.0.9 is lower than 0.1.0, the newest version of author/one",
        );
        says(&lower, 0, "tool load author/one@0.0.9");
    }
    assert!(!push("0.2.0", &[]).stderr().contains("warning"));
}

/// A component whose functions return the number that they are given.
fn climber(functions: &[&str]) -> Vec<u8> {
    let exports: String = functions
        .iter()
        .map(|name| format!("(export \"{name}\" (func $f))"))
        .collect();
    let text = format!(
        r#"(component
            (core module $m (func (export "f") (param i32) (result i32) (local.get 0)))
            (core instance $i (instantiate $m))
            (func $f (param "height" u32) (result u32) (canon lift (core func $i "f")))
            {exports})"#
    );
    wat::parse_str(text).expect("a component")
}

/// The only function of a tool is called by the tool's name, also after it got company.
fn a_name_that_agents_know_stays() {
    let home = Home::new();
    let updated = |functions: &[&str]| {
        home.write("climber.wasm", climber(functions));
        let digest = digest(&home, "climber.wasm");
        home.run(["update", "climber", "--approve", &digest]).ok();
    };
    let called = |name: &str| -> Option<Value> {
        let mut client = Client::start(home.command(["serve"]));
        let params = json!({"name": name, "arguments": {"height": 8}});
        let mut answer = client.ask("tools/call", params);
        let is_answer = answer["isError"] != json!(true) && answer.is_object();
        is_answer.then(|| answer["content"][0]["text"].take())
    };
    home.write("climber.wasm", climber(&["climb"]));
    load(&home, "climber.wasm", &[]);
    assert_eq!(called("climber"), Some(json!("8")));

    updated(&["climb", "descend"]);
    let mut client = Client::start(home.command(["serve"]));
    assert_eq!(client.tools(), ["climber__climb", "climber__descend"]);
    client.leave();
    for name in ["climber", "climber__climb", "climber__descend"] {
        assert_eq!(called(name), Some(json!("8")), "{name}");
    }
    assert_eq!(home.tool("call climber height=8").ok(), "8\n");

    // A further version changes nothing, and one without the function gives the name to none.
    updated(&["climb", "descend", "rest"]);
    assert_eq!(called("climber"), Some(json!("8")));
    updated(&["descend", "rest"]);
    assert_eq!(called("climber"), None);
    says(
        &home.tool("call climber height=8"),
        1,
        "`climber` has several functions; say which one",
    );
}
