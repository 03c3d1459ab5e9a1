//! Attacks on names: look-alikes, names that change hands, and other places of the same name.

use serde_json::json;

use super::{Attack, Scene, refs_are};
use crate::signatures::published::{Published, TOOL, new_key, push};
use crate::support::loading::load;
use crate::support::proxy::Switching;
use crate::support::ran::says;
use crate::support::witness::{Manner, Witness};
use crate::support::{Home, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "hostile_registry::names_that_look_alike",
            names_that_look_alike,
        ),
        test(
            "hostile_registry::a_name_that_changed_hands",
            a_name_that_changed_hands,
        ),
        test(
            "hostile_registry::the_same_name_elsewhere",
            the_same_name_elsewhere,
        ),
        test(
            "hostile_registry::versions_that_are_kept_back",
            versions_that_are_kept_back,
        ),
        test(
            "hostile_registry::no_version_of_a_log_with_witnesses",
            no_version_of_a_log_with_witnesses,
        ),
    ]
}

/// Names with letters of other alphabets, with letters that nobody sees, and with escapes.
fn names_that_look_alike() {
    let scene = Scene::new();
    let user = scene.user();
    for name in [
        "\u{430}da/adder",
        "ada/\u{430}dder",
        "ada/adder\u{200b}",
        "ada\u{2215}adder",
        "ada/adder\u{1b}[2K",
    ] {
        let refused = user.run(["load", name]);
        says(&refused, 1, "error: ");
        for hidden in ['\u{1b}', '\u{200b}'] {
            assert!(!refused.stderr().contains(hidden), "{}", refused.stderr());
        }
    }
}

/// Whoever has the database gives the author's account to somebody else. Its log goes on as ever.
fn a_name_that_changed_hands() {
    let published = Published::new();
    let wire = Switching::start(published.registry.url());
    let user = Home::new().with("HF_ENDPOINT", wire.url());
    load(&user, TOOL, &[]);
    let operator = published.registry.operator();
    operator.tool("registry backup copy").ok();
    let taken = RegistryProcess::restored(&operator.work().join("copy"));
    let token = taken
        .operator()
        .tool("registry token create ada --quiet")
        .ok();
    let eve = taken.signed_in(token.trim());
    wire.lead_to(taken.url());

    let own = new_key(&eve, "eve", "p256");
    push(&eve, "1.1.0", Some("eve"));
    let refused = user.tool("update --accept-code");
    says(&refused, 3, &format!("and is signed by {own} now"));
    push(&eve, "1.2.0", None);
    let refused = user.tool("update --accept-code");
    says(&refused, 3, "and is not signed now");
    assert_eq!(user.tool("call adder.add a=1 b=2").ok(), "3\n");
}

/// Another registry has a tool of the same name, with a higher version.
fn the_same_name_elsewhere() {
    let scene = Scene::new();
    let user = scene.user();
    let public = RegistryProcess::start();
    push(&public.member("ada"), "9.0.0", None);
    let elsewhere = [("HF_ENDPOINT", public.url())];
    let updated = user.run_with(&["update"], &elsewhere);
    says(&updated, 0, "adder: current at 1.0.0");
    let refused = user.run_with(&["load", TOOL], &elsewhere);
    says(&refused, 3, "and is not signed now");
    assert_eq!(user.tool("call adder.add a=1 b=2").ok(), "3\n");
}

/// The registry leaves versions out, so that nobody can ask the log about them.
fn versions_that_are_kept_back() {
    let scene = Scene::new();
    let no_tags = || refs_are(|refs| refs["tags"] = json!([]));
    scene.meet(&[
        Attack {
            exit: 1,
            ..Attack::on_update("all versions", no_tags(), "ada/adder has no version that meets `^1.0.0`")
        },
        Attack {
            command: "load ada/adder",
            ..Attack::on_update("all, for the branch", no_tags(), "ada/adder shows no version, and the log of its registry does not cover the branch `main`")
        },
    ]);
}

/// Who named witnesses of a log is not led past it by a registry that shows no version to them.
fn no_version_of_a_log_with_witnesses() {
    let scene = Scene::new();
    let url = scene.wire.url();
    let witness = Witness::start("witness.example/w1", Manner::Honest);
    let user = Home::new().with("HF_ENDPOINT", url);
    let key = witness.key();
    user.configure(&format!(
        "[witnesses.{url:?}]\nthreshold = 1\nkeys = [{key:?}]\n"
    ));
    scene.wire.lies(refs_are(|refs| refs["tags"] = json!([])));
    says(
        &user.tool("load ada/adder"),
        3,
        "ada/adder shows no version",
    );
    assert!(!user.tool_home().join("toolbox.lock").exists());
}
