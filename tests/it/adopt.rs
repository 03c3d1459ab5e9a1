//! Tests of `tool adopt`: clients' MCP servers become tools, and come back as they were.

mod given_back;
mod loaded;
mod planned;
mod refused;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::ran::{Ran, says};
use crate::support::{Home, Need, Terminal, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    let tests = vec![
        test(
            "adopt::a_server_becomes_a_component",
            a_server_becomes_a_component,
        )
        .needs(&[Need::PythonGuest]),
        test("adopt::asked_at_a_terminal", asked_at_a_terminal),
        test(
            "adopt::one_tool_for_several_clients",
            one_tool_for_several_clients,
        ),
        test("adopt::within_a_project", within_a_project),
    ];
    [
        tests,
        planned::tests(),
        refused::tests(),
        given_back::tests(),
        loaded::tests(),
    ]
    .concat()
}

/// A value that must never be shown.
const SECRET: &str = "hunter2-c4n4ry";

/// A server for FastMCP, which reads a variable.
const SERVER: &str = r#"
import os

from fastmcp import FastMCP

mcp = FastMCP("greeter")


@mcp.tool
def greet(name: str) -> str:
    """Greets somebody.

    Args:
        name: Whom to greet.
    """
    return f"Hello {name}, {len(os.environ.get('GREETER_KEY', ''))}"


if __name__ == "__main__":
    mcp.run()
"#;

/// Writes a file below the home directory.
fn write(home: &Home, path: &str, contents: &str) -> PathBuf {
    let path = home.path().join(path);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    std::fs::write(&path, contents).expect("a file");
    path
}

#[track_caller]
fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A shelf with one tool, which adds and stands for the package `adder-mcp` of either registry.
fn shelf(home: &Home) -> PathBuf {
    crate::support::adder::package(home, "adder", |_| {});
    let shelf = home.path().join("shelf");
    std::fs::create_dir_all(&shelf).expect("a directory");
    std::fs::rename(home.work().join("adder"), shelf.join("adder")).expect("a package");
    let table = "[[replacement]]\npackages = [\"pypi:adder-mcp\", \"npm:@a/adder-mcp\"]\ntool = \"adder\"\ndiffers = [\"It adds no fractions.\"]\n";
    std::fs::write(shelf.join("replacements.toml"), table).expect("a table");
    shelf
}

/// The digest of what `arguments` would adopt or give back.
#[track_caller]
fn digest(home: &Home, arguments: &str) -> String {
    let shown = home.tool(&format!("{arguments} --dry-run --json")).json();
    let digest = shown["approval_digest"].as_str();
    digest.expect("a digest").to_owned()
}

/// Undoes what `arguments` say by the digest of what comes back.
fn undo(home: &Home, arguments: &str) -> Ran {
    let digest = digest(home, arguments);
    home.tool(&format!("{arguments} --approve {digest}"))
}

/// The same, and what is told of it.
#[track_caller]
fn give_back(home: &Home, arguments: &str) -> Value {
    let digest = digest(home, arguments);
    home.tool(&format!("{arguments} --approve {digest} --json"))
        .json()
}

/// Adopts the one server of a client by the tool of the shelf.
#[track_caller]
fn adopt_adder(home: &Home, shelf: &Path, more: &str) -> Value {
    let command = format!(
        "adopt --server sums --as component --shelf {} {more}",
        shelf.display()
    );
    let digest = digest(home, &command);
    home.tool(&format!("{command} --approve {digest} --json"))
        .json()
}

