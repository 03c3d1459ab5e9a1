//! A test of the Python package: builds its module, installs it into a clean virtual environment,
//! and runs the package's own tests there.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::public_clients::said;
use crate::support::{Need, Test, guests, kept, root, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("python_package::passes_its_own_tests", its_own_tests)
            .needs(&[Need::PythonPackages, Need::RustGuests]),
    ]
}

/// What the package's tests take from the registry of packages.
const REQUIREMENTS: [&str; 4] = [
    "pytest==9.2.0",
    "pytest-timeout==2.4.0",
    "pillow",
    "wasmtime==50.0.1",
];

/// The sample tools that they call.
const GUESTS: [&str; 4] = ["calculator", "notes", "tally", "thumbnail"];

fn its_own_tests() {
    let environment = environment();
    install(&environment);
    let guests: Vec<PathBuf> = GUESTS.iter().map(|name| guests::built(name)).collect();
    let built = guests[0].ancestors().nth(2).expect("the copies");
    let place = tempfile::tempdir().expect("a directory");
    let mut command = Command::new(environment.join("bin/python"));
    command
        .args([
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--timeout=300",
        ])
        .arg(root().join("python/tests"))
        .env_remove("PYTHONPATH")
        .env("TOOL_HUB_TEST_COMMAND", env!("CARGO_BIN_EXE_tool"))
        .env("TOOL_HUB_TEST_GUESTS", built)
        .env("HOME", place.path())
        .current_dir(place.path());
    let told = said(&mut command);
    assert!(told.contains(" passed"), "{told}");
}

/// A virtual environment with what the tests need, made once.
fn environment() -> PathBuf {
    let place = kept().join(format!("python-package-{}", REQUIREMENTS.join("-")));
    if place.join("ready").is_file() {
        return place;
    }
    let mut make = Command::new("python3");
    said(make.args(["-m", "venv", "--clear"]).arg(&place));
    let mut install = Command::new(place.join("bin/python"));
    install.args(["-m", "pip", "install", "--quiet"]);
    said(install.args(REQUIREMENTS));
    std::fs::write(place.join("ready"), "").expect("a mark");
    place
}

/// Installs the package as its wheel does. The module is built with the features of this very run:
/// to build a wheel would compile every dependency once more, with others.
fn install(environment: &Path) {
    let mut build = Command::new(env!("CARGO"));
    // With an example, because examples see the dependencies of tests: without one those would not
    // count, and what they have in common with others would be compiled with other features.
    build.args([
        "build",
        "--locked",
        "--workspace",
        "--lib",
        "--example",
        "embed",
    ]);
    if cfg!(feature = "opentelemetry") {
        build.args(["--features", "tool-hub-cli/opentelemetry"]);
    }
    said(build.current_dir(root()));
    let command = Path::new(env!("CARGO_BIN_EXE_tool"));
    let mut install = Command::new(environment.join("bin/python"));
    install
        .arg(root().join("python/backend/installed.py"))
        .arg(command)
        .arg(command.with_file_name("lib_native.so"));
    said(&mut install);
}
