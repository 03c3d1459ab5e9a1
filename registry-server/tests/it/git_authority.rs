//! A test that the ids of blobs, trees and commits are those git itself computes.
//!
//! The test makes the same history twice: on the registry through its protocol, and with `git` in a
//! directory.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::support::{TestRegistry, deletion, header};

/// Names whose order as a file differs from their order as a directory, and others git treats
/// specially.
const FIRST: &[(&str, &[u8])] = &[
    ("a.txt", b"file beside a directory"),
    ("a/b/c.txt", b"deep"),
    ("a/b.txt", b"b"),
    ("a-b", b"before the slash"),
    ("a0", b"after the slash"),
    ("\u{fc}n\u{ef}code/\u{1f980}.bin", b"\x00\xff"),
    ("empty", b""),
];
const SECOND: &[(&str, &[u8])] = &[("a/b/c.txt", b"changed"), ("new/file", b"new")];

#[tokio::test]
async fn git_agrees_on_every_id() {
    let found = Command::new("git")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    if !found {
        // Shown by the test runner only with --nocapture, so the fixed ids of the unit tests are
        // the net below this one.
        #[allow(clippy::print_stderr, reason = "a skipped test must say so")]
        let () = eprintln!("SKIPPED git_agrees_on_every_id: there is no git on this machine");
        return;
    }
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    hub.commit("alice/tool", "first\n\nwith a body", FIRST)
        .await;
    hub.commit("alice/tool", "second", SECOND).await;
    let response = hub
        .send_commit(
            "alice/tool",
            header("third") + &deletion("deletedFolder", "a/"),
        )
        .await;
    assert_eq!(response.status(), 200);

    let work = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str], date: &str| git(work.path(), arguments, date);
    git(&["init", "-q"], "");
    git(&["config", "core.autocrlf", "false"], "");
    // The attributes file of the registry marks some files as binary; it must not change what git
    // stores.
    let attributes = hub
        .get("/alice/tool/resolve/main/.gitattributes")
        .await
        .bytes()
        .await
        .unwrap();
    std::fs::write(work.path().join(".gitattributes"), &attributes).unwrap();

    let commits = hub.get_json("/api/models/alice/tool/commits/main").await;
    let commits: Vec<&Value> = commits.as_array().unwrap().iter().rev().collect();
    assert_eq!(commits.len(), 4);
    for (at, commit) in commits.iter().enumerate() {
        match at {
            1 => write_files(work.path(), FIRST),
            2 => write_files(work.path(), SECOND),
            3 => std::fs::remove_dir_all(work.path().join("a")).unwrap(),
            _ => {}
        }
        let seconds = OffsetDateTime::parse(commit["date"].as_str().unwrap(), &Rfc3339)
            .unwrap()
            .unix_timestamp();
        let message = match commit["message"].as_str().unwrap() {
            "" => format!("{}\n", commit["title"].as_str().unwrap()),
            body => format!("{}\n\n{body}\n", commit["title"].as_str().unwrap()),
        };
        let date = format!("{seconds} +0000");
        git(&["add", "-A"], &date);
        git(
            &[
                "commit",
                "-q",
                "--allow-empty",
                "--cleanup=verbatim",
                "-m",
                &message,
            ],
            &date,
        );
        let head = git(&["rev-parse", "HEAD"], "");
        assert_eq!(head.trim(), commit["id"].as_str().unwrap(), "commit {at}");

        let path = format!("/api/models/alice/tool/tree/{}?recursive=true", head.trim());
        for entry in hub.get_json(&path).await.as_array().unwrap() {
            let object = format!("HEAD:{}", entry["path"].as_str().unwrap());
            assert_eq!(
                git(&["rev-parse", &object], "").trim(),
                entry["oid"].as_str().unwrap(),
                "{object}"
            );
        }
    }
    git(&["fsck", "--strict"], "");
}

fn write_files(directory: &Path, files: &[(&str, &[u8])]) {
    for (path, content) in files {
        let path = directory.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
}

fn git(directory: &Path, arguments: &[&str], date: &str) -> String {
    let mut command = Command::new("git");
    command.current_dir(directory).args(arguments);
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null");
    for who in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{who}_NAME"), "alice")
            .env(format!("GIT_{who}_EMAIL"), "alice@users.noreply.invalid");
        command.env(format!("GIT_{who}_DATE"), date);
    }
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}
