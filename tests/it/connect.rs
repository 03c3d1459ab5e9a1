//! Tests of `tool connect`: it writes MCP clients' configurations, and `--remove` restores them.
//! They are written with consent, and given back as they were.

mod consent;
mod shown;
mod started;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Home, Ran, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    let tests = vec![
        test("connect::every_client_made_anew", every_client_made_anew),
        test("connect::beside_others", beside_others),
        test("connect::what_a_user_added_stays", what_a_user_added_stays),
        test("connect::in_a_project", in_a_project),
        test("connect::moved_by_a_variable", moved_by_a_variable),
        test("connect::links_are_followed", links_are_followed),
    ];
    [tests, consent::tests(), shown::tests(), started::tests()].concat()
}

/// A client as its documentation has it: its name, its files for a user and in a project, the
/// key of its servers, and what it wants said of one.
struct Expected {
    client: &'static str,
    user: &'static str,
    project: Option<&'static str>,
    section: &'static str,
    preset: Value,
}

fn clients() -> Vec<Expected> {
    let expected = |client, user, project, section, preset| Expected {
        client,
        user,
        project,
        section,
        preset,
    };
    let stdio = || json!({ "type": "stdio" });
    vec![
        expected(
            "claude-code",
            ".claude.json",
            Some(".mcp.json"),
            "mcpServers",
            stdio(),
        ),
        expected(
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
            None,
            "mcpServers",
            json!({}),
        ),
        expected(
            "codex",
            ".codex/config.toml",
            Some(".codex/config.toml"),
            "mcp_servers",
            json!({}),
        ),
        expected(
            "copilot-cli",
            ".copilot/mcp-config.json",
            None,
            "mcpServers",
            json!({ "type": "local", "tools": ["*"] }),
        ),
        expected(
            "cursor",
            ".cursor/mcp.json",
            Some(".cursor/mcp.json"),
            "mcpServers",
            stdio(),
        ),
        expected(
            "gemini-cli",
            ".gemini/settings.json",
            Some(".gemini/settings.json"),
            "mcpServers",
            json!({}),
        ),
        expected(
            "kiro",
            ".kiro/settings/mcp.json",
            Some(".kiro/settings/mcp.json"),
            "mcpServers",
            json!({}),
        ),
        expected(
            "vscode",
            ".config/Code/User/mcp.json",
            Some(".vscode/mcp.json"),
            "servers",
            stdio(),
        ),
        expected(
            "windsurf",
            ".codeium/windsurf/mcp_config.json",
            None,
            "mcpServers",
            json!({}),
        ),
        expected(
            "zed",
            ".config/zed/settings.json",
            Some(".zed/settings.json"),
            "context_servers",
            json!({ "source": "custom" }),
        ),
    ]
}

/// What starts the toolbox in `toolbox`.
fn server(home: &Home, toolbox: &Path) -> Value {
    json!({
        "command": env!("CARGO_BIN_EXE_tool"),
        "args": ["serve", "--toolbox", toolbox],
        "env": { "TOOL_HUB_HOME": home.tool_home() },
    })
}

fn merged(mut preset: Value, server: Value) -> Value {
    let more = server.as_object().expect("an object").clone();
    preset.as_object_mut().expect("an object").extend(more);
    preset
}

