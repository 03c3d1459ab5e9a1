//! Tests of a release's parts: npm packages that start the command, an archive, checksums.
//! `cargo binstall` finds the archive, the crates exist, and each file has a checksum.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{Expect, platforms, said, script};
use crate::support::{Need, Test, root, test};

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) fn tests() -> Vec<Test> {
    vec![
        test(
            "deploy::npm_packages_start_the_command",
            npm_packages_start_the_command,
        )
        .needs(&[Need::LinuxPython, Need::NodePackages]),
        test(
            "deploy::a_release_builds_crates_that_exist",
            a_release_builds_crates_that_exist,
        ),
        test(
            "deploy::binstall_finds_the_archive",
            binstall_finds_the_archive,
        )
        .needs(&[Need::LinuxPython]),
        test(
            "deploy::a_release_is_whole_or_has_no_checksums",
            a_release_is_whole_or_has_no_checksums,
        )
        .needs(&[Need::LinuxPython]),
    ]
}

/// The platform that these tests run on, and its target.
#[track_caller]
fn this_platform() -> (String, Value) {
    let told = Command::new("rustc")
        .arg("-vV")
        .output()
        .expect("rustc starts");
    let told = String::from_utf8(told.stdout).expect("text");
    let host = told
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .expect("a host");
    let found = platforms()
        .into_iter()
        .find(|platform| platform["target"] == host);
    (
        host.to_owned(),
        found.unwrap_or_else(|| panic!("no release is built for {host}")),
    )
}

fn npm(directory: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("npm");
    let home = directory.join("home");
    command
        .args(arguments)
        .current_dir(directory)
        .env("HOME", home);
    let ran = command.output().expect("npm starts");
    said(&ran, Expect::Success);
    String::from_utf8(ran.stdout).expect("text")
}

/// Writes a program that stands for the command, which is large without optimisation.
fn write_command(place: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let command = place.join("tool");
    let does = format!("[ \"$1\" = --version ] && echo 'tool {VERSION}' || exit 3");
    fs::write(&command, format!("#!/bin/sh\n{does}\n")).expect("a file");
    fs::set_permissions(&command, fs::Permissions::from_mode(0o755)).expect("a file");
    command
}

