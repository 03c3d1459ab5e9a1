//! What `tool connect` writes is read as a client reads it, started, and spoken to.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::read;
use crate::foreign::adder;
use crate::journey::load;
use crate::support::{Home, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("connect::written_commands_answer", written_commands_answer),
        test("connect::a_strange_directory", a_strange_directory),
        test("connect::a_toolbox_that_is_gone", a_toolbox_that_is_gone),
    ]
}

/// Loads the tool that adds under `name`.
pub(super) fn load_adder(home: &Home, name: &str) {
    home.write("adder.wasm", adder());
    load(home, "adder.wasm", &["--as", name]);
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
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut ask = |request: Value, has_answer: bool| {
        writeln!(stdin, "{request}").expect("the server reads");
        let mut line = String::new();
        if has_answer {
            stdout.read_line(&mut line).expect("the server answers");
            return serde_json::from_str(&line).expect("JSON");
        }
        Value::Null
    };
    let greeted: Value = ask(
        json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "a client", "version": "1.0.0" },
            },
        }),
        true,
    );
    assert!(
        greeted["result"]["serverInfo"]["name"].is_string(),
        "{greeted}"
    );
    ask(
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        false,
    );
    let listed = ask(
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
        true,
    );
    drop(stdin);
    assert!(child.wait().expect("the server ends").success());
    let tools = listed["result"]["tools"].as_array().expect("tools");
    let names = tools
        .iter()
        .map(|tool| tool["name"].as_str().expect("a name"));
    names.map(str::to_owned).collect()
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
