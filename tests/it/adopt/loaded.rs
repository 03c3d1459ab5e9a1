//! Tests of servers that `tool adopt` loads as they are: into a cage, and at their address.

use serde_json::{Value, json};

use super::{SECRET, give_back, text, write};
use crate::servers::{digest_after, remote};
use crate::support::ran::says;
use crate::support::{Home, Need, Terminal, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test(
            "adopt::a_process_goes_into_a_cage",
            a_process_goes_into_a_cage,
        )
        .needs(&[Need::Cage]),
        test("adopt::a_process_at_a_terminal", a_process_at_a_terminal).needs(&[Need::Cage]),
        test("adopt::servers_of_registries", servers_of_registries).needs(&[
            Need::Cage,
            Need::PythonPackages,
            Need::NodePackages,
        ]),
        test(
            "adopt::a_remote_server_keeps_its_key",
            a_remote_server_keeps_its_key,
        ),
    ]
}

/// Takes the server `name` over as `what`, by the digests of its start and of its tools.
#[track_caller]
fn adopt(home: &Home, name: &str, what: &str) -> Value {
    let one = format!("adopt --server {name} --as {what}");
    let asked = home.tool(&format!("{one} --dry-run"));
    says(&asked, 3, "nobody is there to ask");
    let start = digest_after("--start ", &asked);
    let shown = home
        .tool(&format!("{one} --start {start} --dry-run --json"))
        .json();
    let approve = shown["approval_digest"].as_str().expect("a digest");
    let adopted = home.tool(&format!("{one} --start {start} --approve {approve} --json"));
    for ran in [&asked, &adopted] {
        assert!(!ran.stderr().contains(SECRET), "{}", ran.stderr());
    }
    adopted.json()
}

/// An entry of a server that runs a script with a variable.
fn configured(home: &Home) -> String {
    let script = include_str!("../servers/server.py");
    let script = write(home, "servers/demo/server.py", script);
    let entry = json!({ "command": "python3", "args": [script], "env": { "DEMO_KEY": SECRET } });
    json!({ "mcpServers": { "demo": entry } }).to_string()
}

fn a_process_goes_into_a_cage() {
    let home = Home::new();
    let before = configured(&home);
    let file = write(&home, ".cursor/mcp.json", &before);
    let told = adopt(&home, "demo", "caged");
    assert_eq!(told["adopted"][0]["became"], "caged", "{told}");
    assert!(!text(&file).contains("python3"), "{}", text(&file));
    let lock = text(&home.tool_home().join("toolbox.lock"));
    assert!(
        !lock.contains(SECRET) && lock.contains("DEMO_KEY"),
        "{lock}"
    );
    assert_eq!(home.tool("call demo.add a=20 b=22").ok(), "42\n");
    // It has the variable, and what it says of it is masked.
    let said = home.tool("call demo.get_variable name=DEMO_KEY").ok();
    assert_eq!(said, "***\n");
    let back = give_back(&home, "adopt --undo --yes");
    assert_eq!(back["removed"], json!(["demo"]));
    assert_eq!(text(&file), before);
    assert!(!text(&home.tool_home().join("variables.toml")).contains(SECRET));
}

/// What cannot be a component is offered as a process, with the reason.
fn a_process_at_a_terminal() {
    let home = Home::new();
    let file = write(&home, ".cursor/mcp.json", &configured(&home));
    let mut terminal = Terminal::start(home.command(["adopt"]));
    terminal.wait_for("What shall `demo` become: component, caged, stay?");
    terminal.answer("component");
    terminal.wait_for("next: caged: its process is started in a cage");
    terminal.wait_for("Which origins may `demo` send requests to");
    terminal.answer("example.com");
    terminal.wait_for("Which origins may `demo` send requests to");
    terminal.answer("https://example.com");
    terminal.wait_for("Type yes to start it: ");
    terminal.answer("yes");
    terminal.wait_for("Load `demo` with these rights? Type yes to approve: ");
    terminal.answer("yes");
    terminal.wait_for("mcp.json? Type yes to approve: ");
    terminal.answer("yes");
    terminal.wait_for("`demo` of Cursor is now `demo` (caged)");
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.shown);
    assert!(!ended.shown.contains(SECRET), "{}", ended.shown);
    assert!(!text(&file).contains("python3"), "{}", text(&file));
    let listed = home.tool("inspect demo").ok();
    assert!(listed.contains("https://example.com"), "{listed}");
}

fn servers_of_registries() {
    let home = Home::new();
    let before = "{\n  \"mcpServers\": {\n    \"time\": { \"command\": \"uvx\", \"args\": [\"mcp-server-time\", \"--local-timezone=UTC\"] },\n    \"memory\": { \"command\": \"npx\", \"args\": [\"-y\", \"@modelcontextprotocol/server-memory\"] }\n  }\n}\n";
    let file = write(&home, ".config/Claude/claude_desktop_config.json", before);
    for name in ["time", "memory"] {
        let told = adopt(&home, name, "caged");
        assert_eq!(told["adopted"][0]["tool"], name, "{told}");
    }
    let after: Value = serde_json::from_str(&text(&file)).expect("JSON");
    let names: Vec<&String> = after["mcpServers"]
        .as_object()
        .expect("servers")
        .keys()
        .collect();
    assert_eq!(names, ["tool-hub"]);
    let words = "call time.convert_time source_timezone=Asia/Tokyo time=12:30 target_timezone=UTC";
    assert!(home.tool(words).ok().contains("03:30"));
    assert!(
        home.tool("call memory.read_graph")
            .ok()
            .contains("entities")
    );
    give_back(&home, "adopt --undo --yes");
    assert_eq!(text(&file), before);
}

fn a_remote_server_keeps_its_key() {
    let (address, _runtime) = remote::service();
    let home = Home::new();
    let before = json!({ "mcpServers": { "far": {
        "url": format!("{address}/mcp"),
        "headers": { "Authorization": format!("Bearer {SECRET}"), "X-Other": "1" },
    } } })
    .to_string();
    let file = write(&home, ".cursor/mcp.json", &before);
    adopt(&home, "far", "remote");
    let other = home.tool("adopt --server far --as remote --dry-run");
    says(&other, 1, "no client has a server called `far`");
    assert!(!text(&file).contains(SECRET), "{}", text(&file));
    assert_eq!(home.tool("call far").ok(), "key: Bearer ***\n");
    give_back(&home, "adopt --undo --yes");
    assert_eq!(text(&file), before);
    assert!(!text(&home.tool_home().join("credentials.toml")).contains(SECRET));
}
