//! Tests of a toolbox that is edited while it is served.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::support::adder::load_adder;
use crate::support::{Client, Home, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("served::edits_reach_the_client", edits_reach_the_client),
        test(
            "served::a_large_toolbox_is_searched",
            a_large_toolbox_is_searched,
        ),
        test(
            "served::what_was_not_approved_stays_out",
            what_was_not_approved_stays_out,
        ),
        test(
            "served::what_is_taken_away_is_gone",
            what_is_taken_away_is_gone,
        ),
        test(
            "served::what_cannot_be_served_changes_nothing",
            what_cannot_be_served_changes_nothing,
        ),
    ]
}

/// Waits until the client is told of `tools`. A toolbox is two files, so the client may also be
/// told of the state in which only one of them was written.
fn is_told_of(client: &mut Client, tools: &[&str]) {
    loop {
        client.hear_of_a_change();
        if client.tools() == tools {
            return;
        }
    }
}

fn edits_reach_the_client() {
    let home = Home::new();
    load_adder(&home, "plus");
    let mut client = Client::start(home.command(["serve"]));
    assert_eq!(client.tools(), ["plus__add", "plus__sum_up"]);

    load_adder(&home, "sum");
    let both = ["plus__add", "plus__sum_up", "sum__add", "sum__sum_up"];
    is_told_of(&mut client, &both);

    home.tool("remove plus").ok();
    is_told_of(&mut client, &["sum__add", "sum__sum_up"]);
    client.leave();
}

fn a_large_toolbox_is_searched() {
    let home = Home::new();
    load_adder(&home, "plus");
    let mut client = Client::start(home.command(["serve", "--list-max", "2"]));
    assert_eq!(client.tools(), ["plus__add", "plus__sum_up"]);

    load_adder(&home, "sum");
    is_told_of(&mut client, &["search_tools", "describe_tool", "call_tool"]);
    client.leave();
}

/// The toolbox and the lock, as a project brings them along.
fn files(home: &Home) -> [PathBuf; 2] {
    ["toolbox.toml", "toolbox.lock"].map(|file| home.tool_home().join(file))
}

fn what_was_not_approved_stays_out() {
    let (home, somebody) = (Home::new(), Home::new());
    load_adder(&home, "plus");
    load_adder(&somebody, "theirs");
    let mut client = Client::start(home.command(["serve"]));

    // The lock alone, then the toolbox as well: neither makes this user agree.
    for (own, foreign) in files(&home).iter().zip(files(&somebody)).rev() {
        let theirs = fs::read_to_string(foreign).expect("a file");
        let tool = theirs.find("[tools.theirs").expect("a tool");
        let both = fs::read_to_string(own).expect("a file") + &theirs[tool..];
        fs::write(own, both).expect("a file");
        client.hear_of_a_change();
        assert_eq!(client.tools(), ["plus__add", "plus__sum_up"]);
    }
    client.leave();
}

/// Also where it was asked for by name, and where nothing is left.
fn what_is_taken_away_is_gone() {
    let home = Home::new();
    load_adder(&home, "plus");
    load_adder(&home, "sum");
    let mut client = Client::start(home.command(["serve", "sum", "plus"]));
    home.tool("remove plus").ok();
    is_told_of(&mut client, &["sum__add", "sum__sum_up"]);
    let approvals = home.tool_home().join("approvals.toml");
    fs::write(approvals, "").expect("a file");
    is_told_of(&mut client, &[]);
    client.leave();
}

fn what_cannot_be_served_changes_nothing() {
    let home = Home::new();
    load_adder(&home, "plus");
    let mut client = Client::start(home.command(["serve"]));
    let [toolbox, _] = files(&home);
    let before = fs::read(&toolbox).expect("a toolbox");
    fs::write(&toolbox, "[tools").expect("a file");
    // Twice as long as it takes to be seen.
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(client.tools(), ["plus__add", "plus__sum_up"]);
    assert_eq!(client.changes, 0);

    fs::write(&toolbox, before).expect("a file");
    client.hear_of_a_change();
    assert_eq!(client.tools(), ["plus__add", "plus__sum_up"]);
    client.leave();
}
