//! Tests of a release's parts: npm packages that start the command, an archive, checksums.
//! `cargo binstall` finds the archive, and there is a checksum of all there has to be.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

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

/// A package that stands for the one in `node/`, with what it builds in a clone.
fn write_source(place: &Path) {
    fs::create_dir_all(place.join("bin")).expect("a directory");
    let manifest = json!({
        "name": "tool-hub",
        "version": VERSION,
        "type": "module",
        "files": ["*.js", "tool-hub.node", "bin"],
        "scripts": { "prepare": "exit 1", "test": "node --test" },
    });
    fs::write(place.join("package.json"), manifest.to_string()).expect("a file");
    for name in ["index.js", "tool-hub.node", "bin/tool"] {
        fs::write(place.join(name), "").expect("a file");
    }
}

fn npm_packages_start_the_command() {
    let place = tempfile::tempdir().expect("a directory");
    let at = |name: &str| place.path().join(name);
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let (target, platform) = this_platform();
    let (source, whole, part) = (at("source"), at("whole"), at("part"));
    write_source(&source);
    let given = ["main", "--source", &text(&source), "--to", &text(&whole)];
    said(&script("npm.py", &given), Expect::Success);
    let command = env!("CARGO_BIN_EXE_tool");
    let given = [
        "platform",
        &target,
        "--command",
        command,
        "--to",
        &text(&part),
    ];
    said(&script("npm.py", &given), Expect::Success);

    let manifest = fs::read_to_string(whole.join("package.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!(manifest["scripts"], json!({ "test": "node --test" }));
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
    // The exit code is the command's, and so is what is missing.
    let launcher = app.join("node_modules/tool-hub/command.cjs");
    let start = || Command::new("node").arg(&launcher).arg("nonsense").output();
    assert_eq!(start().expect("node starts").status.code(), Some(1));
    fs::remove_dir_all(app.join("node_modules/@tool-hub")).expect("a directory");
    let lonely = said(&start().expect("node starts"), Expect::Failure);
    assert!(
        lonely.contains(&format!("expected the package {name}")),
        "{lonely}"
    );
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
    archive.arg(env!("CARGO_BIN_EXE_tool"));
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
