//! Tests of MCP servers that attack: each ends in a clear error, within a bound.

use std::time::{Duration, Instant};

use super::{digest_after, load, loaded, run, script};
use crate::support::ran::says;
use crate::support::{Home, Need, Test, test};

/// A value that no server may see unless it is granted, long enough to be masked.
const CANARY: &str = "canary-of-mine-1234";

pub(super) fn tests() -> Vec<Test> {
    let tests = [
        test("servers::hostile::canaries", canaries),
        test("servers::hostile::long_lists", long_lists),
        test("servers::hostile::long_texts", long_texts),
        test("servers::hostile::silence", silence),
        test("servers::hostile::garbage", garbage),
        test("servers::hostile::deaths", deaths),
        test(
            "servers::hostile::requests_of_the_client",
            requests_of_the_client,
        ),
        test("servers::hostile::names", names),
        test("servers::hostile::control_characters", control_characters),
        test(
            "servers::hostile::a_home_is_not_a_package",
            a_home_is_not_a_package,
        ),
    ];
    tests.map(|test| test.needs(&[Need::Cage])).into()
}

/// Files, variables and addresses that were not granted are not there; granted ones are.
fn canaries() {
    let home = Home::new().with("CANARY", CANARY);
    loaded(&home, "");
    let canary = home.write("canary.txt", CANARY);
    let read = |path: &str| {
        home.run(["call", "demo.read_file", &format!("path={path}")])
            .ok()
    };
    let outside = read(&canary.to_string_lossy());
    assert!(outside.contains("refused: Permission denied"), "{outside}");
    let lock = home.tool_home().join("toolbox.lock");
    assert!(read(&lock.to_string_lossy()).contains("refused"));
    assert_eq!(
        home.tool("call demo.get_variable name=CANARY").ok(),
        "unset\n"
    );
    let listening = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listening.local_addr().expect("an address").port();
    let connected = home.tool(&format!("call demo.connect port={port}")).ok();
    assert!(connected.contains("refused"), "{connected}");
    // Granted, the first two are there.
    let path = script(&home).to_string_lossy().into_owned();
    let directory = format!("desk={}", home.work().display());
    let flags = [
        "--as",
        "more",
        "--allow-dir",
        &directory,
        "--allow-var",
        "CANARY",
    ];
    load(&home, &flags, &["python3", &path]).ok();
    let path = format!("path={}", canary.display());
    assert_eq!(home.run(["call", "more.read_file", &path]).ok(), "***\n");
    assert_eq!(
        home.tool("call more.get_variable name=CANARY").ok(),
        "***\n"
    );
}

/// The start is agreed to, and the inspection fails with `expect`, in time.
#[track_caller]
fn refused(mode: &str, expect: &str) {
    let home = Home::new();
    let path = script(&home).to_string_lossy().into_owned();
    let words = ["python3", &path, mode];
    let start = digest_after("--start ", &run(&home, "inspect", &[], &words));
    let begun = Instant::now();
    let inspected = run(&home, "inspect", &["--start", &start], &words);
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
    says(&inspected, 1, expect);
}

fn long_lists() {
    refused("many", "the server lists more than 500 tools");
}

fn long_texts() {
    refused("huge", "the server did not answer `tools/list` within 30 s");
}

fn silence() {
    refused(
        "silent",
        "the server did not answer `initialize` within 30 s",
    );
}

/// Lines that are no messages are passed over.
fn garbage() {
    let home = Home::new();
    loaded(&home, "garbage");
    assert_eq!(home.tool("call demo.add a=1 b=2").ok(), "3\n");
}

fn deaths() {
    let home = Home::new();
    loaded(&home, "dies");
    let died = home.tool("call demo.add a=1 b=2");
    says(&died, 1, "it exited with code 7");
    says(&died, 1, "it cannot go on \\u{1b}[2J");
}

fn requests_of_the_client() {
    let home = Home::new();
    loaded(&home, "asks");
    let answers = home.tool("call demo.add a=1 b=2").ok();
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers[..2], ["sampling/createMessage", "roots/list"]);
    assert!(
        answers[2].contains("decline") || answers[2].contains("elicitation"),
        "{answers:?}"
    );
}

fn names() {
    let home = Home::new();
    loaded(&home, "names");
    let shown = home.tool("inspect demo --verbose").ok();
    for expect in [
        "agents cannot call Add: another tool is called `add` already",
        "agents cannot call 名: its name has no letters",
        "agents cannot call add: another tool of the server has the same name",
    ] {
        assert!(shown.contains(expect), "{expect}:\n{shown}");
    }
    assert_eq!(home.tool("call demo.add a=1 b=2").ok(), "3\n");
}

fn control_characters() {
    let home = Home::new();
    loaded(&home, "controls");
    let shown = home.tool("inspect demo --verbose").ok();
    assert!(shown.contains("\\u{1b}[2J\\u{202e}evil"), "{shown}");
    assert!(shown.contains("\\u{e0041}hidden"), "{shown}");
}

fn a_home_is_not_a_package() {
    let home = Home::new();
    let script = home.path().join("server.py");
    std::fs::write(&script, include_str!("server.py")).expect("a script");
    let path = script.to_string_lossy().into_owned();
    let refused = run(&home, "inspect", &[], &["python3", &path]);
    says(&refused, 3, "all of which the server would read");
}
