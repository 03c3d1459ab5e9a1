//! Tests of `tool adopt --undo` after others changed the configuration, and of interrupted runs.

use serde_json::json;

use super::{adopt_adder, give_back, shelf, text, undo, write};
use crate::support::ran::says;
use crate::support::{Home, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("adopt::edits_of_others_stay", edits_of_others_stay),
        test("adopt::twice_and_back", twice_and_back),
        test(
            "adopt::an_interrupted_run_is_told",
            an_interrupted_run_is_told,
        ),
        test(
            "adopt::a_file_that_is_gone_comes_back",
            a_file_that_is_gone_comes_back,
        ),
        test(
            "adopt::a_connection_of_one_s_own_stays",
            a_connection_of_one_s_own_stays,
        ),
    ]
}

/// An entry that no editor would write so.
const ENTRY: &str = "{\n      // adds\n      \"command\": \"\\u0075vx\", \"args\": [ \"adder-mcp\" ],\n      \"timeout\": 1.50 }";

fn edits_of_others_stay() {
    let home = Home::new();
    let shelf = shelf(&home);
    let before = format!(
        "{{\n  \"mcpServers\": {{\n    \"sums\": {ENTRY},\n    \"last\": {{ \"command\": \"docker\" }}\n  }}\n}}\n"
    );
    let file = write(&home, ".cursor/mcp.json", &before);
    adopt_adder(&home, &shelf, "");
    let mine = text(&file).replacen("{\n", "{\n  \"added\": true, // since\n", 1);
    std::fs::write(&file, &mine).expect("a file");
    let back = give_back(&home, "adopt --undo --yes");
    assert_eq!(back["removed"], json!(["adder"]));
    let after = text(&file);
    assert!(after.contains("\"added\": true, // since\n"), "{after}");
    assert!(after.contains(&format!("\"sums\": {ENTRY}")), "{after}");
    assert!(
        !after.contains("tool-hub") && after.contains("\"last\""),
        "{after}"
    );
    assert!(after.find("\"sums\"") < after.find("\"last\""), "{after}");

    // The same in TOML, whose tables stand where they are.
    let toml = "# mine\n[mcp_servers.sums] # adds\ncommand = 'uvx'\nargs = [ \"adder-mcp\" ]\n\n[mcp_servers.sums.env]\nA = \"b\" # c\n\n[z]\nq = 1\n";
    std::fs::remove_file(&file).expect("a file");
    let file = write(&home, ".codex/config.toml", toml);
    adopt_adder(&home, &shelf, "");
    std::fs::write(&file, text(&file).replace("q = 1", "q = 2 # since")).expect("a file");
    give_back(&home, "adopt --undo --yes");
    let after = text(&file);
    for part in [
        "# mine\n[mcp_servers.sums] # adds\ncommand = 'uvx'\nargs = [ \"adder-mcp\" ]\n",
        "[mcp_servers.sums.env]\nA = \"b\" # c\n",
        "[z]\nq = 2 # since\n",
    ] {
        assert!(after.contains(part), "{after}");
    }
    assert!(!after.contains("tool-hub"), "{after}");
}

/// Servers that are taken over one after the other come back together.
fn twice_and_back() {
    let home = Home::new();
    let shelf = shelf(&home);
    let before = "{ \"mcpServers\": {\n  \"sums\": { \"command\": \"uvx\", \"args\": [\"adder-mcp\"] },\n  \"more\": { \"command\": \"npx\", \"args\": [\"@a/adder-mcp\"] } } }";
    let file = write(&home, ".cursor/mcp.json", before);
    adopt_adder(&home, &shelf, "");
    let command = format!(
        "adopt --server more --as component --shelf {}",
        shelf.display()
    );
    let digest = super::digest(&home, &command);
    home.tool(&format!("{command} --approve {digest}")).ok();
    assert!(!text(&file).contains("\"more\""), "{}", text(&file));

    // One alone comes back beside the other's tool.
    give_back(&home, "adopt --undo --server more --yes");
    let between = text(&file);
    assert!(
        between.contains("\"more\"") && between.contains("tool-hub"),
        "{between}"
    );
    home.tool(&format!("{command} --approve {digest}")).ok();
    let back = give_back(&home, "adopt --undo --yes");
    assert_eq!(back["removed"], json!(["adder"]));
    let after: serde_json::Value = serde_json::from_str(&text(&file)).expect("JSON");
    let expect: serde_json::Value = serde_json::from_str(before).expect("JSON");
    assert_eq!(after, expect);
}

/// As after a power failure: the tool is loaded and recorded, and the client's file is as it was.
fn an_interrupted_run_is_told() {
    let home = Home::new();
    let shelf = shelf(&home);
    let before =
        "{ \"mcpServers\": { \"sums\": { \"command\": \"uvx\", \"args\": [\"adder-mcp\"] } } }\n";
    let file = write(&home, ".cursor/mcp.json", before);
    adopt_adder(&home, &shelf, "");
    std::fs::write(&file, before).expect("a file");
    let told = home.tool("adopt");
    says(
        &told,
        0,
        "taking over `sums` of Cursor was interrupted: `adder` is in the toolbox",
    );
    says(&told, 0, "tool adopt --undo cursor");

    // Either way out is open.
    adopt_adder(&home, &shelf, "");
    assert!(!text(&file).contains("sums"));
    std::fs::write(&file, before).expect("a file");
    let back = give_back(&home, "adopt --undo --yes");
    assert_eq!(text(&file), before);
    assert_eq!(back["restored"][0]["servers"], json!(["sums"]));
    assert!(!home.tool_home().join("adopted.toml").exists());
}

fn a_file_that_is_gone_comes_back() {
    let home = Home::new();
    let shelf = shelf(&home);
    let before = format!("{{ \"mcpServers\": {{ \"sums\": {ENTRY} }} }}\n");
    let file = write(&home, ".cursor/mcp.json", &before);
    adopt_adder(&home, &shelf, "");
    std::fs::remove_file(&file).expect("a file");
    give_back(&home, "adopt --undo --yes");
    assert!(text(&file).contains(ENTRY), "{}", text(&file));
}

fn a_connection_of_one_s_own_stays() {
    let home = Home::new();
    let shelf = shelf(&home);
    let entry = "\"sums\": { \"command\": \"uvx\", \"args\": [\"adder-mcp\"] }";
    let file = write(
        &home,
        ".cursor/mcp.json",
        &format!("{{ \"mcpServers\": {{ {entry} }} }}\n"),
    );
    home.tool("connect cursor --yes").ok();
    let before = text(&file);
    adopt_adder(&home, &shelf, "");
    let between = text(&file);
    assert!(
        between.contains("tool-hub") && !between.contains("sums"),
        "{between}"
    );
    let undone = undo(&home, "adopt --undo --yes");
    says(&undone, 0, "Cursor uses it");
    assert_eq!(text(&file), before);
}
