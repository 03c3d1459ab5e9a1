//! Tests of consent at a terminal: only a typed `yes`, to a question that was shown, loads a tool.

use std::os::unix::process::ExitStatusExt as _;

use serde_json::json;
use tool_hub_host::authoring::derive_manifest;
use tool_hub_manifest::{Access, DirectoryRequest, Manifest, Methods, VariableRequest};

use crate::support::adder::adder;
use crate::support::loading::load;
use crate::support::terminal::{CTRL_C, CTRL_D};
use crate::support::{Home, Need, Terminal, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("consent::yes_loads_the_tool", yes_loads_the_tool),
        test(
            "consent::anything_else_loads_nothing",
            anything_else_loads_nothing,
        ),
        test("consent::y_is_asked_again", y_is_asked_again),
        test(
            "consent::what_was_typed_before_is_no_answer",
            what_was_typed_before_is_no_answer,
        ),
        test(
            "consent::every_right_is_asked_for",
            every_right_is_asked_for,
        ),
        test("consent::a_name_that_is_taken", a_name_that_is_taken),
        test(
            "consent::hostile_texts_are_shown_and_not_obeyed",
            hostile_texts_are_shown_and_not_obeyed,
        ),
        test(
            "consent::an_interrupt_leaves_nothing",
            an_interrupt_leaves_nothing,
        )
        .needs(&[Need::Interrupts]),
        test(
            "consent::an_interrupt_shows_keys_again",
            an_interrupt_shows_keys_again,
        ),
    ]
}

/// The last question before a tool is loaded.
const QUESTION: &str = "Load `adder` with these rights? Type yes to approve: ";

/// A person with the package of a tool that adds, its manifest as `edit` leaves it.
fn with_package(edit: impl FnOnce(&mut Manifest)) -> Home {
    let home = Home::new();
    let name = "adder".parse().expect("a name");
    let mut manifest = derive_manifest(&adder(), name).expect("a component");
    edit(&mut manifest);
    home.write("adder/tool.toml", manifest.to_toml());
    home.write("adder/tool.wasm", adder());
    home
}

fn loading(home: &Home) -> Terminal {
    Terminal::start(home.command(["load", "./adder"]))
}

fn yes_loads_the_tool() {
    let home = with_package(|_| ());
    let mut terminal = loading(&home);
    terminal.wait_for("Functions");
    terminal.wait_for(QUESTION);
    terminal.answer("yes");
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.shown);
    assert!(
        ended.shown.contains("loaded adder 0.0.0"),
        "{}",
        ended.shown
    );
    let tool = &home.tool("list --json").json()["tools"][0];
    assert_eq!(tool["approval"]["consent"], "terminal", "{tool}");
    assert_eq!(tool["grants"], json!({}), "{tool}");
    assert_eq!(home.tool("call adder.add a=20 b=22").ok().trim(), "42");
}

fn anything_else_loads_nothing() {
    let home = with_package(|_| ());
    let before = home.files();
    for keys in ["n\r", "\r", "YES\r", "yes please\r", CTRL_D] {
        let mut terminal = loading(&home);
        terminal.wait_for(QUESTION);
        terminal.press(keys);
        let ended = terminal.end();
        assert_eq!(ended.status.code(), Some(3), "{keys:?}\n{}", ended.shown);
        assert!(
            ended
                .shown
                .contains("error: `adder` was not approved; nothing was changed\r\nhint: only the whole word yes approves"),
            "{keys:?}\n{}",
            ended.shown
        );
        assert_eq!(home.files(), before, "after {keys:?}");
    }
}