fn a_server_becomes_a_component() {
    let home = Home::new();
    let server = write(&home, "servers/greeter.py", SERVER);
    let before = format!(
        "{{\n  \"theme\": \"dark\",\n  \"mcpServers\": {{\n    \"my greeter\": {{\n      \"command\": \"python3\",\n      \"args\": [{server:?}],\n      \"env\": {{ \"GREETER_KEY\": \"{SECRET}\" }}\n    }}\n  }}\n}}"
    );
    let file = write(&home, ".config/Claude/claude_desktop_config.json", &before);
    let one = ["adopt", "--server", "my greeter", "--as", "component"];
    let shown = home.run([&one[..], &["--dry-run", "--json"]].concat());
    let digest = shown.json()["approval_digest"]
        .as_str()
        .expect("a digest")
        .to_owned();
    assert_eq!(text(&file), before);
    assert!(!home.tool_home().join("adopted").exists());

    let refused = home.run(one);
    says(&refused, 3, "is not approved, and nobody is there to ask");
    assert_eq!(text(&file), before);
    assert!(!home.tool_home().join("adopted/my-greeter").exists());

    let adopted = home.run([&one[..], &["--approve", &digest, "--json"]].concat());
    let told = adopted.json();
    assert_eq!(told["adopted"][0]["tool"], "my_greeter", "{told}");
    assert!(!adopted.stderr().contains(SECRET), "{}", adopted.stderr());
    let after: Value = serde_json::from_str(&text(&file)).expect("JSON");
    let entry = json!({
        "command": env!("CARGO_BIN_EXE_tool"),
        "args": ["serve", "--toolbox", home.tool_home()],
        "env": { "TOOL_HUB_HOME": home.tool_home() },
    });
    assert_eq!(
        after,
        json!({ "theme": "dark", "mcpServers": { "tool-hub": entry } })
    );
    // The variable went along, and is in no file that others read.
    let said = home.run(["call", "my_greeter", "name=Ada"]).ok();
    assert_eq!(said.trim_end(), format!("Hello Ada, {}", SECRET.len()));
    for path in home.files() {
        let Ok(contents) = std::fs::read_to_string(&path) else {
            continue;
        };
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a name");
        if contents.contains(SECRET) {
            assert!(
                ["variables.toml", "adopted.toml"].contains(&name),
                "{}",
                path.display()
            );
            use std::os::unix::fs::PermissionsExt as _;
            let mode = path.metadata().expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    }
    says(&home.tool("adopt"), 0, "");

    // It runs with all rights again, so somebody has to agree.
    let between = text(&file);
    for (refused, reason) in [
        ("adopt --undo", "then write it with: --approve sha256:"),
        ("adopt --undo --yes", "nobody is there to ask whether"),
        (
            "adopt --undo --yes --approve sha256:0000000000000000000000000000000000000000000000000000000000000000",
            "but what comes back is sha256:",
        ),
    ] {
        says(&home.tool(refused), 3, reason);
        assert_eq!(text(&file), between);
    }
    let back = give_back(&home, "adopt --undo --yes");
    assert_eq!(back["removed"], json!(["my_greeter"]));
    assert_eq!(text(&file), before);
    assert!(!home.tool_home().join("adopted.toml").exists());
    assert!(!home.tool_home().join("adopted/my-greeter").exists());
    assert!(!text(&home.tool_home().join("variables.toml")).contains(SECRET));
    assert_eq!(
        home.tool("list --json").json()["tools"]
            .as_array()
            .map(Vec::len),
        Some(0)
    );
    says(
        &home.tool("adopt --undo --yes"),
        1,
        "nothing of this was adopted",
    );
}

fn asked_at_a_terminal() {
    let home = Home::new();
    let shelf = shelf(&home);
    let before = "// mine\n{\n  \"servers\": {\n    // sums\n    \"sums\": { \"type\": \"stdio\", \"command\": \"uvx\", \"args\": [\"adder-mcp\"] }, // here\n    \"box\": { \"command\": \"docker\", \"args\": [\"run\", \"x\"] },\n  },\n}\n";
    let file = write(&home, ".config/Code/User/mcp.json", before);
    let shelf = shelf.display().to_string();
    let start = || Terminal::start(home.command(["adopt", "vscode", "--shelf", &shelf]));

    // What is not answered stays, and so does what is not approved.
    let mut terminal = start();
    terminal.wait_for("VS Code, ");
    terminal.wait_for("component: the shelf's `adder` stands for it; It adds no fractions");
    terminal.wait_for("What shall `sums` become: component, ");
    terminal.answer("");
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.shown);
    assert!(!ended.shown.contains("What shall `box`"), "{}", ended.shown);
    let mut terminal = start();
    terminal.wait_for("What shall `sums` become: component, ");
    terminal.answer("component");
    terminal.wait_for("Type yes to approve: ");
    terminal.answer("no");
    terminal.wait_for("`sums` stays as it is");
    assert_eq!(terminal.end().status.code(), Some(0));
    assert_eq!(text(&file), before);

    // The file is asked about by itself.
    let mut terminal = start();
    terminal.wait_for("What shall `sums` become: ");
    terminal.answer("anything");
    terminal.wait_for("What shall `sums` become: ");
    terminal.answer("component");
    terminal.wait_for("Load `adder` with these rights? Type yes to approve: ");
    terminal.answer("yes");
    terminal.wait_for("goes: sums");
    terminal.wait_for(&format!("Write {}? Type yes to approve: ", file.display()));
    terminal.answer("no");
    terminal.wait_for("tool remove adder");
    assert_eq!(terminal.end().status.code(), Some(3));
    assert_eq!(text(&file), before);
    assert!(!home.tool_home().join("adopted.toml").exists());

    let mut terminal = start();
    terminal.wait_for("What shall `sums` become: ");
    terminal.answer("component");
    terminal.wait_for("you approved exactly this before");
    terminal.wait_for(&format!("Write {}? Type yes to approve: ", file.display()));
    terminal.answer("yes");
    terminal.wait_for("`sums` of VS Code is now `adder` (component)");
    assert_eq!(terminal.end().status.code(), Some(0));
    let after = text(&file);
    assert!(
        !after.contains("\"sums\"") && after.contains("\"box\""),
        "{after}"
    );
    assert!(after.starts_with("// mine\n"), "{after}");

    let mut terminal = Terminal::start(home.command(["adopt", "--undo", "--yes", "vscode"]));
    terminal.wait_for("comes back: sums");
    terminal.wait_for("goes: tool-hub");
    terminal.wait_for("Type yes to approve: ");
    terminal.answer("yes");
    terminal.wait_for("gave sums back to VS Code");
    // The toolbox had it before this adoption.
    terminal.wait_for("`adder` stays in the toolbox");
    assert_eq!(terminal.end().status.code(), Some(0));
    assert_eq!(text(&file), before);
}

