//! Tests of signed packages: a signer is shown, pinned, and asked about when it changes.
//! A wrong signature is refused.

mod certificates;
pub(crate) mod changed_signers;
mod keyless;
mod keyless_push;
mod keys;
pub(crate) mod model_signing;
pub(crate) mod published;
mod sigstore_server;
mod wrong;

use std::fs;

use serde_json::{Value, json};
use tool_hub_manifest::Lock;

use crate::support::loading::{digest, load};
use crate::support::ran::says;
use crate::support::{Home, RegistryProcess, Test, test};
use published::{Published, TOOL, listed, new_key, push, title, version};

pub(crate) fn tests() -> Vec<Test> {
    let here = vec![
        test("signatures::the_signer_is_pinned", the_signer_is_pinned),
        test("signatures::not_signed", not_signed),
        test("signatures::the_same_signer", the_same_signer),
        test("signatures::expected_signers", expected_signers),
        test("signatures::published_once", published_once),
    ];
    let all = [
        here,
        changed_signers::tests(),
        wrong::tests(),
        keys::tests(),
        model_signing::tests(),
        certificates::tests(),
        keyless::tests(),
        keyless_push::tests(),
    ];
    all.into_iter().flatten().collect()
}

fn the_signer_is_pinned() {
    for kind in ["p256", "ed25519"] {
        let registry = RegistryProcess::start();
        let ada = registry.member("ada");
        let signer = new_key(&ada, "release", kind);
        let pushed = push(&ada, "1.0.0", Some("release"));
        says(&pushed, 0, &format!(", signed by release ({signer}): http"));

        let user = registry.visitor();
        assert_eq!(
            title(&user, TOOL),
            format!("adder 1.0.0, signed by {signer}")
        );
        let inspected = user.run(["inspect", TOOL, "--json"]).json();
        let expect = json!({ "fingerprint": signer, "name": null });
        assert_eq!(inspected["signer"], expect);
        let approve = digest(&user, TOOL);
        let loaded = user.run(["load", TOOL, "--approve", &approve, "--json"]);
        assert_eq!(loaded.json()["signer"], expect);
        assert_eq!(user.tool("call adder.add a=20 b=22").ok(), "42\n");

        let lock = fs::read_to_string(user.tool_home().join("toolbox.lock")).expect("a lock");
        let lock: Lock = lock.parse().expect("a lock");
        let locked = lock.tools.values().next().expect("a tool");
        let pinned = locked.signer.as_ref().map(ToString::to_string);
        assert_eq!(pinned, Some(signer.clone()));
        assert_eq!(listed(&user)["signer"], expect);
        let verified = user.tool("verify").ok();
        let says_signer = format!("ok, signed by {signer}, as you approved");
        assert!(verified.contains(&says_signer), "{verified}");
        assert_eq!(
            user.tool("verify --json").json()["tools"][0]["signer"],
            expect
        );
        says(&user.tool("update"), 0, "adder: current at 1.0.0");
        says(
            &user.run(["load", TOOL]),
            0,
            "you approved exactly this before",
        );
    }
}

fn not_signed() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    push(&ada, "1.0.0", None);
    let user = registry.visitor();
    assert_eq!(title(&user, TOOL), "adder 1.0.0, not signed");
    load(&user, TOOL, &[]);
    assert_eq!(listed(&user)["signer"], Value::Null);
    let lock = fs::read_to_string(user.tool_home().join("toolbox.lock")).expect("a lock");
    assert!(!lock.contains("signer"), "{lock}");
    let verified = user.tool("verify").ok();
    assert!(!verified.contains("signed"), "{verified}");
    push(&ada, "1.0.1", None);
    says(&user.tool("update"), 0, "adder: updated at 1.0.1");
}

fn the_same_signer() {
    let published = Published::new();
    let user = published.user();
    push(&published.ada, "1.0.1", Some("release"));
    says(&user.tool("update"), 0, "adder: updated at 1.0.1");
    let now = listed(&user);
    assert_eq!(now["approval"]["consent"], "update");
    assert_eq!(now["signer"]["fingerprint"], json!(published.signer));
}

fn expected_signers() {
    let published = Published::new();
    let user = published.registry.visitor();
    let approve = digest(&user, TOOL);
    let other = new_key(&published.ada, "other", "p256");
    let with = |signer: &str| user.run(["load", TOOL, "--approve", &approve, "--signer", signer]);
    for signer in [&*other, "none"] {
        says(
            &with(signer),
            3,
            &format!("and --signer asks for {signer}\nhint: "),
        );
    }
    assert!(!user.tool_home().join("toolbox.lock").exists());
    says(&with("SHA256:x"), 1, "is not the fingerprint of a key");
    with(&published.signer).ok();
}

/// A version never changes, so it is not signed later, nor by somebody else.
fn published_once() {
    let published = Published::new();
    let ada = &published.ada;
    let again = push(ada, "1.0.0", Some("release"));
    says(&again, 0, "is there already, unchanged");
    assert!(!again.stderr().contains("warning: "), "{}", again.stderr());
    differences_are_told(ada);
    new_key(ada, "other", "p256");
    version(ada, "1.0.0");
    let refused = ada.run(["push", TOOL, "-C", "adder", "--sign", "other"]);
    says(&refused, 3, "and it is not signed with this key");
    push(ada, "1.0.1", None);
    let refused = ada.run(["push", TOOL, "-C", "adder", "--sign", "release"]);
    says(&refused, 3, "and it is not signed with this key");
    says(&refused, 3, "hint: a pushed version never changes");
    // The signature of an older version is gone, and is no wrong one of this version.
    let user = published.registry.visitor();
    assert_eq!(title(&user, "ada/adder@1.0.1"), "adder 1.0.1, not signed");
    assert_eq!(
        title(&user, "ada/adder@1.0.0"),
        format!("adder 1.0.0, signed by {}", published.signer)
    );
}

/// A push of a version that is there says which of its files differ: none of them is published.
fn differences_are_told(ada: &Home) {
    let readme = ada.work().join("adder/README.md");
    let before = fs::read_to_string(&readme).expect("a card");
    fs::write(&readme, format!("{before}\nMore.\n")).expect("written");
    let sign = &["--sign", "release"][..];
    for (more, differing) in [
        (sign, &["README.md"][..]),
        (&[], &["README.md", "model.sig", "signer.pem"]),
    ] {
        let line = ["push", TOOL, "-C", "adder"];
        for rehearsal in [&[][..], &["--dry-run"]] {
            let line = [&line[..], more, rehearsal].concat();
            let again = ada.run(&line);
            let told = format!(
                "warning: {TOOL} 1.0.0 is there already and never changes: what differs in this \
                 package is not published: {}\n",
                differing.join(", ")
            );
            says(&again, 0, &told);
            says(&again, 0, "raise `version` in tool.toml");
            assert!(!again.stderr().contains("unchanged"), "{}", again.stderr());
            let again = ada.run([&line[..], &["--json"]].concat());
            says(&again, 0, &told);
            let again = again.json();
            assert_eq!(again["already_there"], true, "{again}");
            assert_eq!(again["not_published"], json!(differing), "{again}");
        }
    }
    fs::write(&readme, before).expect("written");
}