/// `y` is the answer to the questions before, so it is asked again, without the inspection.
fn y_is_asked_again() {
    let home = with_package(|_| ());
    let mut terminal = loading(&home);
    terminal.wait_for(QUESTION);
    terminal.answer("y");
    terminal.wait_for("Type the whole word yes to approve: ");
    terminal.answer("yes");
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.shown);
    assert_eq!(
        ended.shown.matches("Functions").count(),
        1,
        "{}",
        ended.shown
    );
    let mut terminal = Terminal::start(home.command(["load", "./adder", "--as", "other"]));
    terminal.wait_for("Type yes to approve: ");
    terminal.answer("y");
    terminal.wait_for("Type the whole word yes to approve: ");
    terminal.answer("y");
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(3), "{}", ended.shown);
    assert_eq!(home.tool("list --json").json()["tools"][1], json!(null));
}

/// Keys that were pressed before the question was shown cannot be meant for it.
fn what_was_typed_before_is_no_answer() {
    let home = with_package(|_| ());
    let mut terminal = Terminal::start(home.shell("echo soon; sleep 1; exec tool load ./adder"));
    terminal.wait_for("soon");
    terminal.press("yes\ryes\r");
    terminal.wait_for("yes\r\nyes\r\n");
    terminal.wait_for(QUESTION);
    terminal.answer("n");
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(3), "{}", ended.shown);
    assert_eq!(home.tool("list --json").json()["tools"], json!([]));
}

fn every_right_is_asked_for() {
    let home = with_package(|manifest| {
        let asked = &mut manifest.capabilities;
        for origin in ["https://a.example", "https://b.example"] {
            asked
                .network
                .insert(origin.parse().expect("an origin"), Methods::Any);
        }
        for name in ["notes", "photos"] {
            asked.directories.push(DirectoryRequest {
                name: name.parse().expect("a name"),
                access: Access::ReadWrite,
                why: String::new(),
            });
        }
        asked.variables.push(VariableRequest {
            name: "API_KEY".parse().expect("a name"),
            secret: true,
            why: String::new(),
        });
    });
    let notes = home.path().join("my-notes");
    std::fs::create_dir(&notes).expect("a directory");
    let mut terminal = loading(&home);
    for (question, answer) in [
        ("Allow requests to https://a.example? [y/N] ", "y"),
        ("Allow requests to https://b.example? [y/N] ", ""),
        (
            "may it use as `notes` (read-write)? Empty for none: ",
            "~/my-nots",
        ),
        (
            "my-nots is not a directory\r\nWhich directory may it use as `notes`",
            "~/my-notes",
        ),
        ("may it use as `photos` (read-write)? Empty for none: ", ""),
        ("Let it read the variable API_KEY? [y/N] ", "n"),
        (QUESTION, "yes"),
    ] {
        terminal.wait_for(question);
        terminal.answer(answer);
    }
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.shown);
    for said in [
        "warning: `adder` asks for what it was not granted: https://b.example, photos (read-write), API_KEY (secret)",
        "hint: grant it with: tool grant adder --allow-network https://b.example --allow-dir photos=PATH --allow-var API_KEY",
    ] {
        assert!(ended.shown.contains(said), "{}", ended.shown);
    }
    let notes = notes.canonicalize().expect("a directory");
    let tool = &home.tool("list --json").json()["tools"][0];
    assert_eq!(
        tool["grants"],
        json!({
            "network": ["https://a.example"],
            "directories": { "notes": { "path": notes, "access": "read-write" } },
        })
    );
}

/// Clears the screen, goes to its corner, names the window, writes over the line, turns the
/// reading direction, hides letters, and begins lines that pass for the report's own.
const HOSTILE: &str = "Adds.\u{1b}[2J\u{1b}[1;1H\u{1b}]0;mine\u{7}\rGood.\u{8}\u{9b}31m\u{202e}\u{e0041}\nAsks for\n  nothing";

