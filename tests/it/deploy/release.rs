//! Tests of the release's files: the workflow, the scripts that it runs, and what they make.

mod packages;
mod workflow;

use std::process::{Command, Output};

use serde_json::Value;

use crate::support::{Test, root};

pub(super) fn tests() -> Vec<Test> {
    [packages::tests(), workflow::tests()].concat()
}

/// The platforms that a release is built for, as `platforms.json` lists them.
#[track_caller]
fn platforms() -> Vec<Value> {
    let listed = super::file("release/platforms.json");
    serde_json::from_str(&listed).expect("a list of platforms")
}

/// Runs a script of `deploy/release/`.
#[track_caller]
fn script(name: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new("python3");
    command
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(root().join("deploy/release").join(name));
    command.args(arguments).output().expect("python3 starts")
}

/// What a script writes to standard error. It has to end well, or not, as `expect` says.
#[track_caller]
fn said(ran: &Output, expect: Expect) -> String {
    let text = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.success(), expect == Expect::Success, "{text}");
    text
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Success,
    Failure,
}
