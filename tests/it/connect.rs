//! `tool connect`: clients' own configurations, written with consent and given back as they
//! were.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Home, Ran, Terminal, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("connect::every_client_made_anew", every_client_made_anew),
        test("connect::beside_others", beside_others),
        test("connect::what_a_user_added_stays", what_a_user_added_stays),
        test("connect::in_a_project", in_a_project),
        test("connect::moved_by_a_variable", moved_by_a_variable),
        test("connect::broken_files_are_refused", broken_files_are_refused),
        test("connect::what_is_not_ours_is_left", what_is_not_ours_is_left),
        test("connect::nobody_is_there_to_ask", nobody_is_there_to_ask),
        test("connect::yes_at_a_terminal", yes_at_a_terminal),
        test("connect::changed_meanwhile", changed_meanwhile),
        test("connect::dry_run", dry_run),
        test("connect::links_are_followed", links_are_followed),
        test("connect::listed", listed),
        test("connect::unknown_clients", unknown_clients),
        test("connect::texts_are_shown_and_not_obeyed", texts_are_shown_and_not_obeyed),
    ]
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
        expected("claude-code", ".claude.json", Some(".mcp.json"), "mcpServers", stdio()),
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
        expected("cursor", ".cursor/mcp.json", Some(".cursor/mcp.json"), "mcpServers", stdio()),
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
    if path.extension().is_some_and(|extension| extension == "toml") {
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
        assert_eq!((&said["change"], &said["scope"]), (&json!("created"), &json!("user")));

        let entry = merged(expected.preset, server(&home, &home.tool_home()));
        let whole = json!({ expected.section: { "tool-hub": entry } });
        assert_eq!(read(&file), whole, "{client}");
        assert!(text(&file).ends_with("}\n") || text(&file).ends_with("]\n"), "{client}");

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
            // Whoever is not the last any more gets a comma.
            assert!(after.contains(line.trim_end()), "{client}: {line:?}\n{after}");
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
    assert!(after.contains("      // loads slowly\n      \"timeout\": 90,\n"), "{after}");
    assert!(after.contains("\"API_KEY_FILE\": \"/secrets/key\""), "{after}");
    assert!(after.contains(env!("CARGO_BIN_EXE_tool")), "{after}");
    assert!(!after.contains("/gone/tool"), "{after}");
    assert!(!after.contains("\"type\""), "what was taken out is not put back: {after}");
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
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let file = match expected.project {
            Some(file) => home.work().join(file),
            None => home.path().join(expected.user),
        };
        assert_eq!(said["file"], json!(file), "{client}");
        let found = &read(&file)[expected.section]["tool-hub"];
        assert_eq!(*found, merged(expected.preset, server(&home, &home.work())), "{client}");
        let warned = String::from_utf8_lossy(&output.stderr).contains("those of this machine");
        assert_eq!(warned, expected.project.is_some(), "{client}");

        let own = home.tool(&format!("connect {client} --scope user --yes --json")).json();
        assert_eq!(own["file"], json!(home.path().join(expected.user)), "{client}");
        let other = home.tool(&format!("connect {client} --scope project --yes"));
        match expected.project {
            Some(_) => {
                other.ok();
                let both = home.tool(&format!("connect {client} --remove --yes"));
                says(&both, 1, "say which one with --scope user or --scope project");
                home.tool(&format!("connect {client} --remove --scope user --yes")).ok();
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
        .fold(Home::new(), |home, name| home.with(name, &place.to_string_lossy()));
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

fn broken_files_are_refused() {
    for (client, path, broken, place, reason) in [
        ("vscode", ".config/Code/User/mcp.json", "{\n  \"servers\": {\n", ":3 ", "line 3"),
        ("zed", ".config/zed/settings.json", "{\n \"a\": 1\n \"b\": 2 }\n", ":2 ", "comma"),
        ("claude-code", ".claude.json", "{\n // mine\n}\n", ":2 ", "comments are not allowed"),
        ("codex", ".codex/config.toml", "a = 1\n\nb = \n", ":3 ", "line 3"),
        ("cursor", ".cursor/mcp.json", "[1]\n", "mcp.json ", "it is not an object"),
        ("kiro", ".kiro/settings/mcp.json", "{\"mcpServers\": 1}", "mcp.json ", "is not an object"),
        (
            "windsurf",
            ".codeium/windsurf/mcp_config.json",
            "{\"mcpServers\": {}, \"mcpServers\": {}}",
            "mcp_config.json ",
            "it has \"mcpServers\" twice",
        ),
    ] {
        let home = Home::new();
        let file = write(&home, path, broken);
        let refused = home.tool(&format!("connect {client} --yes"));
        says(&refused, 1, &format!("{}{}", file.display(), place.trim_start_matches("mcp.json").trim_start_matches("mcp_config.json")));
        says(&refused, 1, reason);
        says(&refused, 1, "hint: mend the file in an editor");
        assert_eq!(text(&file), broken, "{client}");
    }
    let home = Home::new();
    let file = write(&home, ".cursor/mcp.json", "");
    std::fs::write(&file, b"{\"a\": \"\xff\"}").expect("a file");
    says(&home.tool("connect cursor --yes"), 1, "cannot be read");
    std::fs::remove_file(&file).expect("a file");
    std::fs::create_dir(&file).expect("a directory");
    says(&home.tool("connect cursor --yes"), 1, "it is not a file");
}

fn what_is_not_ours_is_left() {
    let home = Home::new();
    let theirs = "{ \"mcpServers\": { \"tool-hub\": { \"url\": \"https://example.com\" } } }\n";
    let file = write(&home, ".cursor/mcp.json", theirs);
    for arguments in ["connect cursor --yes", "connect cursor --remove --yes"] {
        let refused = home.tool(arguments);
        says(&refused, 1, "is not one that `tool connect` wrote");
        says(&refused, 1, "choose another name with --name");
        assert_eq!(text(&file), theirs);
    }
    home.tool("connect cursor --name mine --yes").ok();
    let servers = &read(&file)["mcpServers"];
    assert_eq!(servers["tool-hub"], json!({ "url": "https://example.com" }));
    assert_eq!(servers["mine"]["command"], env!("CARGO_BIN_EXE_tool"));
    let odd = home.run(["connect", "cursor", "--name", "my tools", "--yes"]);
    says(&odd, 1, "write 1 to 64 letters, digits, - and _");
}

fn nobody_is_there_to_ask() {
    let home = Home::new();
    let before = home.files();
    let refused = home.tool("connect cursor");
    says(&refused, 3, "nobody is there to ask whether");
    says(&refused, 3, "then write it with --yes");
    says(&refused, 3, "+      \"command\": ");
    assert_eq!(home.files(), before);

    home.tool("connect cursor --yes").ok();
    let before = text(&home.path().join(".cursor/mcp.json"));
    says(&home.tool("connect cursor --remove"), 3, "then write it with --yes");
    assert_eq!(text(&home.path().join(".cursor/mcp.json")), before);
}

fn yes_at_a_terminal() {
    let home = Home::new();
    let file = home.path().join(".cursor/mcp.json");
    for (answer, code) in [("y", 3), ("", 3), ("yes please", 3), ("yes", 0)] {
        assert!(!file.exists());
        let mut terminal = Terminal::start(home.command(["connect", "cursor"]));
        terminal.wait_for("+    \"tool-hub\": {");
        terminal.wait_for(&format!("Write {}? Type yes to approve: ", file.display()));
        terminal.answer(answer);
        let ended = terminal.end();
        assert_eq!(ended.status.code(), Some(code), "{answer:?}\n{}", ended.shown);
    }
    assert!(text(&file).contains("\"tool-hub\""));

    let mut terminal = Terminal::start(home.command(["connect", "cursor", "--remove"]));
    terminal.wait_for(&format!("Delete {}? Type yes to approve: ", file.display()));
    terminal.answer("yes");
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.shown);
    assert!(!file.exists());
}

/// Clients write their own files, too.
fn changed_meanwhile() {
    let home = Home::new();
    let file = write(&home, ".claude.json", "{\n  \"numStartups\": 1\n}\n");
    let mut terminal = Terminal::start(home.command(["connect", "claude-code"]));
    terminal.wait_for("Type yes to approve: ");
    std::fs::write(&file, "{\n  \"numStartups\": 2\n}\n").expect("a file");
    terminal.answer("yes");
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(1), "{}", ended.shown);
    assert!(ended.shown.contains("was changed by somebody else meanwhile"), "{}", ended.shown);
    assert_eq!(text(&file), "{\n  \"numStartups\": 2\n}\n");
}

fn dry_run() {
    let home = Home::new();
    let file = write(&home, ".gemini/settings.json", "{\n\t\"theme\": \"Dracula\"\n}\n");
    let before = home.files();
    let shown = home.tool("connect gemini --dry-run");
    let lines: Vec<String> = shown.ok().lines().map(str::to_owned).collect();
    assert_eq!(lines[0], format!("--- {}", file.display()));
    assert_eq!(lines[1], format!("+++ {}", file.display()));
    assert!(lines.contains(&"-    \"theme\": \"Dracula\"".to_owned()), "{lines:?}");
    assert!(lines.contains(&"+    \"theme\": \"Dracula\",".to_owned()), "{lines:?}");
    assert!(shown.stderr().contains("nothing was written"), "{}", shown.stderr());
    let told = home.tool("connect gemini --dry-run --json").json();
    assert_eq!((&told["written"], &told["change"]), (&json!(false), &json!("updated")));
    assert_eq!(told["client"], "gemini-cli");
    assert!(told["diff"].as_str().expect("a text").contains("-\t\"theme\""), "{told}");
    assert_eq!(told["server"], server(&home, &home.tool_home()));
    assert_eq!(home.files(), before);
    assert_eq!(text(&file), "{\n\t\"theme\": \"Dracula\"\n}\n");
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
    says(&home.tool("connect cursor --yes"), 1, "is a link that leads nowhere");
    assert!(!real.exists());
}

fn listed() {
    let home = Home::new();
    says(&home.tool("connect --list"), 0, "no client is connected");
    assert_eq!(home.tool("connect --list --json").json(), json!({ "connections": [] }));

    crate::foreign::load_adder(&home);
    home.tool("connect codex --only adder --name adder --yes").ok();
    home.tool("connect zed --scope project --yes").ok();
    let gone = json!({ "mcpServers": { "old": { "command": "/gone/tool", "args": ["serve"] } } });
    write(&home, ".cursor/mcp.json", &gone.to_string());
    let broken = write(&home, ".gemini/settings.json", "{");

    let ran = home.tool("connect --list");
    let rows: Vec<String> = ran.ok().lines().map(str::to_owned).collect();
    let row = |index: usize| rows[index].split_whitespace().collect::<Vec<_>>();
    let (own, codex) = (home.tool_home(), home.path().join(".codex/config.toml"));
    let (own, codex) = (own.to_string_lossy(), codex.to_string_lossy());
    assert_eq!(rows.len(), 4, "{rows:?}");
    assert_eq!(row(0), ["CLIENT", "SCOPE", "NAME", "TOOLS", "TOOLBOX", "FILE"]);
    assert_eq!(row(1), ["codex", "user", "adder", "adder", &own, &codex]);
    assert_eq!(row(2)[..5], ["cursor", "user", "old", "all", "nearest"]);
    assert_eq!(row(3)[..5], ["zed", "project", "tool-hub", "all", &own]);
    says(&ran, 0, &format!("left out: {}:1 cannot be read as JSON", broken.display()));
    says(&ran, 0, "there is no /gone/tool, which `old` in");
    says(&ran, 0, "tool connect cursor --scope user --name old");

    let listed = home.tool("connect --list --json").json();
    let connections = listed["connections"].as_array().expect("connections");
    assert_eq!(connections.len(), 3, "{listed}");
    assert_eq!(connections[0]["starts"]["only"], json!(["adder"]));
    assert_eq!(connections[1]["program_is_there"], json!(false));
}

fn unknown_clients() {
    let home = Home::new();
    let before = home.files();
    let ran = home.tool("connect my-own-agent --yes");
    says(&ran, 1, "`my-own-agent` is not a client whose configuration is known");
    says(&ran, 1, "paste the above");
    says(&ran, 1, "known are claude-code, claude-desktop, codex");
    let snippet: Value = serde_json::from_str(&ran.stdout()).expect("JSON");
    assert_eq!(
        snippet,
        json!({ "mcpServers": { "tool-hub": server(&home, &home.tool_home()) } })
    );
    let ran = home.tool("connect cursr --yes");
    says(&ran, 1, "did you mean `cursor`?");
    assert_eq!(ran.stdout(), "");
    let ran = home.tool("connect cursor --only wether --yes");
    says(&ran, 1, "there is no tool called `wether`");
    assert_eq!(home.files(), before);
}

fn texts_are_shown_and_not_obeyed() {
    let home = Home::new();
    let hostile = "{\n  \"mcpServers\": {\n    \"x\": {} // \u{202e}\u{9b}31m\n  }\n}\n";
    let file = write(&home, ".cursor/mcp.json", hostile);
    let shown = home.tool("connect cursor --dry-run");
    assert!(shown.ok().contains("// \\u{202e}\\u{9b}31m"), "{}", shown.stdout());
    let refused = home.tool("connect cursor");
    says(&refused, 3, "// \\u{202e}\\u{9b}31m");
    assert!(!refused.stderr().contains('\u{9b}'));
    home.tool("connect cursor --yes").ok();
    assert!(text(&file).contains("// \u{202e}\u{9b}31m\n"));
}
