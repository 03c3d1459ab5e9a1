//! Tests that flip one byte at every stage between the author and the call.
//! Each time the answer is a refusal with the same exit code, and nothing runs.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::loading::load;
use crate::support::proxy::Flipping;
use crate::support::{Home, Need, RegistryProcess, Test, files, guests, test};

/// The exit code of a refusal.
const REFUSED: i32 = 3;

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("tamper::on_the_server", on_the_server).needs(&[Need::RustGuests]),
        test("tamper::on_the_wire", on_the_wire).needs(&[Need::RustGuests]),
        test("tamper::in_the_store", in_the_store).needs(&[Need::RustGuests]),
        test("tamper::in_the_lock", in_the_lock).needs(&[Need::RustGuests]),
        test("tamper::in_the_compiled_code", in_the_compiled_code).needs(&[Need::RustGuests]),
    ]
}

fn published() -> (RegistryProcess, PathBuf) {
    let registry = RegistryProcess::start();
    let author = registry.member("author");
    let project = guests::built("calculator");
    author.run(["push", "-C", &project.to_string_lossy()]).ok();
    (registry, project.join("dist/tool.wasm"))
}

/// The file below `directory` that holds exactly the bytes of `original`.
fn copy_of(original: &Path, directory: &Path) -> PathBuf {
    let bytes = fs::read(original).expect("the original");
    let found = files(directory)
        .into_iter()
        .find(|path| fs::read(path).is_ok_and(|found| found == bytes));
    found.unwrap_or_else(|| {
        panic!(
            "no copy of {} in {}",
            original.display(),
            directory.display()
        )
    })
}

fn flip(path: &Path, index: usize) {
    let mut bytes = fs::read(path).expect("a file to change");
    bytes[index] ^= 1;
    let mut permissions = fs::metadata(path).expect("a file to change").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o600);
    fs::set_permissions(path, permissions).expect("a file to change");
    fs::write(path, bytes).expect("a file to change");
}

fn on_the_server() {
    let (registry, component) = published();
    flip(
        &copy_of(&component, &registry.operator().tool_home()),
        5_000,
    );
    let user = registry.visitor();
    let refused = user.tool("load author/calculator");
    assert_eq!(refused.code(), REFUSED, "{}", refused.stderr());
    assert!(refused.stderr().contains("digest"), "{}", refused.stderr());
    assert!(!user.tool_home().join("toolbox.lock").exists());
}

fn on_the_wire() {
    let (registry, component) = published();
    let bytes = fs::read(&component).expect("the component");
    let wire = Flipping::start(registry.url(), &bytes[5_000..5_064]);
    let user = Home::new().with("HF_ENDPOINT", wire.url());
    let refused = user.tool("load author/calculator");
    assert!(
        wire.flipped(),
        "the download did not pass by:\n{}",
        refused.stderr()
    );
    assert_eq!(refused.code(), REFUSED, "{}", refused.stderr());
    assert!(!user.tool_home().join("toolbox.lock").exists());
}

fn loaded() -> (Home, PathBuf) {
    let (registry, component) = published();
    let user = registry.visitor().compiling_alone();
    load(&user, "author/calculator", &[]);
    user.run(["call", "calculator.evaluate", "expression=1+1"])
        .ok();
    (user, component)
}

#[track_caller]
fn call_is_refused(user: &Home) {
    for arguments in [
        &["call", "calculator.evaluate", "expression=1+1"][..],
        &["serve"],
        &["export"],
    ] {
        let refused = user.run(arguments);
        assert_eq!(
            refused.code(),
            REFUSED,
            "{arguments:?}\n{}\n{}",
            refused.stdout(),
            refused.stderr()
        );
        assert_eq!(refused.stdout(), "");
        assert!(refused.stderr().contains("hint:"), "{}", refused.stderr());
    }
}

fn in_the_store() {
    let (user, component) = loaded();
    let stored = copy_of(&component, &user.tool_home().join("store"));
    flip(&stored, 5_000);
    let refused = user.run(["call", "calculator.evaluate", "expression=1+1"]);
    assert_eq!(refused.code(), REFUSED, "{}", refused.stderr());
    assert_eq!(refused.stdout(), "");
}

fn in_the_lock() {
    let (user, _) = loaded();
    let lock = user.tool_home().join("toolbox.lock");
    let text = fs::read_to_string(&lock).expect("the lock");
    let start = text
        .find("component = \"sha256:")
        .expect("a pinned component")
        + 20;
    flip(&lock, start);
    call_is_refused(&user);
    fs::write(
        &lock,
        text.replace(
            "[tools.calculator.grants]",
            "[tools.calculator.grants]\nvariables = [\"HOME\"]",
        ),
    )
    .expect("the lock");
    call_is_refused(&user);
}

/// Compiled code that was changed is not used; it is made anew from the verified component.
fn in_the_compiled_code() {
    let (user, _) = loaded();
    let compiled = fs::canonicalize(user.tool_home().join("cache/compiled")).expect("the cache");
    let mut entries: Vec<(u64, PathBuf)> = files(&compiled)
        .into_iter()
        .map(|path| (fs::metadata(&path).expect("an entry").len(), path))
        .collect();
    entries.sort();
    let (bytes, entry) = entries.last().expect("an entry");
    for part in 1..8 {
        flip(entry, (*bytes as usize) * part / 8);
        let answer = user
            .run(["call", "calculator.evaluate", "expression=1+1", "--json"])
            .json();
        assert_eq!(answer["structured"]["value"], 2.0, "{answer}");
    }
}
