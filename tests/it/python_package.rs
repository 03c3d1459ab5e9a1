//! A test of the Python package: its own tests run in a clean environment with its wheel.
//! pip builds the wheel and installs it.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use crate::public_clients::said;
use crate::support::home::{compiled_code, toolchains};
use crate::support::{Need, Test, guests, hostile, kept, modules, root, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("python_package::passes_its_own_tests", its_own_tests).needs(&[
            Need::PythonPackages,
            Need::RustGuests,
            Need::PythonGuest,
        ]),
        test("python_package::agent_frameworks_call_tools", adapters).needs(&[
            Need::PythonPackages,
            Need::RustGuests,
            Need::PythonGuest,
        ]),
    ]
}

/// The builder of wheels, in the version that builds releases.
const MATURIN: &str = "maturin==1.16.0";

/// What the package's tests take from the registry of packages.
const REQUIREMENTS: [&str; 5] = [
    "pytest==9.2.0",
    "pytest-timeout==2.4.0",
    "pillow",
    "uvloop==0.23.0",
    "wasmtime==50.0.1",
];

/// The sample tools that they call.
const GUESTS: [&str; 4] = ["calculator", "notes", "tally", "thumbnail"];

/// The sample tools that agents call, with the one that runs their code.
const AGENTS_GUESTS: [&str; 4] = ["calculator", "tally", "thumbnail", "run-python"];

fn its_own_tests() {
    let tests = root().join("python/tests");
    let adapters = format!("--ignore={}", tests.join("adapters").display());
    let environment = environment("python-package", &REQUIREMENTS);
    let hostile = [("TOOL_HUB_TEST_HOSTILE", hostile::components())];
    pytest(&environment, &GUESTS, &[&adapters], &hostile, &tests);
}

fn adapters() {
    let tests = root().join("python/tests/adapters");
    let requirements =
        std::fs::read_to_string(tests.join("requirements.txt")).expect("the requirements");
    let requirements: Vec<&str> = requirements.lines().collect();
    let environment = environment("python-adapters", &requirements);
    let options = ["-o", "asyncio_mode=auto"];
    pytest(&environment, &AGENTS_GUESTS, &options, &[], &tests);
}

/// Installs the package into `environment` and runs `tests` there.
fn pytest(
    environment: &Path,
    guests: &[&str],
    options: &[&str],
    places: &[(&str, &Path)],
    tests: &Path,
) {
    install(environment);
    let guests: Vec<PathBuf> = guests.iter().map(|name| guests::built(name)).collect();
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
        .args(options)
        .arg(tests)
        .env_remove("PYTHONPATH")
        .env("TOOL_HUB_TEST_COMMAND", env!("CARGO_BIN_EXE_tool"))
        .env("TOOL_HUB_TEST_GUESTS", built)
        .env("TOOL_HUB_TEST_TOOLCHAINS", toolchains())
        .env("TOOL_HUB_TEST_COMPILED", compiled_code())
        .envs(places.iter().copied())
        .env("HOME", place.path())
        .current_dir(place.path());
    let told = said(&mut command);
    assert!(told.contains(" passed"), "{told}");
}

/// A virtual environment with `requirements`, made once.
fn environment(name: &str, requirements: &[&str]) -> PathBuf {
    let place = kept().join(name);
    let (ready, wanted) = (place.join("ready"), requirements.join("\n"));
    if std::fs::read_to_string(&ready).is_ok_and(|made| made == wanted) {
        return place;
    }
    let mut make = Command::new("python3");
    said(make.args(["-m", "venv", "--clear"]).arg(&place));
    let mut install = Command::new(place.join("bin/python"));
    install.args(["-m", "pip", "install", "--quiet", "--no-compile"]);
    said(install.args(requirements));
    std::fs::write(ready, wanted).expect("a mark");
    place
}

/// Installs the package's wheel in place of one that was there.
fn install(environment: &Path) {
    let mut install = Command::new(environment.join("bin/python"));
    install.args(["-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]);
    install.arg("--force-reinstall");
    said(install.arg(wheel()));
}

/// The wheel that pip builds of the checkout, once a run.
fn wheel() -> &'static Path {
    static WHEEL: LazyLock<PathBuf> = LazyLock::new(|| {
        let environment = environment("python-wheel", &[MATURIN]);
        let programs = environment.join("bin");
        write_cargo(&programs.join("cargo"));
        let wheels = kept().join("wheels");
        let _ = std::fs::remove_dir_all(&wheels);
        let mut build = Command::new(programs.join("python"));
        build.args(["-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]);
        build.arg("--wheel-dir").arg(&wheels);
        build.arg(root().join("python"));
        let path = std::env::var("PATH").expect("a path of programs");
        build.env("PATH", format!("{}:{path}", programs.display()));
        // `cargo test` sets this to the real one, and maturin prefers it to the search path.
        build.env("CARGO", programs.join("cargo"));
        said(&mut build);
        let mut files = std::fs::read_dir(&wheels).expect("the wheels");
        files.next().expect("a wheel").expect("a file").path()
    });
    &WHEEL
}

/// Writes a `cargo` that builds what this run was built of, whatever it is asked to build: what a
/// wheel is made of otherwise would take as long to compile as everything here.
fn write_cargo(place: &Path) {
    let cargo = env!("CARGO");
    let manifest = root().join("Cargo.toml");
    let script = format!(
        r#"#!/bin/sh
case $1 in
build | rustc) ;;
*) exec "{cargo}" "$@" ;;
esac
exec "{cargo}" build --locked --message-format json-render-diagnostics \
    --manifest-path "{manifest}" {arguments}
"#,
        manifest = manifest.display(),
        arguments = modules::cargo_arguments().join(" "),
    );
    std::fs::write(place, script).expect("a program");
    std::fs::set_permissions(place, Permissions::from_mode(0o755)).expect("a program");
}