fn hostile_texts_are_shown_and_not_obeyed() {
    let home = with_package(|manifest| {
        manifest.description = HOSTILE.to_owned();
        for function in manifest.functions.values_mut() {
            function.description = HOSTILE.to_owned();
            for input in function.inputs.values_mut() {
                input.description = HOSTILE.to_owned();
            }
        }
        manifest.capabilities.variables.push(VariableRequest {
            name: "API_KEY".parse().expect("a name"),
            secret: true,
            why: HOSTILE.to_owned(),
        });
    });
    // What most people are shown says less, and obeys as little.
    let mut terminal = loading(&home);
    terminal.wait_for("Let it read the variable API_KEY? [y/N] ");
    check_nothing_is_obeyed(&terminal.text());
    terminal.answer("n");
    terminal.wait_for(QUESTION);
    terminal.answer("no");
    assert_eq!(terminal.end().status.code(), Some(3));

    let mut terminal = Terminal::start(home.command(["load", "./adder", "--verbose"]));
    terminal.wait_for("Let it read the variable API_KEY? [y/N] ");
    terminal.answer("n");
    terminal.wait_for(QUESTION);
    let report = terminal.text().replace("\r\n", "\n");
    for shown in [
        r"\u{1b}[2J\u{1b}[1;1H\u{1b}]0;mine\u{7}\u{d}Good.\u{8}\u{9b}31m\u{202e}\u{e0041}\nAsks for\n  nothing",
        // A description of several lines keeps them, each of them indented.
        "\n      Asks for\n        nothing",
        "variable",
    ] {
        assert!(report.contains(shown), "{shown:?} is not in:\n{report:?}");
    }
    check_nothing_is_obeyed(&report);
    terminal.answer("no");
    assert_eq!(terminal.end().status.code(), Some(3));
}

/// Nothing of [`HOSTILE`] steers the terminal or passes for a heading of the report.
#[track_caller]
fn check_nothing_is_obeyed(shown: &str) {
    let report = shown.replace("\r\n", "\n");
    let obeyed = |c: &char| {
        (c.is_control() && *c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{e0000}'..)
    };
    assert_eq!(report.chars().find(obeyed), None, "{report:?}");
    assert_eq!(report.lines().filter(|line| *line == "Asks for").count(), 1);
}

fn an_interrupt_leaves_nothing() {
    const SIGINT: i32 = 2;
    let home = with_package(|_| ());
    let before = home.files();
    let mut terminal = loading(&home);
    terminal.wait_for(QUESTION);
    terminal.press(CTRL_C);
    let ended = terminal.end();
    assert_eq!(ended.status.signal(), Some(SIGINT), "{}", ended.shown);
    assert_eq!(home.files(), before);
    assert_eq!(home.tool("list --json").json()["tools"], json!([]));
}

/// Keys are hidden while a token is asked for, and whoever stops there types on.
fn an_interrupt_shows_keys_again() {
    let home = Home::new().with("HF_ENDPOINT", "http://127.0.0.1:1");
    // A shell that waits for the command holds the terminal open after it.
    let mut terminal =
        Terminal::start(home.shell("trap : INT; tool login; echo \"code $?\"; read line"));
    terminal.wait_for("Token for http://127.0.0.1:1");
    terminal.wait_until_keys_are_hidden();
    terminal.press(CTRL_C);
    terminal.wait_for("code 130");
    assert!(terminal.shows_keys(), "{}", terminal.text());
    assert!(!home.tool_home().join("credentials.toml").exists());
    terminal.answer("done");
    terminal.end();
}

/// Whoever gives a tool's name to another one is asked for just that.
fn a_name_that_is_taken() {
    let home = with_package(|manifest| manifest.description = "Adds.".to_owned());
    home.write("adder.wasm", adder());
    load(&home, "./adder.wasm", &[]);
    let mut terminal = loading(&home);
    terminal.wait_for("+ from: ");
    terminal.wait_for("+ description: Adds.");
    terminal.wait_for("Load `adder` in place of ");
    terminal.wait_for("adder.wasm with these rights? Type yes to approve: ");
    terminal.answer("yes");
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.shown);
    let mut terminal = loading(&home);
    terminal.wait_for("you approved exactly this before");
    assert_eq!(terminal.end().status.code(), Some(0));
}
