//! Runs the sample tools' own tests, in the languages they are written in.

use std::path::Path;
use std::process::Command;

use crate::support::{Need, Test, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("samples::rust", rust).needs(&[Need::RustGuests]),
        test("samples::python", python).needs(&[Need::PythonGuest]),
        test("samples::javascript", javascript).needs(&[Need::JavascriptGuest, Need::NodePackages]),
    ]
}

fn rust() {
    let project = guests::built(guests::RUST[0]);
    let workspace = project.parent().expect("a workspace");
    let shown = passes(
        workspace,
        &["cargo", "test", "--workspace", "--locked", "--quiet"],
    );
    let tested = shown.matches("test result: ok.").count();
    assert!(tested >= guests::RUST.len(), "{shown}");
}

fn python() {
    for name in guests::PYTHON {
        let project = guests::built(name);
        let shown = passes(&project, &["python3", "-B", "-m", "unittest"]);
        assert!(!shown.contains("Ran 0 tests"), "{shown}");
    }
}

fn javascript() {
    for name in guests::JAVASCRIPT {
        let project = guests::built(name);
        passes(&project, &["npm", "ci", "--no-audit", "--no-fund"]);
        let shown = passes(&project, &["npm", "test"]);
        assert!(!shown.contains("pass 0"), "{shown}");
    }
}

/// Runs a command that must end well; what it wrote.
#[track_caller]
fn passes(directory: &Path, command: &[&str]) -> String {
    let (program, arguments) = command.split_first().expect("a program");
    let output = Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap_or_else(|error| panic!("{program} does not start: {error}"));
    let shown = [output.stdout, output.stderr].concat();
    let shown = String::from_utf8_lossy(&shown).into_owned();
    assert!(output.status.success(), "{command:?}:\n{shown}");
    shown
}
