//! Installs packages for Python and Node, each once, into a directory that outlives the test run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// The directory to put on `PYTHONPATH` for `requirements`, such as `mcp==2.0.0`.
#[track_caller]
pub(crate) fn python(requirements: &[&str]) -> PathBuf {
    installed("python", requirements, |place| {
        let mut command = Command::new("python3");
        // Of large packages little is imported, and compiling all of them takes longer than that.
        command
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-compile",
                "--target",
            ])
            .arg(place)
            .args(requirements);
        command
    })
}

/// A directory with `node_modules` that holds `packages`, such as `name@1.2.3`.
#[track_caller]
pub(crate) fn node(packages: &[&str]) -> PathBuf {
    installed("node", packages, |place| {
        let mut command = Command::new("npm");
        command
            .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
            .arg(place)
            .args(packages);
        command
    })
}

/// The file at `path` of the archive of `package`, such as `name@1.2.3`, which is not installed.
#[track_caller]
pub(crate) fn node_file(package: &str, path: &str) -> PathBuf {
    let place = installed("node-file", &[package], |place| {
        let mut command = Command::new("sh");
        command
            .args([
                "-c",
                "npm pack --silent \"$1\" && tar -xzf *.tgz \"$2\" && rm *.tgz",
                "sh",
            ])
            .args([package, path])
            .current_dir(place);
        command
    });
    place.join(path)
}

/// Why packages for Python cannot be installed here; nothing when they can.
pub(crate) fn python_missing() -> Option<String> {
    let place = tempfile::tempdir().expect("a temporary directory");
    let mut command = Command::new("python3");
    command
        .args(["-m", "pip", "download", "--no-deps", "--quiet", "--dest"])
        .arg(place.path())
        .arg("six==1.17.0");
    unreachable(command)
}

/// Why packages for Node cannot be installed here; nothing when they can.
pub(crate) fn node_missing() -> Option<String> {
    let mut command = Command::new("npm");
    command.args(["view", "is-number", "version"]);
    unreachable(command)
}

fn unreachable(mut command: Command) -> Option<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(format!(
            "`{program}` cannot reach its package registry: {}",
            String::from_utf8_lossy(&output.stderr)
                .lines()
                .last()
                .unwrap_or_default()
        )),
        Err(error) => Some(format!("`{program}` cannot be started: {error}")),
    }
}

/// Installs beside the place and moves it there, so that what is there is complete.
#[track_caller]
fn installed(kind: &str, packages: &[&str], install: impl FnOnce(&Path) -> Command) -> PathBuf {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let packages = packages.join(" ");
    let name = packages.replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "-");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("packages")
        .join(kind)
        .join(name);
    if place.is_dir() {
        return place;
    }
    let parent = place.parent().expect("a parent");
    std::fs::create_dir_all(parent).expect("a directory");
    let staging = tempfile::tempdir_in(parent).expect("a directory");
    let output = install(staging.path())
        .output()
        .expect("the installer starts");
    assert!(
        output.status.success(),
        "{packages} cannot be installed:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    std::fs::rename(staging.keep(), &place).expect("the place is free");
    place
}
