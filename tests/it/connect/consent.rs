//! Tests of what `tool connect` refuses and asks before it writes.

use serde_json::json;

use super::{read, says, text, write};
use crate::support::{Home, Terminal, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test(
            "connect::broken_files_are_refused",
            broken_files_are_refused,
        ),
        test(
            "connect::what_is_not_ours_is_left",
            what_is_not_ours_is_left,
        ),
        test("connect::nobody_is_there_to_ask", nobody_is_there_to_ask),
        test("connect::yes_at_a_terminal", yes_at_a_terminal),
        test("connect::changed_meanwhile", changed_meanwhile),
        test(
            "connect::links_are_not_followed_out_of_a_project",
            links_are_not_followed_out_of_a_project,
        ),
        test(
            "connect::a_link_of_one_s_own_is_shown",
            a_link_of_one_s_own_is_shown,
        ),
    ]
}

fn broken_files_are_refused() {
    for (client, path, broken, place, reason) in [
        (
            "vscode",
            ".config/Code/User/mcp.json",
            "{\n  \"servers\": {\n",
            ":2",
            "line 2",
        ),
        (
            "zed",
            ".config/zed/settings.json",
            "{\n \"a\": 1\n \"b\": 2 }\n",
            ":2",
            "comma",
        ),
        (
            "claude-code",
            ".claude.json",
            "{\n // mine\n}\n",
            ":2",
            "no comments",
        ),
        (
            "codex",
            ".codex/config.toml",
            "a = 1\n\nb = \n",
            ":3",
            "line 3",
        ),
        (
            "cursor",
            ".cursor/mcp.json",
            "[1]\n",
            "",
            "it is not an object",
        ),
        (
            "kiro",
            ".kiro/settings/mcp.json",
            "{\"mcpServers\": 1}",
            "",
            "is not an object",
        ),
        (
            "windsurf",
            ".codeium/windsurf/mcp_config.json",
            "{\"mcpServers\": {}, \"mcpServers\": {}}",
            "",
            "it has \"mcpServers\" twice",
        ),
    ] {
        let home = Home::new();
        let file = write(&home, path, broken);
        let refused = home.tool(&format!("connect {client} --yes"));
        says(
            &refused,
            1,
            &format!("{}{place} cannot be read as ", file.display()),
        );
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
    says(
        &home.tool("connect cursor --yes"),
        1,
        "it is not a regular file",
    );
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
    says(
        &home.tool("connect cursor --remove"),
        3,
        "then write it with --yes",
    );
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
        assert_eq!(
            ended.status.code(),
            Some(code),
            "{answer:?}\n{}",
            ended.shown
        );
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
    assert!(
        ended
            .shown
            .contains("was changed by somebody else meanwhile"),
        "{}",
        ended.shown
    );
    assert_eq!(text(&file), "{\n  \"numStartups\": 2\n}\n");
}

/// A checkout may contain a link in place of a configuration file or of its directory.
fn links_are_not_followed_out_of_a_project() {
    let home = Home::new();
    home.write("toolbox.toml", "");
    let theirs = "{ \"servers\": {} }\n";
    let outside = write(&home, "elsewhere/mcp.json", theirs);
    let directory = home.work().join(".vscode");
    std::fs::create_dir(&directory).expect("a directory");
    let links = [
        (outside.clone(), directory.join("mcp.json"), "vscode"),
        (
            home.path().join("elsewhere"),
            home.work().join(".cursor"),
            "cursor",
        ),
    ];
    for (target, place, client) in links {
        std::os::unix::fs::symlink(target, place).expect("a link");
        let refused = home.tool(&format!("connect {client} --scope project --yes"));
        says(&refused, 3, "leads out of");
        assert_eq!(text(&outside), theirs, "{client}");
    }
    // A link within the project is followed.
    std::fs::remove_file(directory.join("mcp.json")).expect("a link");
    let inner = home.write("settings/mcp.json", theirs);
    std::os::unix::fs::symlink("../settings/mcp.json", directory.join("mcp.json")).expect("a link");
    home.tool("connect vscode --scope project --yes").ok();
    assert!(text(&inner).contains("tool-hub"), "{}", text(&inner));
}

/// The difference and the question name the link's target, which is the file that is written.
fn a_link_of_one_s_own_is_shown() {
    let home = Home::new();
    let real = write(&home, "dotfiles/mcp.json", "{}\n");
    let link = home.path().join(".cursor/mcp.json");
    std::fs::create_dir(home.path().join(".cursor")).expect("a directory");
    std::os::unix::fs::symlink(&real, &link).expect("a link");
    let shown = format!("{} (a link to {})", link.display(), real.display());
    let dry = home.tool("connect cursor --scope user --dry-run");
    assert!(dry.ok().contains(&shown), "{}", dry.stdout());
    let mut terminal = Terminal::start(home.command(["connect", "cursor", "--scope", "user"]));
    terminal.wait_for("Type yes to approve");
    terminal.answer("no");
    let ended = terminal.end();
    let asked = ended.shown.replace("\r\n", "");
    assert!(asked.contains(&format!("Write {shown}?")), "{asked}");
    assert_eq!(text(&real), "{}\n");
}
