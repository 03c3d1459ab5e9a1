//! Tests of the `Dockerfile`: its instructions are checked, its command and health check are run.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use super::{Started, are_read, file, port_for_all, understood};
use crate::support::{Home, Test, root, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("deploy::the_dockerfile_is_sound", the_dockerfile_is_sound),
        test(
            "deploy::the_image_s_command_works",
            the_image_s_command_works,
        ),
    ]
}

/// One instruction and what follows it.
#[derive(Debug)]
struct Instruction {
    name: String,
    text: String,
}

/// Reads a Dockerfile: comments are left out, lines that end with a backslash are joined.
fn instructions() -> Vec<Instruction> {
    let text = file("Dockerfile");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let joined = lines.join("\n").replace("\\\n", " ");
    let lines = joined.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let (name, text) = line.split_once(' ').expect("an instruction and its text");
            Instruction {
                name: name.to_owned(),
                text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            }
        })
        .collect()
}

/// The last instruction of this name, which is the one that counts.
#[track_caller]
fn last(name: &str) -> String {
    let all = instructions();
    let found = all.iter().rfind(|instruction| instruction.name == name);
    found
        .unwrap_or_else(|| panic!("there is no {name}"))
        .text
        .clone()
}

/// An instruction in its exec form; no shell stands between a signal and the registry.
#[track_caller]
fn exec(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// What a container runs unless it is told otherwise, without the program.
pub(super) fn arguments() -> Vec<String> {
    assert_eq!(exec(&last("ENTRYPOINT")), ["tool"]);
    exec(&last("CMD"))
}

/// The ids that the container runs as.
pub(super) fn user() -> (i64, i64) {
    let user = last("USER");
    let (user, group) = user.split_once(':').expect("user and group");
    (user.parse().expect("an id"), group.parse().expect("an id"))
}

/// The variables of the image.
pub(super) fn variables() -> BTreeMap<String, String> {
    let all = instructions();
    let set = all.iter().filter(|instruction| instruction.name == "ENV");
    set.map(|set| set.text.split_once('=').expect("NAME=value"))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// The ports that the image names.
pub(super) fn ports() -> BTreeSet<u16> {
    let ports = last("EXPOSE");
    let ports = ports.split(' ').map(|port| port.parse().expect("a port"));
    ports.collect()
}

fn the_dockerfile_is_sound() {
    const KNOWN: [&str; 13] = [
        "FROM",
        "WORKDIR",
        "COPY",
        "RUN",
        "ENV",
        "USER",
        "VOLUME",
        "EXPOSE",
        "STOPSIGNAL",
        "HEALTHCHECK",
        "ENTRYPOINT",
        "CMD",
        "ARG",
    ];
    let all = instructions();
    assert_eq!(all[0].name, "FROM");
    let mut stages = Vec::new();
    for Instruction { name, text } in &all {
        assert!(KNOWN.contains(&name.as_str()), "{name}");
        let words: Vec<&str> = text.split(' ').collect();
        match name.as_str() {
            "FROM" => {
                let (_, tag) = words[0].split_once(':').expect("an image with a tag");
                assert_ne!(tag, "latest");
                stages.push(words.get(2).copied().unwrap_or_default());
            }
            "COPY" if words[0].starts_with("--from=") => {
                let from = words[0].trim_start_matches("--from=");
                assert!(stages[..stages.len() - 1].contains(&from), "{text}");
                assert_eq!(words[1..], ["/usr/local/bin/tool", "/usr/local/bin/tool"]);
            }
            "COPY" => assert_eq!(stages, ["build"], "only the first stage sees the sources"),
            _ => {}
        }
    }
    assert_eq!(stages, ["build", ""]);
    let build = all
        .iter()
        .find(|it| it.text.contains("cargo build"))
        .expect("a build");
    assert!(
        build.text.contains("--locked --package tool-hub-cli"),
        "{build:?}"
    );
    let manifest = std::fs::read_to_string(root().join("cli/Cargo.toml")).expect("Cargo.toml");
    assert!(manifest.contains("name = \"tool-hub-cli\"") && manifest.contains("name = \"tool\""));
    let rust = std::fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    let (_, version) = rust
        .split_once("rust-version = \"")
        .expect("a version of Rust");
    let version = version.split('"').next().expect("its end");
    assert!(
        all[0].text.starts_with(&format!("rust:{version}-")),
        "{}",
        all[0].text
    );

    let (user, group) = user();
    assert!(
        user >= 1_000 && group >= 1_000,
        "nothing in the container is root's"
    );
    let made = all
        .iter()
        .find(|it| it.text.contains("useradd"))
        .expect("a user");
    assert!(made.text.contains(&format!("--uid {user} ")), "{made:?}");
    assert!(made.text.contains(&format!("--gid {group} ")), "{made:?}");
    let variables = variables();
    are_read(variables.keys().map(String::as_str));
    let data = &variables["TOOL_HUB_REGISTRY_DATA"];
    assert_eq!(exec(&last("VOLUME")), [data.as_str()]);
    assert!(
        made.text.contains(&format!("--mode=0700 {data}")),
        "{made:?}"
    );
    assert_eq!(last("STOPSIGNAL"), "SIGTERM");
    for ignored in file("Dockerfile.dockerignore").lines() {
        let needed = ["cli", "host", "manifest", "Cargo.lock", "Cargo.toml", "wit"];
        assert!(!needed.contains(&ignored), "{ignored} is needed");
    }
}

/// Runs what the image runs, and asks it whether it is well as the image does.
fn the_image_s_command_works() {
    let arguments = arguments();
    understood(&arguments);
    let port = port_for_all(&arguments, "--listen");
    assert_eq!(
        ports(),
        [port, port_for_all(&arguments, "--metrics")].into()
    );

    let check = last("HEALTHCHECK");
    let (_, check) = check.split_once("CMD ").expect("a command");
    let check = exec(check);
    let home = Home::new();
    let data = home.work().join("data");
    let home = home.with("TOOL_HUB_REGISTRY_DATA", &data.to_string_lossy());
    let registry = Started::with(&home, &arguments);
    let well = |port: &str, path: &str| {
        let script = check[2]
            .replace("8080", port)
            .replace("/health/ready", path);
        assert_ne!(script, check[2], "the check asks for the port and the path");
        let asked = Command::new(&check[0]).args([&check[1], &script]).output();
        asked.expect("the check starts").status.success()
    };
    assert!(well(registry.port(), "/health/ready"));
    assert!(
        !well(registry.port(), "/nothing"),
        "what is not well is seen"
    );
    assert!(data.join("registry.sqlite").exists());
    drop(registry);
    assert!(!well("1", "/health/ready"), "nobody is there");
}
