//! A test of the example program that pulls a tool and runs it in the sandbox, all in one process.
//! It embeds the registry's client and the host.

use std::path::Path;
use std::process::Command;

use crate::support::{Need, RegistryProcess, Test, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![test("embed::pulls_inspects_approves_loads_and_calls", embed).needs(&[Need::RustGuests])]
}

fn embed() {
    let registry = RegistryProcess::start();
    let project = guests::built("calculator");
    registry
        .member("author")
        .run(["push", "-C", &project.to_string_lossy()])
        .ok();
    let store = tempfile::tempdir().expect("a directory");
    // `cargo test` builds a package's examples beside its binary.
    let program = Path::new(env!("CARGO_BIN_EXE_tool"))
        .with_file_name("examples")
        .join("embed");
    let output = Command::new(program)
        .args([registry.url(), "author/calculator"])
        .arg(store.path())
        .args(["evaluate", r#"{"expression": "6 * 7"}"#])
        .output()
        .expect("the example starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        said.contains("calculator 0.1.0 wants []") && said.contains("42"),
        "{said}"
    );
}