/// The whole of a configuration, which has no comments.
#[track_caller]
fn read(path: &Path) -> Value {
    let text = text(path);
    if path
        .extension()
        .is_some_and(|extension| extension == "toml")
    {
        return toml_edit::de::from_str(&text).expect("TOML");
    }
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

#[track_caller]
fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Writes a file below the home directory.
fn write(home: &Home, path: &str, contents: &str) -> PathBuf {
    let path = home.path().join(path);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    std::fs::write(&path, contents).expect("a file");
    path
}

#[track_caller]
fn says(ran: &Ran, code: i32, expect: &str) {
    assert_eq!(ran.code(), code, "{}{}", ran.stdout(), ran.stderr());
    assert!(ran.stderr().contains(expect), "{}", ran.stderr());
}

fn every_client_made_anew() {
    for expected in clients() {
        let home = Home::new();
        let (client, file) = (expected.client, home.path().join(expected.user));
        let said = home.tool(&format!("connect {client} --yes --json")).json();
        assert_eq!(said["file"], json!(file), "{client}");
        assert_eq!(
            (&said["change"], &said["scope"]),
            (&json!("created"), &json!("user"))
        );

        let entry = merged(expected.preset, server(&home, &home.tool_home()));
        let whole = json!({ expected.section: { "tool-hub": entry } });
        assert_eq!(read(&file), whole, "{client}");
        assert!(
            text(&file).ends_with("}\n") || text(&file).ends_with("]\n"),
            "{client}"
        );

        let before = (text(&file), modified(&file));
        let again = home.tool(&format!("connect {client}"));
        says(&again, 0, "nothing was changed");
        assert_eq!((text(&file), modified(&file)), before, "{client}");

        home.tool(&format!("connect {client} --remove --yes")).ok();
        assert!(!file.exists(), "{client}: {}", text(&file));
        let gone = home.tool(&format!("connect {client} --remove --yes"));
        says(&gone, 1, "has no server called `tool-hub`");
    }
}

fn modified(path: &Path) -> std::time::SystemTime {
    let there = path.metadata().expect("a file");
    there.modified().expect("a time")
}

/// Configurations that are in use, each with something that is easily lost.
fn in_use() -> [(&'static str, &'static str, &'static str); 6] {
    [
        (
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
            "{\n  \"globalShortcut\": \"\",\n  \"mcpServers\": {\n    \"files\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"files\"]\n    }\n  },\n  \"zoom\": 1.50\n}",
        ),
        (
            "vscode",
            ".config/Code/User/mcp.json",
            "// what I use\n{\n\t\"servers\": {\n\t\t/* of mine */ \"files\": { \"type\": \"stdio\", \"command\": \"npx\" }, // local\n\t},\n\t\"inputs\": [],\n}\n",
        ),
        (
            "zed",
            ".config/zed/settings.json",
            "// Zed settings\n//\n{\n  \"theme\": \"One Dark\",\n  \"vim_mode\": true, // always\n  \"agent\": {\n    \"dock\": \"right\",\n  },\n  // the end\n}\n",
        ),
        (
            "gemini-cli",
            ".gemini/settings.json",
            "\u{feff}{\r\n    \"mcpServers\": {\r\n        \"git\": {\r\n            \"command\": \"uvx\"\r\n        }\r\n    },\r\n    \"theme\": \"Dracula\"\r\n}\r\n",
        ),
        (
            "codex",
            ".codex/config.toml",
            "# mine\nmodel = 'o3'  # the large one\n\n[mcp_servers.files]\ncommand = \"npx\" # node\nargs = [\n  \"-y\",\n  \"files\",\n]\n\n[projects.\"/a b\"]\ntrust_level = \"trusted\"\n# end\n",
        ),
        (
            "claude-code",
            ".claude.json",
            "{\n  \"numStartups\": 12345678901234567890,\n  \"projects\": {\n    \"/p\": {\n      \"history\": [\"\\u001b[31m\", \"\\/\"]\n    }\n  }\n}\n",
        ),
    ]
}

fn beside_others() {
    for (client, path, before) in in_use() {
        let home = Home::new();
        let file = write(&home, path, before);
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).expect("permissions");

        home.tool(&format!("connect {client} --yes")).ok();
        let after = text(&file);
        for line in before.lines() {
            // An entry that is not the last any more gets a comma.
            assert!(
                after.contains(line.trim_end()),
                "{client}: {line:?}\n{after}"
            );
        }
        assert!(after.len() > before.len(), "{client}");
        let again = home.tool(&format!("connect {client} --yes"));
        says(&again, 0, "nothing was changed");

        home.tool(&format!("connect {client} --remove --yes")).ok();
        assert_eq!(text(&file), before, "{client}");
        let mode = file.metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{client}");
    }
}

fn what_a_user_added_stays() {
    let home = Home::new();
    let old = r#"{
  "mcpServers": {
    "tool-hub": {
      // loads slowly
      "timeout": 90,
      "command": "/gone/tool",
      "args": ["serve"],
      "env": { "API_KEY_FILE": "/secrets/key" }
    }
  }
}
"#;
    let file = write(&home, ".cursor/mcp.json", old);
    let said = home.tool("connect cursor --yes --json").json();
    assert_eq!(said["change"], "updated");
    let after = text(&file);
    assert!(
        after.contains("      // loads slowly\n      \"timeout\": 90,\n"),
        "{after}"
    );
    assert!(
        after.contains("\"API_KEY_FILE\": \"/secrets/key\""),
        "{after}"
    );
    assert!(after.contains(env!("CARGO_BIN_EXE_tool")), "{after}");
    assert!(!after.contains("/gone/tool"), "{after}");
    assert!(
        !after.contains("\"type\""),
        "what was taken out is not put back: {after}"
    );
}

