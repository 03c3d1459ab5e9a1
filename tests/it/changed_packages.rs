//! Packages that change after somebody has them: on the disk that they were loaded from, and by
//! a version that is lower than the newest.

use crate::foreign::{adder_with, load_adder};
use crate::journey::{digest, load};
use crate::support::{Home, RegistryProcess, Test, test};
use crate::toolbox::{package, says};

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
