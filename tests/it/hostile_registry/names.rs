//! Attacks on names: look-alikes, names that change hands, and other places of the same name.

use std::fs;
use std::sync::Arc;

use serde_json::{Value, json};

use super::wire::{Answer, Lie};
use super::{Attack, Scene, both, file_is, refs_are, without_tag};
use crate::signatures::published::{Published, TOOL, get, new_key, push, version};
use crate::support::loading::{digest, load};
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
            "hostile_registry::one_repo_in_other_letters",
            one_repo_in_other_letters,
        ),
        test(
            "hostile_registry::a_version_by_its_tag",
            a_version_by_its_tag,
        ),
        test("hostile_registry::builds_of_a_version", builds_of_a_version),
        test(
            "hostile_registry::more_yanks_than_are_kept",
            more_yanks_than_are_kept,
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

/// Registries find a repo in any case. What is known of it is known of it in any case.
fn one_repo_in_other_letters() {
    let published = Published::new();
    let user = published.user();
    new_key(&published.ada, "eve", "p256");
    push(&published.ada, "1.1.0", Some("eve"));
    let digest = digest(&user, "Ada/Adder@1.1.0");
    let load = |more: &[&str]| {
        let line = [
            "load",
            "Ada/Adder@1.1.0",
            "--as",
            "other",
            "--approve",
            &digest,
        ];
        user.run([&line[..], more].concat())
    };
    says(
        &load(&[]),
        3,
        "when you approved it, and is signed by SHA256:",
    );
    let doubled = format!("{}//", published.registry.url().trim_end_matches('/'));
    let refused = load(&["--endpoint", &doubled]);
    says(&refused, 1, "it must not have two slashes in a row");
    let known = user.tool_home().join("known_signers.toml");
    let before = fs::read_to_string(&known).expect("signers");
    assert!(!before.contains("Adder"), "{before}");

    // A file of an older version has them as they were written.
    fs::write(&known, before.replace("ada/adder", "ADA/adder")).expect("signers");
    user.tool("remove adder").ok();
    says(
        &load(&[]),
        3,
        "when you approved it, and is signed by SHA256:",
    );
}

/// The name of a tag is no way round the log: it means the version.
fn a_version_by_its_tag() {
    let scene = Scene::new();
    let honest = scene.published.user();
    let shown = honest.tool("inspect ada/adder@v1.1.0").ok();
    assert!(shown.contains("by the registry's log"), "{shown}");

    let user = scene.user();
    scene.wire.lies(without_tag("v1.1.0"));
    let refused = user.tool("inspect ada/adder@1.1.0");
    says(&refused, refused.code(), "1.1.0");
    assert_ne!(refused.code(), 0);
    let by_tag = user.tool("inspect ada/adder@v1.1.0");
    assert_eq!(by_tag.stderr(), refused.stderr());
    assert_eq!(by_tag.code(), refused.code());
}

/// A version of the same number, but for what requirements leave out.
fn builds_of_a_version() {
    let scene = Scene::new();
    let build = |name: &'static str| {
        refs_are(move |refs| {
            let mut tag = refs["tags"][0].clone();
            tag["name"] = json!(name);
            refs["tags"].as_array_mut().expect("tags").push(tag);
        })
    };
    let user = scene.user();
    scene.wire.lies(build("v1.0.0+1"));
    for asked in ["ada/adder@1.0.0", "ada/adder@=1.0.0"] {
        let found = user.run(["inspect", asked, "--json"]).json();
        assert_eq!(found["inspection"]["version"], "1.0.0", "{asked}");
    }
    let refused = user.tool("load ada/adder@1.0.0+1");
    says(&refused, 1, "`1.0.0+1` has build metadata");
    // A repo of nothing else.
    let alone = both(refs_are(|refs| refs["tags"] = json!([refs["tags"][0]])), {
        refs_are(|refs| refs["tags"][0]["name"] = json!("v1.0.0+1"))
    });
    scene.wire.lies(alone);
    for line in ["update", "load ada/adder", "load ada/adder@1.0.0"] {
        says(&user.tool(line), 3, "ada/adder 1.0.0+1 has build metadata");
    }
    // What is in a lock goes on.
    assert_eq!(user.tool("call adder.add a=1 b=2").ok(), "3\n");

    let ada = &scene.published.ada;
    version(ada, "2.0.0+1");
    let refused = ada.tool("push ada/adder -C adder");
    says(&refused, 3, "ada/adder 2.0.0+1 has build metadata");
    let listed = format!(
        "{}/api/models/ada/adder/refs",
        scene.published.registry.url()
    );
    let listed = String::from_utf8(get(&listed)).expect("text");
    assert!(!listed.contains("2.0.0"), "{listed}");
}

/// Whoever looks at a tool keeps what is yanked of it, so that has a limit.
fn more_yanks_than_are_kept() {
    let scene = Scene::new();
    let user = scene.user();
    let yanks = |count: usize| -> String {
        let yank =
            |patch| format!("[yanked.\"9.0.{patch}\"]\nseverity = \"broken\"\nreason = \"x\"\n");
        (0..count).map(yank).collect()
    };
    scene
        .published
        .ada
        .tool("yank ada/adder@1.1.0 --reason slow")
        .ok();
    let said = |text: String| {
        let bytes = text.len();
        let length: Lie = Arc::new(move |asked: &str, answer: &mut Answer| {
            if asked.contains("/paths-info/")
                && let Ok(mut listed) = serde_json::from_slice::<Vec<Value>>(&answer.body)
            {
                for file in listed.iter_mut().filter(|it| it["path"] == "releases.toml") {
                    file["size"] = json!(bytes);
                }
                answer.says(Value::from(listed).to_string());
            }
        });
        let content = file_is("releases.toml", move |answer| answer.says(text.clone()));
        both(length, content)
    };
    scene.wire.lies(said(yanks(1001)));
    let refused = user.tool("inspect ada/adder@1.0.0");
    says(&refused, 1, "1001 versions are yanked, at most 1000 may be");
    assert_eq!(user.tool("call adder.add a=1 b=2").ok(), "3\n");
    scene.wire.lies(said(yanks(1000)));
    user.tool("inspect ada/adder@1.0.0").ok();
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

/// A registry that shows no version cannot lead a user past a log whose witnesses they named.
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