fn in_a_project() {
    let home = Home::new();
    home.write("toolbox.toml", "");
    std::fs::create_dir_all(home.work().join("src/deep")).expect("a directory");
    for expected in clients() {
        let client = expected.client;
        let mut command = home.command(["connect", client, "--yes", "--json"]);
        let output = command.current_dir(home.work().join("src/deep")).output();
        let output = output.expect("the command starts");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let file = match expected.project {
            Some(file) => home.work().join(file),
            None => home.path().join(expected.user),
        };
        assert_eq!(said["file"], json!(file), "{client}");
        let found = &read(&file)[expected.section]["tool-hub"];
        assert_eq!(
            *found,
            merged(expected.preset, server(&home, &home.work())),
            "{client}"
        );
        let warned = String::from_utf8_lossy(&output.stderr).contains("those of this machine");
        assert_eq!(warned, expected.project.is_some(), "{client}");

        let own = home
            .tool(&format!("connect {client} --scope user --yes --json"))
            .json();
        assert_eq!(
            own["file"],
            json!(home.path().join(expected.user)),
            "{client}"
        );
        let other = home.tool(&format!("connect {client} --scope project --yes"));
        match expected.project {
            Some(_) => {
                other.ok();
                let both = home.tool(&format!("connect {client} --remove --yes"));
                says(
                    &both,
                    1,
                    "say which one with --scope user or --scope project",
                );
                home.tool(&format!("connect {client} --remove --scope user --yes"))
                    .ok();
                assert!(file.exists(), "{client}");
            }
            None => says(&other, 1, "has no configuration for a single project"),
        }
        home.tool(&format!("connect {client} --remove --yes")).ok();
        assert!(!file.exists(), "{client}");
    }
}

fn moved_by_a_variable() {
    let place = tempfile::tempdir().expect("a directory");
    let place = place.path().canonicalize().expect("a path");
    let home = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME"]
        .into_iter()
        .fold(Home::new(), |home, name| {
            home.with(name, &place.to_string_lossy())
        });
    for (client, file) in [
        ("claude", ".claude.json"),
        ("codex", "config.toml"),
        ("copilot", "mcp-config.json"),
    ] {
        home.tool(&format!("connect {client} --yes")).ok();
        assert!(text(&place.join(file)).contains("tool-hub"), "{client}");
    }

    // Without TOOL_HUB_HOME the usual directories are told, and only those that are not usual.
    let config = home.path().join("elsewhere");
    let usual = home.path().join(".cache");
    let mut command = home.command(["connect", "vscode", "--yes"]);
    command
        .env_remove("TOOL_HUB_HOME")
        .env("XDG_CONFIG_HOME", &config)
        .env("XDG_CACHE_HOME", usual)
        .env("XDG_DATA_HOME", "relative");
    assert!(command.status().expect("the command starts").success());
    let found = read(&config.join("Code/User/mcp.json"));
    let found = &found["servers"]["tool-hub"];
    assert_eq!(found["env"], json!({ "XDG_CONFIG_HOME": config }));
    assert_eq!(found["args"][2], json!(config.join("tool-hub")));
}

fn links_are_followed() {
    let home = Home::new();
    let real = write(&home, "dotfiles/cursor.json", "{}\n");
    let link = home.path().join(".cursor/mcp.json");
    std::fs::create_dir(home.path().join(".cursor")).expect("a directory");
    symlink(&real, &link).expect("a link");
    home.tool("connect cursor --yes").ok();
    assert_eq!(std::fs::read_link(&link).expect("a link"), real);
    assert!(text(&real).contains("tool-hub"));
    home.tool("connect cursor --remove --yes").ok();
    assert_eq!(std::fs::read_link(&link).expect("a link"), real);
    assert_eq!(text(&real), "{}\n");

    std::fs::remove_file(&real).expect("a file");
    says(&home.tool("connect cursor --yes"), 1, "is a broken link");
    assert!(!real.exists());
}
