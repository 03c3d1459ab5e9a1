//! Tests of tools whose signer is another one than the user approved, or gone, or new.

use std::fs;

use serde_json::{Value, json};

use super::published::{Published, TOOL, get, listed, new_key, push, version};
use crate::support::loading::{digest, load};
use crate::support::ran::says;
use crate::support::terminal::Terminal;
use crate::support::{Home, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("signatures::another_signer", another_signer),
        test("signatures::a_person_decides", a_person_decides),
        test("signatures::a_lost_signature", a_lost_signature),
        test("signatures::signed_for_the_first_time", for_the_first_time),
        test("signatures::a_key_is_rotated", a_key_is_rotated),
        test("signatures::a_lock_that_was_edited", an_edited_lock),
        test(
            "signatures::a_pin_outlives_the_lock",
            a_pin_outlives_the_lock,
        ),
        test(
            "signatures::a_pin_of_another_toolbox",
            a_pin_of_another_toolbox,
        ),
    ]
}

/// Checks that an update stops with the messages `expect` and changes nothing.
#[track_caller]
pub(crate) fn stops(user: &Home, expect: &[&str]) {
    let before = listed(user);
    for line in ["update", "update --accept-code", "update --quiet"] {
        let stopped = user.tool(line);
        for expect in expect {
            says(&stopped, 3, expect);
        }
    }
    assert_eq!(listed(user), before);
    assert_eq!(user.tool("call adder.add a=1 b=2").ok(), "3\n");
}

fn another_signer() {
    let published = Published::new();
    let (ada, old) = (&published.ada, &published.signer);
    let user = published.user();
    let new = new_key(ada, "other", "ed25519");
    push(ada, "1.0.1", Some("other"));
    let difference = format!("  - signer: {old}\n  + signer: {new}\n");
    let warning = format!(
        "warning: `adder` was signed by {old} when you approved it, and is signed by {new} now"
    );
    stops(&user, &[&difference, &warning]);

    // A look at it says so too, and how it is loaded nevertheless.
    for tool in ["adder", TOOL] {
        let looked = user.run(["inspect", tool]);
        says(&looked, 0, &warning);
        says(&looked, 0, "if they say so, load it with: tool load ");
        says(&looked, 0, &format!(" --signer {new} --approve sha256:"));
        let looked = user.run(["inspect", tool, "--json"]);
        says(&looked, 0, &warning);
        let other = &looked.json()["other_makers"][0];
        assert_eq!(other["part"], "signer", "{other}");
        assert_eq!(other["name"], json!(new), "{other}");
    }

    // The digest says nothing about the signer, so naming it is no consent to another one.
    let approve = digest(&user, TOOL);
    for command in ["update", "load"] {
        let mut line = vec![command, "--approve", &approve];
        line.extend((command == "load").then_some(TOOL));
        let refused = user.run(&line);
        says(
            &refused,
            3,
            &format!("and is signed by {new} now\nhint: ask its author"),
        );
        says(&refused, 3, &format!("--signer {new}"));
        line.extend(["--signer", old]);
        says(
            &user.run(&line),
            3,
            &format!("is signed by {new}, and --signer asks for {old}"),
        );
    }
    assert_eq!(listed(&user)["signer"]["fingerprint"], json!(old));
    let both = ["update", "--approve", &approve, "--signer", &new];
    says(&user.run(both), 0, "adder: updated at 1.0.1");
    assert_eq!(listed(&user)["signer"]["fingerprint"], json!(new));
}

fn a_person_decides() {
    let published = Published::new();
    let user = published.user();
    new_key(&published.ada, "other", "p256");
    push(&published.ada, "1.0.1", Some("other"));
    for (answer, version) in [("y", "1.0.0"), ("yes", "1.0.1")] {
        let mut terminal = Terminal::start(user.command(["update"]));
        terminal.wait_for("when you approved it, and is signed by");
        terminal.wait_for("Type yes to approve: ");
        terminal.answer(answer);
        if answer == "y" {
            terminal.wait_for("Type the whole word yes to approve: ");
            terminal.answer("no");
        }
        let ended = terminal.end();
        let code = if answer == "y" { 3 } else { 0 };
        assert_eq!(ended.status.code(), Some(code), "{}", ended.shown);
        assert_eq!(listed(&user)["version"], version);
    }
}

fn a_lost_signature() {
    let published = Published::new();
    let user = published.user();
    let pushed = push(&published.ada, "1.0.1", None);
    says(
        &pushed,
        0,
        "warning: the version before was signed, and this one is not",
    );
    let warning = format!(
        "`adder` was signed by {} when you approved it, and is not signed now",
        published.signer
    );
    let difference = format!("  - signer: {}\n", published.signer);
    stops(&user, &[&warning, &difference]);
    says(&user.tool("inspect adder"), 0, " --signer none --approve ");
    let approve = digest(&user, TOOL);
    says(
        &user.run(["update", "--approve", &approve]),
        3,
        "--signer none",
    );
    let both = ["update", "--approve", &approve, "--signer", "none"];
    says(&user.run(both), 0, "adder: updated at 1.0.1");
    assert_eq!(listed(&user)["signer"], Value::Null);
}