fn one_tool_for_several_clients() {
    let home = Home::new();
    let shelf = shelf(&home);
    let json =
        "{ \"mcpServers\": { \"sums\": { \"command\": \"uvx\", \"args\": [\"adder-mcp\"] } } }\n";
    let toml = "# mine\nmodel = 'o3'\n\n[mcp_servers.sums] # adds\ncommand = \"uvx\"\nargs = [\"adder-mcp\"]\n\n[z]\nq = 1\n";
    let cursor = write(&home, ".cursor/mcp.json", json);
    let codex = write(&home, ".codex/config.toml", toml);
    let told = adopt_adder(&home, &shelf, "");
    let adopted = told["adopted"].as_array().expect("a list");
    assert_eq!(adopted.len(), 2, "{told}");
    assert!(adopted.iter().all(|one| one["tool"] == "adder"), "{told}");
    assert!(
        text(&codex).contains("[mcp_servers.tool-hub]"),
        "{}",
        text(&codex)
    );
    assert!(!text(&codex).contains("sums"), "{}", text(&codex));

    let back = give_back(&home, "adopt codex --undo --yes");
    assert_eq!(back["removed"], json!([]), "the other client needs it");
    assert_eq!(text(&codex), toml);
    let back = give_back(&home, "adopt --undo --yes");
    assert_eq!(back["removed"], json!(["adder"]));
    assert_eq!(text(&cursor), json);
}

/// What is adopted for a user goes to their own toolbox, wherever they are.
fn within_a_project() {
    let home = Home::new();
    let shelf = shelf(&home);
    home.write("toolbox.toml", "");
    let entry =
        "{ \"mcpServers\": { \"sums\": { \"command\": \"uvx\", \"args\": [\"adder-mcp\"] } } }\n";
    let own = write(&home, ".cursor/mcp.json", entry);
    let projects = home.write(".cursor/mcp.json", entry);
    for (scope, toolbox) in [("user", home.tool_home()), ("project", home.work())] {
        let told = adopt_adder(&home, &shelf, &format!("--scope {scope}"));
        assert_eq!(told["adopted"][0]["toolbox"], json!(toolbox), "{told}");
    }
    assert!(
        text(&own).contains(&format!("{:?}", home.tool_home())),
        "{}",
        text(&own)
    );
    assert!(
        text(&projects).contains(&format!("{:?}", home.work())),
        "{}",
        text(&projects)
    );
    let back = give_back(&home, "adopt --undo --yes");
    assert_eq!(back["removed"], json!(["adder", "adder"]));
    assert_eq!(
        (text(&own), text(&projects)),
        (entry.to_owned(), entry.to_owned())
    );
}
