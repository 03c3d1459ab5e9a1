//! Tests of the plan of `tool adopt`, which shows every server and no secret.

use serde_json::Value;

use super::{SECRET, write};
use crate::support::ran::says;
use crate::support::{Home, Need, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test(
            "adopt::every_client_is_looked_at",
            every_client_is_looked_at,
        ),
        test("adopt::no_secret_is_shown", no_secret_is_shown),
        test(
            "adopt::what_cannot_be_converted_says_why",
            what_cannot_be_converted_says_why,
        )
        .needs(&[Need::PythonPackages]),
    ]
}

/// The plan, as programs read it.
fn plan(home: &Home, arguments: &str) -> Vec<Value> {
    let told = home.tool(&format!("adopt {arguments} --json")).json();
    told["servers"].as_array().expect("a list").clone()
}

fn every_client_is_looked_at() {
    let home = Home::new();
    let says_so = home.tool("adopt");
    says(&says_so, 0, "no client has an MCP server");
    for (path, contents) in [
        (
            ".config/Claude/claude_desktop_config.json",
            r#"{ "mcpServers": { "time": { "command": "uvx", "args": ["mcp-server-time"] } } }"#,
        ),
        (
            ".cursor/mcp.json",
            "{ \"mcpServers\": { /* far */ \"far\": { \"url\": \"https://a.example/mcp\" }, }, }",
        ),
        (
            ".config/Code/User/mcp.json",
            "// mine\n{ \"servers\": { \"key\": { \"command\": \"npx\", \"args\": [\"-y\", \"x\"], \"env\": { \"K\": \"${input:k}\" } } } }",
        ),
        (
            ".codex/config.toml",
            "[mcp_servers.off]\ncommand = \"uvx\"\nargs = [\"a\"]\nenabled = false\n",
        ),
        (
            ".config/zed/settings.json",
            "{ \"context_servers\": { \"old\": { \"source\": \"custom\", \"command\": { \"path\": \"docker\", \"args\": [\"run\"] } } } }",
        ),
        (
            ".gemini/settings.json",
            r#"{ "mcpServers": { "g": { "httpUrl": "http://a.example/mcp" } } }"#,
        ),
        (
            ".codeium/windsurf/mcp_config.json",
            r#"{ "mcpServers": { "w": { "serverUrl": "https://a.example/mcp" } } }"#,
        ),
        (
            ".kiro/settings/mcp.json",
            r#"{ "mcpServers": { "k": { "command": "npx", "args": ["k"], "disabled": true } } }"#,
        ),
        (
            ".copilot/mcp-config.json",
            r#"{ "mcpServers": { "c": { "type": "local", "command": "npx", "args": ["c"] } } }"#,
        ),
        (
            ".claude.json",
            r#"{ "mcpServers": { "tools": { "command": "tool", "args": ["serve"] } } }"#,
        ),
        (
            "desk/.mcp.json",
            r#"{ "mcpServers": { "here": { "command": "npx", "args": ["h"] } } }"#,
        ),
    ] {
        write(&home, path, contents);
    }
    let plan = plan(&home, "");
    let of = |name: &str| {
        plan.iter()
            .find(|one| one["name"] == name)
            .expect("a server")
    };
    for (name, client, becomes, note) in [
        (
            "time",
            "claude-desktop",
            "component",
            "say where the shelf is with --shelf",
        ),
        ("far", "cursor", "remote", ""),
        ("key", "vscode", "stay", "the value of K is a placeholder"),
        ("off", "codex", "stay", "it is switched off"),
        ("old", "zed", "stay", "docker runs it in a container"),
        ("g", "gemini-cli", "stay", "http is for this machine only"),
        ("w", "windsurf", "remote", ""),
        ("k", "kiro", "stay", "it is switched off"),
        ("c", "copilot-cli", "component", ""),
        ("tools", "claude-code", "stay", "it is `tool serve` already"),
        ("here", "claude-code", "component", ""),
    ] {
        let one = of(name);
        assert_eq!(
            (&one["client"], &one["becomes"]),
            (&client.into(), &becomes.into()),
            "{one}"
        );
        assert!(one["notes"].to_string().contains(note), "{one}");
    }
    assert_eq!(of("here")["scope"], "project");
    assert_eq!(plan.len(), 11);
    assert_eq!(self::plan(&home, "cursor").len(), 1);
    assert_eq!(self::plan(&home, "--scope project").len(), 1);
}

fn no_secret_is_shown() {
    let home = Home::new();
    let contents = format!(
        r#"{{ "mcpServers": {{
  "a": {{ "command": "npx", "args": ["-y", "x", "--token", "{SECRET}", "--key={SECRET}", "{SECRET}"], "env": {{ "K": "{SECRET}" }} }},
  "b": {{ "url": "https://u:{SECRET}@a.example/{SECRET}?k={SECRET}", "headers": {{ "X": "{SECRET}" }} }},
  "c": {{ "command": "docker", "args": ["run", "-e", "K={SECRET}"] }},
  "d": {{ "command": "npx", "args": ["mcp-remote", "https://a.example/{SECRET}", "--header", "X: {SECRET}"] }},
  "e": {{ "command": "x", "args": ["${{K:-{SECRET}}}"] }},
  "f": {{ "command": "uvx", "args": ["--from", "git+https://{SECRET}@a.example/x", "x"] }}
}} }}"#
    );
    write(&home, ".cursor/mcp.json", &contents);
    for arguments in ["adopt", "adopt --json", "adopt --dry-run --verbose"] {
        let told = home.tool(arguments);
        let said = told.ok() + &told.stderr();
        assert!(
            !said.contains(SECRET) && !said.contains("hunter2"),
            "{said}"
        );
        assert!(said.contains("npx -y x --token … --key=… …"), "{said}");
    }
}

/// A package that is no server.
fn what_cannot_be_converted_says_why() {
    let home = Home::new();
    let before = r#"{ "mcpServers": { "time": { "command": "uvx", "args": ["idna==3.7"] } } }"#;
    let file = write(&home, ".cursor/mcp.json", before);
    let refused = home.tool("adopt --server time --as component --dry-run");
    says(&refused, 1, "`time` cannot become a component");
    says(&refused, 1, "caused by: ");
    assert_eq!(super::text(&file), before);
}
