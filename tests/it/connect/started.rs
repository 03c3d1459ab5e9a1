//! Tests that the servers in configurations that `tool connect` wrote can be started and answer.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::read;
use crate::support::adder::load_adder;
use crate::support::{Client, Home, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("connect::written_commands_answer", written_commands_answer),
        test("connect::a_strange_directory", a_strange_directory),
        test("connect::a_toolbox_that_is_gone", a_toolbox_that_is_gone),
    ]
}

/// Starts `server` in `directory`, with nothing in its environment but what the server says
/// and a home, and gives the names of the tools that it lists.
#[track_caller]
fn tools_of(server: &Value, home: &Home, directory: &Path) -> Vec<String> {
    let mut command = Command::new(server["command"].as_str().expect("a command"));
    for argument in server["args"].as_array().expect("arguments") {
        command.arg(argument.as_str().expect("an argument"));
    }
    command
        .env_clear()
        .env("HOME", home.path())
        .current_dir(directory);
    for (name, value) in server["env"].as_object().into_iter().flatten() {
        command.env(name, value.as_str().expect("a value"));
    }
    let mut client = Client::start(command);
    let tools = client.tools();
    client.leave();
    tools
}

fn written_commands_answer() {
    let home = Home::new();
    load_adder(&home, "plus");
    load_adder(&home, "sum");
    let elsewhere = Path::new("/");
    for (client, file, section) in [
        ("vscode", ".config/Code/User/mcp.json", "servers"),
        ("codex", ".codex/config.toml", "mcp_servers"),
    ] {
        home.tool(&format!("connect {client} --yes")).ok();
        home.tool(&format!("connect {client} --only sum --name sum --yes"))
            .ok();
        let servers = &read(&home.path().join(file))[section];
        assert_eq!(
            tools_of(&servers["tool-hub"], &home, elsewhere),
            ["plus__add", "plus__sum_up", "sum__add", "sum__sum_up"]
        );
        assert_eq!(
            tools_of(&servers["sum"], &home, elsewhere),
            ["sum__add", "sum__sum_up"]
        );
    }
}

/// A client that is started in a project with a toolbox of its own keeps what it was
/// connected to.
fn a_strange_directory() {
    let home = Home::new();
    load_adder(&home, "mine");
    home.tool("connect cursor --yes").ok();
    home.write("toolbox.toml", "");
    load_adder(&home, "theirs");
    home.tool("connect cursor --yes").ok();
    let mine = ["mine__add", "mine__sum_up"];
    let theirs = ["theirs__add", "theirs__sum_up"];
    for (file, expect) in [
        (home.path().join(".cursor/mcp.json"), mine),
        (home.work().join(".cursor/mcp.json"), theirs),
    ] {
        let server = &read(&file)["mcpServers"]["tool-hub"];
        assert_eq!(tools_of(server, &home, &home.work()), expect);
        assert_eq!(tools_of(server, &home, Path::new("/")), expect);
    }
}

fn a_toolbox_that_is_gone() {
    let home = Home::new();
    let gone = home.path().join("gone");
    let refused = home.run(["serve".as_ref(), "--toolbox".as_ref(), gone.as_os_str()]);
    assert_eq!(refused.code(), 1);
    let said = format!("there is no toolbox.toml in {}", gone.display());
    assert!(refused.stderr().contains(&said), "{}", refused.stderr());
}