fn npm_packages_start_the_command() {
    let place = tempfile::tempdir().expect("a directory");
    let at = |name: &str| place.path().join(name);
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let (target, platform) = this_platform();
    let (whole, part, module) = (at("whole"), at("part"), at("module"));
    said(
        &script("npm.py", &["main", "--to", &text(&whole)]),
        Expect::Success,
    );
    // The command is started without loading the module.
    fs::write(&module, "").expect("a file");
    let command = text(&write_command(place.path()));
    let given = [
        "--command",
        &command,
        "--module",
        &text(&module),
        "--to",
        &text(&part),
    ];
    let given = [&["platform", &target], given.as_slice()].concat();
    said(&script("npm.py", &given), Expect::Success);

    let manifest = fs::read_to_string(whole.join("package.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    let scripts = manifest["scripts"].as_object().expect("scripts");
    assert!(scripts.keys().all(|name| name == "test"), "{scripts:?}");
    let optional = manifest["optionalDependencies"]
        .as_object()
        .expect("packages");
    assert_eq!(optional.len(), platforms().len());
    let name = format!(
        "@tool-hub/{}",
        platform["npm"]["name"].as_str().expect("a name")
    );
    assert_eq!(optional[&name], VERSION);
    assert!(!whole.join("tool-hub.node").exists() && !whole.join("bin").exists());

    let app = at("app");
    fs::create_dir(&app).expect("a directory");
    let packed: Vec<PathBuf> = [&part, &whole]
        .map(|package| {
            let name = npm(&app, &["pack", "--silent", &text(package)]);
            app.join(name.trim())
        })
        .into();
    fs::write(app.join("package.json"), "{}").expect("a file");
    let [part, whole] = [&packed[0], &packed[1]].map(|path| text(path));
    npm(
        &app,
        &[
            "install",
            "--offline",
            "--no-audit",
            "--no-fund",
            &part,
            &whole,
        ],
    );
    for name in ["tool", "tool-hub"] {
        let said = npm(
            &app,
            &["exec", "--offline", "--no", "--", name, "--version"],
        );
        assert_eq!(said, format!("tool {VERSION}\n"), "{name}");
    }
    let launcher = app.join("node_modules/tool-hub/bin.js");
    let start = || Command::new("node").arg(&launcher).arg("nonsense").output();
    assert_eq!(start().expect("node starts").status.code(), Some(3));
    fs::remove_dir_all(app.join("node_modules/@tool-hub")).expect("a directory");
    let lonely = said(&start().expect("node starts"), Expect::Failure);
    assert!(
        lonely.contains(&format!("{name} cannot be loaded")),
        "{lonely}"
    );
}

fn a_release_builds_crates_that_exist() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("a file");
    let script = crate::deploy::file("release/build.py");
    for (directory, name) in [("cli", "tool-hub-cli"), ("node", "tool-hub-node")] {
        assert!(script.contains(&format!("\"{name}\"")), "{name}");
        let manifest = read(&format!("{directory}/Cargo.toml"));
        assert!(manifest.contains(&format!("name = \"{name}\"\n")), "{name}");
    }
    assert!(script.contains("\"python\" / \"Cargo.toml\""));
    assert!(root().join("python/Cargo.toml").exists());
    // The directory from which the wheel's own build takes the command as well.
    let data = "tool_hub._native.data";
    assert!(script.contains(data) && read("python/backend/tool_hub_backend.py").contains(data));
    let library = read("node/Cargo.toml").contains("name = \"tool_hub_node\"\n");
    let platforms = crate::deploy::file("release/platforms.py");
    assert!(library && platforms.contains("libtool_hub_node.so"));
    assert!(read("Cargo.toml").contains("\n[profile.dist]\n") && script.contains("\"dist\""));
}

fn binstall_finds_the_archive() {
    let place = tempfile::tempdir().expect("a directory");
    let (target, _) = this_platform();
    let code = "import pathlib, sys; sys.path.insert(0, sys.argv[1]); import build, platforms; \
                made = build.Build(platforms.named(sys.argv[2]), sys.argv[3]); \
                made.archive(pathlib.Path(sys.argv[4]))";
    let mut archive = Command::new("python3");
    archive
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .args(["-c", code]);
    archive
        .arg(root().join("deploy/release"))
        .arg(&target)
        .arg(place.path());
    let built = tempfile::tempdir().expect("a directory");
    archive.arg(write_command(built.path()));
    said(&archive.output().expect("python3 starts"), Expect::Success);

    let manifest = fs::read_to_string(root().join("cli/Cargo.toml")).expect("a manifest");
    let manifest: toml_edit::DocumentMut = manifest.parse().expect("TOML");
    let binstall = &manifest["package"]["metadata"]["binstall"];
    let filled = |key: &str| {
        let template = binstall[key].as_str().expect("a template");
        let values = [
            ("version", VERSION),
            ("target", &target),
            ("bin", "tool"),
            ("binary-ext", ""),
        ];
        values
            .iter()
            .fold(template.to_owned(), |text, (name, value)| {
                text.replace(&format!("{{ {name} }}"), value)
            })
    };
    assert_eq!(binstall["pkg-fmt"].as_str(), Some("tgz"));
    let url = filled("pkg-url");
    let name = url.strip_prefix(&format!("{{ repo }}/releases/download/v{VERSION}/"));
    let unpacked = Command::new("tar")
        .args([
            "--extract",
            "--file",
            name.expect("below the tag"),
            &filled("bin-dir"),
        ])
        .current_dir(place.path())
        .output();
    said(&unpacked.expect("tar starts"), Expect::Success);
    let started = Command::new(place.path().join("tool"))
        .arg("--version")
        .output();
    let started = started.expect("the command starts").stdout;
    assert_eq!(
        String::from_utf8_lossy(&started),
        format!("tool {VERSION}\n")
    );
}

fn a_release_is_whole_or_has_no_checksums() {
    let place = tempfile::tempdir().expect("a directory");
    let at = |name: &str| place.path().join(name);
    let directory = place.path().to_str().expect("UTF-8");
    let mut names = vec![format!("tool-hub-{VERSION}.tgz")];
    for platform in platforms() {
        let text = |value: &Value| value.as_str().map(str::to_owned).expect("text");
        let (target, npm) = (text(&platform["target"]), text(&platform["npm"]["name"]));
        let tag = text(&platform["wheel"]["tag"]).replace('*', "_1_2_");
        names.push(format!("tool-{VERSION}-{target}.tar.gz"));
        names.push(format!("tool-hub-{npm}-{VERSION}.tgz"));
        names.push(format!("tool_hub-{VERSION}-cp310-abi3-{tag}.whl"));
    }
    for name in &names[1..] {
        fs::write(at(name), name).expect("a file");
    }
    let missing = said(&script("checksums.py", &[directory]), Expect::Failure);
    assert!(
        missing.contains(&names[0]) && !at("SHA256SUMS").exists(),
        "{missing}"
    );
    fs::write(at(&names[0]), "").expect("a file");
    fs::write(at("more"), "").expect("a file");
    let more = said(&script("checksums.py", &[directory]), Expect::Failure);
    assert!(
        more.contains("found more") && !at("SHA256SUMS").exists(),
        "{more}"
    );
    fs::remove_file(at("more")).expect("a file");
    said(&script("checksums.py", &[directory]), Expect::Success);
    let check = Command::new("sha256sum")
        .args(["--check", "--strict", "SHA256SUMS"])
        .current_dir(place.path())
        .output()
        .expect("sha256sum starts");
    said(&check, Expect::Success);
    let checked = String::from_utf8(check.stdout).expect("text");
    assert_eq!(
        checked
            .lines()
            .filter(|line| line.ends_with(": OK"))
            .count(),
        names.len()
    );
}
