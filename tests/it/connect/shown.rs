//! Tests of the output of `tool connect` (differences, lists, text to paste) and of its reference.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{clients, says, server, text, write};
use crate::support::adder::load_adder;
use crate::support::documents::{options_of, reference, rows, words};
use crate::support::{Home, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("connect::dry_run", dry_run),
        test("connect::listed", listed),
        test("connect::unknown_clients", unknown_clients),
        test(
            "connect::texts_are_shown_and_not_obeyed",
            texts_are_shown_and_not_obeyed,
        ),
        test("connect::what_cannot_be_served", what_cannot_be_served),
        test("connect::the_reference_is_right", the_reference_is_right),
    ]
}

fn dry_run() {
    let home = Home::new();
    let file = write(
        &home,
        ".gemini/settings.json",
        "{\n\t\"theme\": \"Dracula\"\n}\n",
    );
    let before = home.files();
    let shown = home.tool("connect gemini --dry-run");
    let lines: Vec<String> = shown.ok().lines().map(str::to_owned).collect();
    assert_eq!(lines[0], format!("--- {}", file.display()));
    assert_eq!(lines[1], format!("+++ {}", file.display()));
    assert!(
        lines.contains(&"-    \"theme\": \"Dracula\"".to_owned()),
        "{lines:?}"
    );
    assert!(
        lines.contains(&"+    \"theme\": \"Dracula\",".to_owned()),
        "{lines:?}"
    );
    assert!(
        shown.stderr().contains("nothing was written"),
        "{}",
        shown.stderr()
    );
    let told = home.tool("connect gemini --dry-run --json").json();
    assert_eq!(
        (&told["written"], &told["change"]),
        (&json!(false), &json!("updated"))
    );
    assert_eq!(told["client"], "gemini-cli");
    assert!(
        told["diff"]
            .as_str()
            .expect("a text")
            .contains("-\t\"theme\""),
        "{told}"
    );
    assert_eq!(told["server"], server(&home, &home.tool_home()));
    assert_eq!(home.files(), before);
    assert_eq!(text(&file), "{\n\t\"theme\": \"Dracula\"\n}\n");
}

fn listed() {
    let home = Home::new();
    says(&home.tool("connect --list"), 0, "no client is connected");
    assert_eq!(
        home.tool("connect --list --json").json(),
        json!({ "connections": [] })
    );

    load_adder(&home, "adder");
    home.tool("connect codex --only adder --name adder --yes")
        .ok();
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
    assert_eq!(
        row(0),
        ["CLIENT", "SCOPE", "NAME", "TOOLS", "TOOLBOX", "FILE"]
    );
    assert_eq!(row(1), ["codex", "user", "adder", "adder", &own, &codex]);
    assert_eq!(row(2)[..5], ["cursor", "user", "old", "all", "nearest"]);
    assert_eq!(row(3)[..5], ["zed", "project", "tool-hub", "all", &own]);
    says(
        &ran,
        0,
        &format!("left out: {}:1 cannot be read as JSON", broken.display()),
    );
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
    says(
        &ran,
        1,
        "`my-own-agent` is not a client whose configuration is known",
    );
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
    assert!(
        shown.ok().contains("// \\u{202e}\\u{9b}31m"),
        "{}",
        shown.stdout()
    );
    let refused = home.tool("connect cursor");
    says(&refused, 3, "// \\u{202e}\\u{9b}31m");
    assert!(!refused.stderr().contains('\u{9b}'));
    home.tool("connect cursor --yes").ok();
    assert!(text(&file).contains("// \u{202e}\u{9b}31m\n"));
}

fn what_cannot_be_served() {
    let home = Home::new();
    load_adder(&home, "plus");
    let toolbox = home.tool_home().join("toolbox.toml");
    let more = text(&toolbox) + "\n[tools.other]\nrepo = \"ada/other\"\n";
    std::fs::write(&toolbox, more).expect("a toolbox");
    let ran = home.tool("connect cursor --dry-run");
    says(
        &ran,
        0,
        "warning: it cannot be served: `other` was never approved",
    );
    let ran = home.tool("connect cursor --only plus --only plus,plus --dry-run --json");
    let told = ran.json();
    let args = told["server"]["args"].as_array().expect("arguments");
    assert_eq!(args[3..], [json!("plus")]);
    assert!(!ran.stderr().contains("never approved"), "{}", ran.stderr());
}

/// The chapter's tables name the clients with their files, and the options, that there are.
fn the_reference_is_right() {
    let heading = "## `tool connect`";
    let written = rows(&reference(), heading);
    assert_eq!(written.len(), clients().len());
    for (expected, (client, file)) in clients().iter().zip(written) {
        let name = words(&client).next();
        assert_eq!(name.as_deref(), Some(expected.client));
        assert_eq!(file, format!("`~/{}`", expected.user));
        for alias in words(&client) {
            let told = Home::new()
                .tool(&format!("connect {alias} --dry-run --json"))
                .json();
            assert_eq!(told["client"], expected.client, "{alias}");
        }
    }
    let reference = reference();
    let (_, chapter) = reference.split_once(heading).expect("a chapter");
    let (_, table) = chapter.split_once("| option | meaning |").expect("a table");
    let written: BTreeSet<String> = rows(&format!("\n#\n| option | meaning |{table}"), "#")
        .iter()
        .flat_map(|(option, _)| words(option))
        .collect();
    assert_eq!(written, options_of("connect --help"));
}
