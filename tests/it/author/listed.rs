//! Tests of `tool new` from the tools that a running MCP server lists.

use std::path::Path;

use crate::public_clients::packages;
use crate::support::adder::load_adder;
use crate::support::{Home, Need, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("author::of_our_own_server", of_our_own_server),
        test("author::of_a_server_in_python", of_a_server_in_python).needs(&[Need::PythonPackages]),
        test(
            "author::servers_that_list_nothing",
            servers_that_list_nothing,
        ),
    ]
}

fn of_our_own_server() {
    let home = Home::new();
    load_adder(&home, "sums");
    let server = ["--", env!("CARGO_BIN_EXE_tool"), "serve", "sums"];
    let options = ["new", "copied", "--lang", "python", "--json", "--from-mcp"];
    let made = home.run(options.iter().chain(&server)).json();
    let functions = serde_json::json!(["sums__add", "sums__sum_up"]);
    assert_eq!(made["functions"], functions);
    let wit = home.work().join("copied/wit/world.wit");
    let wit = std::fs::read_to_string(wit).expect("WIT");
    assert!(wit.contains("sums-add: func(a: "), "{wit}");
}

/// One page for each tool, something said beside the protocol, and a process that stays.
const SERVER: &str = r#"
import subprocess, sys
from mcp.server.lowlevel import Server
import mcp.server.stdio, mcp.types as types, anyio

print("loading\n" * 20000, file=sys.stderr)
stays = subprocess.Popen(["sleep", "600"])
open(sys.argv[1], "w").write(str(stays.pid))
server = Server("pages")
names = ["first", "second", "third"]

@server.list_tools()
async def tools(request: types.ListToolsRequest) -> types.ListToolsResult:
    page = int(request.params.cursor) if request.params and request.params.cursor else 0
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    tool = types.Tool(name=names[page], description="Does it.\n- It does.", inputSchema=schema)
    after = str(page + 1) if page + 1 < len(names) else None
    return types.ListToolsResult(tools=[tool], nextCursor=after)

async def main():
    async with mcp.server.stdio.stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())

anyio.run(main)
"#;

fn of_a_server_in_python() {
    let home = Home::new();
    home.write("server.py", SERVER);
    let packages = packages::python(&["mcp==1.30.0"]);
    let home = home.with("PYTHONPATH", &packages.to_string_lossy());
    let started = home.work().join("started");
    let made = home
        .tool("new paged --json --from-mcp python3 server.py started --any")
        .json();
    let functions = serde_json::json!(["first", "second", "third"]);
    assert_eq!(made["functions"], functions);
    let process = std::fs::read_to_string(started).expect("the server was started");
    assert!(
        !Path::new("/proc").join(process.trim()).join("cwd").exists(),
        "what the server started is left"
    );
}

/// One page after another, each with a tool of another name.
const ENDLESS: &str = r#"
while read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case $line in
    *'"initialize"'*) said='"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*) said='"result":{"tools":[{"name":"t'$id'","inputSchema":{"type":"object"}}],"nextCursor":"c"}' ;;
    *) said='"error":{"code":-32601,"message":"there is no such method"}' ;;
    esac
    test -z "$id" || printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$said"
done
"#;

fn servers_that_list_nothing() {
    let home = Home::new();
    home.write("chatty.sh", "yes '{}' | tr -d '\\n'\n");
    home.write("sad.sh", "echo 'no key is set' >&2\nexit 4\n");
    home.write("endless.sh", ENDLESS);
    let cut = home.tool("new cut --json --from-mcp sh endless.sh");
    assert_eq!(cut.json()["functions"].as_array().map(Vec::len), Some(100));
    let more = "left out: the server has more functions on its next page";
    assert!(cut.stderr().contains(more), "{}", cut.stderr());
    for (line, expect) in [
        ("no-such-program", "`no-such-program` cannot be started"),
        ("sh sad.sh", "caused by: no key is set"),
        ("sh chatty.sh", "listing the server's tools failed"),
        ("--", "--from-mcp names no server"),
    ] {
        let refused = home.tool(&format!("new none --from-mcp {line}"));
        assert_eq!(refused.code(), 1, "{line}: {}", refused.stderr());
        assert!(
            refused.stderr().contains(expect),
            "{line}: {}",
            refused.stderr()
        );
        assert!(!home.work().join("none").exists());
    }
}
