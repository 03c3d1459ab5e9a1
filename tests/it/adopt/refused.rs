//! Tests of what `tool adopt` refuses, and that nothing is half written then.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::{adopt_adder, digest, give_back, shelf, text, undo, write};
use crate::support::ran::says;
use crate::support::{Home, Terminal, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test(
            "adopt::bad_configurations_are_left",
            bad_configurations_are_left,
        ),
        test(
            "adopt::bad_arguments_are_refused",
            bad_arguments_are_refused,
        ),
        test("adopt::a_read_only_file_is_left", a_read_only_file_is_left),
        test("adopt::links_are_followed", links_are_followed),
        test("adopt::a_foreign_name_is_left", a_foreign_name_is_left),
        test("adopt::changed_meanwhile", changed_meanwhile),
    ]
}

const SUMS: &str =
    "{ \"mcpServers\": { \"sums\": { \"command\": \"uvx\", \"args\": [\"adder-mcp\"] } } }\n";

fn bad_configurations_are_left() {
    for (path, broken, reason) in [
        (".cursor/mcp.json", "{ \"mcpServers\": {", "line 1"),
        (
            ".cursor/mcp.json",
            "{ \"mcpServers\": [] }",
            "is not an object",
        ),
        (
            ".cursor/mcp.json",
            "{ \"mcpServers\": { \"a\": {}, \"a\": {} } }",
            "it has \"a\" twice",
        ),
        (".codex/config.toml", "a = [\n", "line 1"),
        (
            ".codex/config.toml",
            "[mcp_servers.a]\nb = 1\n[mcp_servers.a]\nb = 2\n",
            "line 3",
        ),
    ] {
        let home = Home::new();
        let file = write(&home, path, broken);
        let other = write(&home, ".codeium/windsurf/mcp_config.json", SUMS);
        let told = home.tool("adopt --json");
        says(&told, 0, "left out: ");
        says(&told, 0, reason);
        assert_eq!(told.json()["servers"][0]["client"], "windsurf", "{path}");
        let client = if path.starts_with(".codex") {
            "codex"
        } else {
            "cursor"
        };
        let refused = home.tool(&format!("adopt {client}"));
        says(&refused, 1, "so it is left as it is");
        says(&refused, 1, reason);
        assert_eq!((&*text(&file), &*text(&other)), (broken, SUMS));
    }
}

fn bad_arguments_are_refused() {
    let home = Home::new();
    write(&home, ".cursor/mcp.json", SUMS);
    for (arguments, code, expect) in [
        ("adopt cursr", 1, "did you mean `cursor`?"),
        ("adopt --server sum --dry-run", 1, "did you mean `sums`?"),
        ("adopt --as component", 1, "--server"),
        ("adopt --yes", 1, "--undo"),
        (
            "adopt --approve sha256:0000000000000000000000000000000000000000000000000000000000000000",
            1,
            "are for one server",
        ),
        (
            "adopt --server sums --as remote",
            1,
            "`sums` cannot become a remote server",
        ),
        ("adopt --undo", 1, "nothing of this was adopted"),
    ] {
        says(&home.tool(arguments), code, expect);
    }
    let stays = home.tool("adopt --server sums --as stay");
    stays.ok();
    let shelf = shelf(&home);
    let wrong = format!(
        "adopt --server sums --as component --shelf {} --approve sha256:{}",
        shelf.display(),
        "0".repeat(64)
    );
    says(&home.tool(&wrong), 3, "the approval names sha256:0000");
    assert_eq!(text(&home.path().join(".cursor/mcp.json")), SUMS);
    assert!(!home.tool_home().join("adopted.toml").exists());
}

fn a_read_only_file_is_left() {
    let home = Home::new();
    let shelf = shelf(&home);
    let file = write(&home, ".cursor/mcp.json", SUMS);
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o444)).expect("permissions");
    let command = format!(
        "adopt --server sums --as component --shelf {}",
        shelf.display()
    );
    let digest = digest(&home, &command);
    let refused = home.tool(&format!("{command} --approve {digest}"));
    says(&refused, 1, "is read-only");
    says(&refused, 1, "chmod u+w");
    assert_eq!(text(&file), SUMS);
    says(&home.tool("call adder.add a=1 b=2"), 1, "adder");
}

fn links_are_followed() {
    let home = Home::new();
    let shelf = shelf(&home);
    let real = write(&home, "dotfiles/cursor.json", SUMS);
    let link = home.path().join(".cursor/mcp.json");
    std::fs::create_dir(home.path().join(".cursor")).expect("a directory");
    symlink(&real, &link).expect("a link");
    adopt_adder(&home, &shelf, "");
    assert_eq!(std::fs::read_link(&link).expect("a link"), real);
    assert!(text(&real).contains("tool-hub"));
    give_back(&home, "adopt --undo --yes");
    assert_eq!(std::fs::read_link(&link).expect("a link"), real);
    assert_eq!(text(&real), SUMS);

    // A checkout may have a link in place of a configuration.
    home.write("toolbox.toml", "");
    let outside = write(&home, "elsewhere/mcp.json", SUMS);
    std::fs::create_dir(home.work().join(".cursor")).expect("a directory");
    symlink(&outside, home.work().join(".cursor/mcp.json")).expect("a link");
    let command = format!(
        "adopt --server sums --as component --scope project --shelf {}",
        shelf.display()
    );
    let digest = digest(&home, &command);
    let refused = home.tool(&format!("{command} --approve {digest}"));
    says(&refused, 3, "leads out of");
    assert_eq!(text(&outside), SUMS);
}

fn a_foreign_name_is_left() {
    let home = Home::new();
    let shelf = shelf(&home);
    let taken = SUMS.replacen(
        "\"sums\"",
        "\"tool-hub\": { \"url\": \"https://a.example\" }, \"sums\"",
        1,
    );
    let file = write(&home, ".cursor/mcp.json", &taken);
    let command = format!(
        "adopt --server sums --as component --shelf {}",
        shelf.display()
    );
    let digest = digest(&home, &format!("{command} --name mine"));
    let refused = home.tool(&format!("{command} --approve {digest}"));
    says(&refused, 1, "is not one that `tool connect` wrote");
    assert_eq!(text(&file), taken);
    home.tool(&format!("{command} --approve {digest} --name mine"))
        .ok();
    assert!(text(&file).contains("\"mine\"") && !text(&file).contains("\"sums\""));
    give_back(&home, "adopt --undo --yes");
    assert_eq!(text(&file), taken);
}

/// Clients write their own files, too.
fn changed_meanwhile() {
    let home = Home::new();
    let shelf = shelf(&home).display().to_string();
    let file = write(&home, ".cursor/mcp.json", SUMS);
    let mut terminal = Terminal::start(home.command(["adopt", "--shelf", &shelf]));
    terminal.wait_for("What shall `sums` become: ");
    terminal.answer("component");
    terminal.wait_for("Type yes to approve: ");
    terminal.answer("yes");
    terminal.wait_for("mcp.json? Type yes to approve: ");
    let theirs = SUMS.replace("adder-mcp", "adder-mcp==2");
    std::fs::write(&file, &theirs).expect("a file");
    terminal.answer("yes");
    terminal.wait_for("was changed by somebody else meanwhile");
    assert_eq!(terminal.end().status.code(), Some(1));
    assert_eq!(text(&file), theirs);
    // What was written anew is not put back.
    let back = undo(&home, "adopt --undo --yes");
    says(
        &back,
        0,
        "`sums` was written anew since and is left as it is",
    );
    assert_eq!(text(&file), theirs);
}