/// Nobody has seen the signer yet, so a person has to.
fn for_the_first_time() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    push(&ada, "1.0.0", None);
    let user = registry.visitor();
    load(&user, TOOL, &[]);
    let signer = new_key(&ada, "release", "p256");
    push(&ada, "1.0.1", Some("release"));
    stops(&user, &[&format!("  + signer: {signer}\n")]);
    let approve = digest(&user, TOOL);
    user.run(["update", "--approve", &approve]).ok();
    assert_eq!(listed(&user)["signer"]["fingerprint"], json!(signer));
}

/// The old key says that the new one replaces it, so those who pinned the old one go on.
fn a_key_is_rotated() {
    let published = Published::new();
    let (ada, old) = (&published.ada, &published.signer);
    let [user, late] = [published.user(), published.user()];
    let made = ada.run(["key", "rotate", "release", "second", "--kind", "ed25519"]);
    says(&made, 0, "tool key remove release --private");
    let list = ada.tool("key list --json").json();
    let keys = list["keys"].as_array().expect("keys");
    let named = |name: &str| {
        let key = keys.iter().find(|key| key["name"] == name).expect("a key");
        key["fingerprint"].as_str().expect("it").to_owned()
    };
    let new = named("second");
    push(ada, "1.0.1", Some("second"));
    let updated = user.tool("update");
    says(&updated, 0, "adder: updated at 1.0.1");
    let told =
        format!("`adder` is signed by {new} now; {old}, which signed it when you approved it");
    says(&updated, 0, &told);
    let now = listed(&user);
    assert_eq!(now["signer"]["fingerprint"], json!(new));
    assert_eq!(now["approval"]["consent"], "update");

    // Back to the old key there is no way, and of a third one the second has to say it.
    push(ada, "1.0.2", Some("release"));
    stops(&user, &[&format!("  + signer: {old}\n")]);
    ada.tool("key rotate second third").ok();
    push(ada, "1.0.3", Some("third"));
    says(&user.tool("update"), 0, "adder: updated at 1.0.3");
    // A user who knows only the first one is asked.
    stops(&late, &[&format!("  - signer: {old}\n")]);

    // Somebody else's key cannot take the statement over.
    let eve = published.registry.member("eve");
    new_key(&eve, "eve", "p256");
    let place = format!(
        "{}/{TOOL}/resolve/v1.0.1/signer-rotation.sig",
        published.registry.url()
    );
    fs::write(eve.tool_home().join("keys/eve.rotation.sig"), get(&place)).expect("a file");
    version(&eve, "1.0.4");
    let refused = eve.run(["push", "eve/adder", "-C", "adder", "--sign", "eve"]);
    let expect = "signer-rotation.sig does not count: it names another new key";
    says(&refused, 3, expect);
}

fn an_edited_lock() {
    let published = Published::new();
    let user = published.user();
    let other = new_key(&published.ada, "other", "p256");
    let path = user.tool_home().join("toolbox.lock");
    let honest = fs::read_to_string(&path).expect("a lock");
    let signer = &published.signer;
    let without = format!("signer = \"{signer}\"\n");
    assert!(honest.contains(&without), "{honest}");
    for edited in [honest.replace(signer, &other), honest.replace(&without, "")] {
        fs::write(&path, edited).expect("a lock");
        for line in ["call adder.add a=1 b=2", "update"] {
            says(&user.tool(line), 3, "not with your approval");
        }
        says(&user.tool("verify"), 3, "adder cannot be trusted as it is");
        let listed = listed(&user);
        assert!(listed["unusable"].is_string(), "{listed}");
    }
    fs::write(&path, honest.replace(signer, "SHA256:x")).expect("a lock");
    says(
        &user.tool("list"),
        3,
        "is not the fingerprint of a key: expected",
    );
    fs::write(&path, honest).expect("a lock");
    user.tool("verify").ok();
}

fn a_pin_outlives_the_lock() {
    let published = Published::new();
    let user = published.user();
    user.tool("remove adder").ok();
    let new = new_key(&published.ada, "other", "p256");
    push(&published.ada, "1.0.1", Some("other"));
    let approve = digest(&user, TOOL);
    let changed = format!(
        "`adder` was signed by {} when you approved it, and is signed by {new} now",
        published.signer
    );
    let again = || user.run(["load", TOOL, "--approve", &approve]);
    says(&again(), 3, &changed);
    // Another toolbox of the same user.
    user.write("toolbox.toml", "");
    says(&again(), 3, &changed);
    user.run(["load", TOOL, "--approve", &approve, "--signer", &new])
        .ok();
    fs::remove_file(user.work().join("toolbox.toml")).expect("a file");
    again().ok();
}

/// One toolbox has an unsigned version, and in another one the user approved a signed one since.
fn a_pin_of_another_toolbox() {
    let published = Published::new();
    let (ada, user) = (&published.ada, published.user());
    push(ada, "1.0.1", None);
    let approve = digest(&user, TOOL);
    user.run(["update", "--approve", &approve, "--signer", "none"])
        .ok();

    push(ada, "1.0.2", Some("release"));
    user.write("toolbox.toml", "");
    load(&user, TOOL, &[]);
    fs::remove_file(user.work().join("toolbox.toml")).expect("a file");
    push(ada, "1.0.3", None);
    let changed = format!(
        "`adder` was signed by {} when you approved it, and is not signed now",
        published.signer
    );
    stops(&user, &[&changed]);
    let approve = digest(&user, TOOL);
    let again = user.run(["load", TOOL, "--approve", &approve]);
    says(&again, 3, &changed);
}
