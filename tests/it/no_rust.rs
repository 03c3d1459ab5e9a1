//! Tests on machines that cannot build Rust: builds fail with advice, our own tests are skipped.
//! The demo takes Python there.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use crate::demo::goes_the_whole_way;
use crate::support::ran::check;
use crate::support::{Home, Need, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("no_rust::the_demo_takes_python", the_demo_takes_python).needs(&[Need::PythonGuest]),
        test("no_rust::a_build_says_what_to_do", a_build_says_what_to_do),
        test(
            "no_rust::a_build_without_rust_says_so",
            a_build_without_rust_says_so,
        ),
        test(
            "no_rust::tests_that_cannot_run_are_ignored_loudly",
            tests_that_cannot_run_are_ignored_loudly,
        ),
    ]
}

/// Puts a compiler without the target, and a rustup that cannot add it, into `directory`.
fn write_toolchain(directory: &Path) {
    let missing = directory.join("lib/rustlib/wasm32-wasip2/lib");
    let rustc = format!("echo {}", missing.display());
    let rustup = "echo 'error: could not download the component rust-std' >&2; exit 1";
    std::fs::create_dir_all(directory).expect("a directory");
    for (name, does) in [("rustc", rustc.as_str()), ("rustup", rustup)] {
        let program = directory.join(name);
        std::fs::write(&program, format!("#!/bin/sh\n{does}\n")).expect("a program");
        std::fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("a program");
    }
}

/// The machine's programs, those of `directory` first.
fn path_with(directory: &Path) -> String {
    let programs = std::env::var("PATH").expect("the machine has programs");
    format!("{}:{programs}", directory.display())
}

/// A person at a machine with a compiler and without the target.
fn home() -> Home {
    let home = Home::new();
    let toolchain = home.path().join("toolchain");
    write_toolchain(&toolchain);
    home.with("PATH", &path_with(&toolchain))
}

fn the_demo_takes_python() {
    let ran = home().tool("demo");
    goes_the_whole_way(&ran);
    let said = ran.stderr();
    assert!(
        said.contains(
            "warning: the Rust target wasm32-wasip2 is missing and cannot be added; the demo takes Python instead\n"
        ),
        "{said}"
    );
    assert!(
        said.contains("$ tool new greeter --lang python\n"),
        "{said}"
    );
}

fn a_build_says_what_to_do() {
    let home = home();
    home.tool("new greeter --lang rust").ok();
    check("no_target", &home.tool("build greeter"), 1);
    assert!(!home.work().join("greeter/dist").exists());
}

fn a_build_without_rust_says_so() {
    let home = Home::new();
    let nothing = home.path().join("programs");
    std::fs::create_dir(&nothing).expect("a directory");
    let home = home.with("PATH", &nothing.to_string_lossy());
    home.tool("new greeter --lang rust").ok();
    check("no_rust", &home.tool("build greeter"), 1);
    assert!(!home.work().join("greeter/dist").exists());
}

/// This very program, started anew at such a machine for one test.
fn rerun(name: &str) -> Output {
    let toolchain = tempfile::tempdir().expect("a directory");
    write_toolchain(toolchain.path());
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", name, "--color", "never"])
        .env("PATH", path_with(toolchain.path()))
        .output()
        .expect("this program starts again")
}

fn tests_that_cannot_run_are_ignored_loudly() {
    let ignored = rerun("journey::rust");
    let (stdout, stderr) = texts(&ignored);
    assert!(ignored.status.success(), "{stdout}{stderr}");
    assert_eq!(
        stderr,
        "SKIPPED journey::rust: the Rust target wasm32-wasip2 is missing and cannot be added\n"
    );
    assert!(
        stdout.contains("test journey::rust ... ignored\n"),
        "{stdout}"
    );
    assert!(stdout.contains("0 passed; 0 failed; 1 ignored"), "{stdout}");

    let ran = rerun("foreign::loaded_under_a_name");
    let (stdout, stderr) = texts(&ran);
    assert!(ran.status.success(), "{stdout}{stderr}");
    assert_eq!(stderr, "", "what can run is not complained about");
    assert!(stdout.contains("1 passed; 0 failed; 0 ignored"), "{stdout}");
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}
