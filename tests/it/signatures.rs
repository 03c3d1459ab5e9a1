//! Tests of signed packages: a signer is shown, pinned, and asked about when it changes.
//! A wrong signature is refused.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tool_hub_manifest::{Lock, Version};

use crate::public_clients::{packages, said};
use crate::support::adder::package;
use crate::support::loading::{digest, load};
use crate::support::proxy::Flipping;
use crate::support::ran::says;
use crate::support::terminal::Terminal;
use crate::support::{Home, Need, Ran, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("signatures::the_signer_is_pinned", the_signer_is_pinned),
        test("signatures::not_signed", not_signed),
        test("signatures::the_same_signer", the_same_signer),
        test("signatures::another_signer", another_signer),
        test("signatures::a_person_decides", a_person_decides),
        test("signatures::a_lost_signature", a_lost_signature),
        test("signatures::signed_for_the_first_time", for_the_first_time),
        test("signatures::a_key_is_rotated", a_key_is_rotated),
        test("signatures::expected_signers", expected_signers),
        test("signatures::wrong_ones", wrong_ones),
        test("signatures::changed_on_the_wire", changed_on_the_wire),
        test("signatures::a_lock_that_was_edited", an_edited_lock),
        test(
            "signatures::a_pin_outlives_the_lock",
            a_pin_outlives_the_lock,
        ),
        test("signatures::published_once", published_once),
        test("signatures::keys_are_kept", keys_are_kept),
        test("signatures::model_signing_agrees", model_signing_agrees)
            .needs(&[Need::PythonPackages]),
        test(
            "signatures::model_signing_signs_what_is_loaded",
            model_signing_signs,
        )
        .needs(&[Need::PythonPackages]),
        test("signatures::model_signing_s_curves", model_signing_s_curves)
            .needs(&[Need::PythonPackages]),
    ]
}

const TOOL: &str = "ada/adder";

/// Writes version `version` of the tool that adds.
fn version(author: &Home, version: &str) {
    package(author, "adder", |manifest| {
        manifest.version = version.parse::<Version>().expect("a version");
    });
}

/// Publishes version `number`, signed with `key` where one is named.
#[track_caller]
fn push(author: &Home, number: &str, key: Option<&str>) -> Ran {
    version(author, number);
    let mut line = vec!["push", TOOL, "-C", "adder"];
    line.extend(key.iter().flat_map(|key| ["--sign", key]));
    let pushed = author.run(line);
    pushed.ok();
    pushed
}

/// Makes a key and returns its fingerprint.
#[track_caller]
fn new_key(author: &Home, name: &str, kind: &str) -> String {
    let made = author.run(["key", "new", name, "--kind", kind, "--json"]);
    let fingerprint = made.json()["fingerprint"].clone();
    fingerprint.as_str().expect("a fingerprint").to_owned()
}

/// A registry on which `ada` published version 1.0.0, signed with her key `release`.
struct Published {
    registry: RegistryProcess,
    ada: Home,
    signer: String,
}

impl Published {
    fn new() -> Self {
        let registry = RegistryProcess::start();
        let ada = registry.member("ada");
        let signer = new_key(&ada, "release", "p256");
        push(&ada, "1.0.0", Some("release"));
        Self {
            registry,
            ada,
            signer,
        }
    }

    /// A user who loaded the tool.
    fn user(&self) -> Home {
        let user = self.registry.visitor();
        load(&user, TOOL, &[]);
        user
    }

    /// The package as anybody downloads it, in the directory `adder` of a new home.
    fn downloaded(&self) -> Home {
        let home = Home::new();
        for file in FILES {
            let place = format!("{}/{TOOL}/resolve/v1.0.0/{file}", self.registry.url());
            home.write(&format!("adder/{file}"), get(&place));
        }
        home
    }
}

const FILES: [&str; 5] = [
    "tool.toml",
    "tool.wasm",
    "README.md",
    "model.sig",
    "signer.pem",
];

fn get(url: &str) -> Vec<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(async {
        let answer = reqwest::get(url).await.expect("an answer");
        assert!(answer.status().is_success(), "{url}: {}", answer.status());
        answer.bytes().await.expect("a body").to_vec()
    })
}

#[track_caller]
fn listed(user: &Home) -> Value {
    user.tool("list --json").json()["tools"][0].clone()
}

/// The first line of an inspection.
#[track_caller]
fn title(user: &Home, tool: &str) -> String {
    let shown = user.run(["inspect", tool]).ok();
    shown.lines().next().expect("a line").to_owned()
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
        assert_eq!(locked.signer.map(|it| it.to_string()), Some(signer.clone()));
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

/// Checks that an update stops with the messages `expect` and changes nothing.
#[track_caller]
fn stops(user: &Home, expect: &[&str]) {
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
    // Who knows only the first one is asked.
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

/// Checks that the package in the directory `adder` of `home` is refused, and nothing is loaded.
#[track_caller]
fn is_refused(home: &Home, expect: &str) {
    for command in ["inspect", "load"] {
        let refused = home.run([command, "./adder"]);
        says(&refused, 3, "the signature of ");
        says(&refused, 3, expect);
        assert_eq!(refused.stdout(), "");
    }
    assert!(!home.tool_home().join("toolbox.lock").exists());
}

fn wrong_ones() {
    let published = Published::new();
    let honest = published.downloaded();
    let signer = &published.signer;
    assert_eq!(
        title(&honest, "./adder"),
        format!("adder 1.0.0, signed by {signer}")
    );
    let changed = |file: &str, edit: &dyn Fn(String) -> String, expect: &str| {
        let home = published.downloaded();
        let path = home.work().join("adder").join(file);
        let text = fs::read_to_string(&path).expect("a file");
        let edited = edit(text.clone());
        assert_ne!(edited, text);
        fs::write(&path, edited).expect("a file");
        is_refused(&home, expect);
    };
    changed(
        "README.md",
        &|text| text + "More.\n",
        "signs another README.md than the package has",
    );
    changed(
        "tool.toml",
        &|text| format!("# More.\n{text}"),
        "signs another tool.toml than the package has",
    );
    changed(
        "signer.pem",
        &|text| format!("More.\n{text}"),
        "signs another signer.pem than the package has",
    );
    changed(
        "model.sig",
        &|text| text.replacen("\"payload\":\"e", "\"payload\":\"f", 1),
        "was not made with the key",
    );
    changed("model.sig", &|text| text + "{}", "its bundle");
    changed("model.sig", &|_| String::new(), "its bundle");
    let home = published.downloaded();
    home.write("adder/model.sig", " ".repeat((64 << 10) + 1));
    says(&home.tool("load ./adder"), 1, "more than 65536 bytes");

    // Files that are there and not signed, or signed and not there.
    let home = published.downloaded();
    fs::remove_file(home.work().join("adder/README.md")).expect("a file");
    is_refused(&home, "signs `README.md`, which the package does not have");

    // Somebody else's key, and somebody else's signature with it.
    let eve = published.registry.member("eve");
    new_key(&eve, "eve", "p256");
    let pem = eve.tool("key show eve").ok();
    let home = published.downloaded();
    home.write("adder/signer.pem", &pem);
    is_refused(&home, "is not of SHA256:");
    package(&eve, "adder", |_| ());
    eve.tool("push -C adder --sign eve").ok();
    for file in ["model.sig", "signer.pem"] {
        let place = format!("{}/eve/adder/resolve/main/{file}", published.registry.url());
        home.write(&format!("adder/{file}"), get(&place));
    }
    is_refused(&home, "signs another tool.toml than the package has");

    // The signature of an older version of the same tool, by the same key.
    push(&published.ada, "1.0.1", Some("release"));
    let home = published.downloaded();
    let place = format!(
        "{}/{TOOL}/resolve/v1.0.1/tool.toml",
        published.registry.url()
    );
    home.write("adder/tool.toml", get(&place));
    is_refused(&home, "signs another tool.toml than the package has");
    // Nor is such a package published.
    let member = published.registry.member("bob");
    for file in FILES {
        let bytes = fs::read(home.work().join("adder").join(file)).expect("a file");
        member.write(&format!("adder/{file}"), bytes);
    }
    says(&member.tool("push -C adder"), 3, "the signature of ");
}

fn changed_on_the_wire() {
    let published = Published::new();
    for file in ["model.sig", "README.md", "signer.pem"] {
        let place = format!("{}/{TOOL}/resolve/v1.0.0/{file}", published.registry.url());
        let bytes = get(&place);
        let middle = bytes.len() / 2;
        let wire = Flipping::start(
            published.registry.url(),
            &bytes[middle..bytes.len().min(middle + 40)],
        );
        let user = Home::new().with("HF_ENDPOINT", wire.url());
        let refused = user.run(["load", TOOL]);
        assert!(wire.flipped(), "{file}: {}", refused.stderr());
        says(&refused, 3, "the signature of ada/adder does not count");
        says(&refused, 3, "hint: nothing was loaded");
        assert!(!user.tool_home().join("toolbox.lock").exists());
    }
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

/// A version never changes, so it is not signed later, nor by somebody else.
fn published_once() {
    let published = Published::new();
    let ada = &published.ada;
    let again = push(ada, "1.0.0", Some("release"));
    says(&again, 0, "is there already, unchanged");
    new_key(ada, "other", "p256");
    version(ada, "1.0.0");
    let refused = ada.run(["push", TOOL, "-C", "adder", "--sign", "other"]);
    says(&refused, 3, "and it is not signed with this key");
    push(ada, "1.0.1", None);
    let refused = ada.run(["push", TOOL, "-C", "adder", "--sign", "release"]);
    says(&refused, 3, "and it is not signed with this key");
    says(&refused, 3, "hint: a pushed version never changes");
    // What an older version left is gone, and is no wrong signature of this one.
    let user = published.registry.visitor();
    assert_eq!(title(&user, "ada/adder@1.0.1"), "adder 1.0.1, not signed");
    assert_eq!(
        title(&user, "ada/adder@1.0.0"),
        format!("adder 1.0.0, signed by {}", published.signer)
    );
}

fn keys_are_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    says(
        &home.tool("key list"),
        0,
        "hint: make one with: tool key new NAME",
    );
    let signer = new_key(&home, "release", "p256");
    let directory = home.tool_home().join("keys");
    let mode = |path: &Path| fs::metadata(path).expect("it").permissions().mode() & 0o777;
    let private = directory.join("release.pem");
    assert_eq!(mode(&private), 0o600);
    says(
        &home.tool("key new release"),
        1,
        "there is a key called `release`",
    );
    says(&home.tool("key new ../x"), 1, "is not the name of a key");

    let shown = home.tool("key show release");
    says(&shown, 0, &format!("P-256 {signer}"));
    let pem = shown.stdout();
    assert!(pem.starts_with("-----BEGIN PUBLIC KEY-----\n"), "{pem}");
    says(
        &home.tool("key show releases"),
        1,
        "did you mean `release`?",
    );

    // Another user calls the key by a name, and cannot sign with it.
    let other = Home::new();
    other.write("ada.pem", &pem);
    says(&other.tool("key trust ada ada.pem"), 0, "is shown as ada");
    says(
        &other.tool("key trust eve ada.pem"),
        1,
        "there is a key called `ada`",
    );
    let list = other.tool("key list --json").json();
    let expect = json!({ "keys": [{
        "name": "ada",
        "kind": "P-256",
        "can_sign": false,
        "fingerprint": signer,
        "public_key": pem,
    }] });
    assert_eq!(list, expect);
    package(&other, "adder", |_| ());
    let signs = other.tool("push ada/adder -C adder --sign ada");
    says(&signs, 1, "`ada` is somebody else's key");
    other.write("no.pem", "x");
    says(
        &other.tool("key trust no no.pem"),
        1,
        "this is not a public key",
    );

    // A key that others can read is not used.
    fs::set_permissions(&private, fs::Permissions::from_mode(0o640)).expect("a mode");
    package(&home, "adder", |_| ());
    let signs = home.tool("push ada/adder -C adder --sign release");
    says(&signs, 3, "can be read by others than you");
    says(&signs, 3, "hint: run: chmod 600 ");

    says(
        &home.tool("key remove release"),
        1,
        "tool key remove release --private",
    );
    home.tool("key remove release --private").ok();
    assert_eq!(fs::read_dir(directory).expect("it").count(), 0);
    other.tool("key remove ada").ok();
    says(
        &other.tool("key show ada"),
        1,
        "there is no key called `ada`",
    );
}

/// OpenSSF's own program.
fn model_signing(home: &Home, arguments: &[&str]) -> Command {
    let mut command = python(home);
    command.args(["-m", "model_signing"]).args(arguments);
    command
}

/// Python with OpenSSF's program and what it depends on.
fn python(home: &Home) -> Command {
    // The second is one of its dependencies, which its package does not name.
    let installed = packages::python(&["model-signing==1.1.1", "pyOpenSSL==26.4.0"]);
    let mut command = Command::new("python3");
    command
        .env("PYTHONPATH", installed)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(home.work());
    command
}

/// Makes a key on a curve, in `key.pem` and `adder/signer.pem`.
const NEW_KEY: &str = r#"
import sys
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

PEM = serialization.Encoding.PEM
PKCS8, SPKI = serialization.PrivateFormat.PKCS8, serialization.PublicFormat.SubjectPublicKeyInfo
key = ec.generate_private_key(getattr(ec, sys.argv[1])())
with open("key.pem", "wb") as file:
    file.write(key.private_bytes(PEM, PKCS8, serialization.NoEncryption()))
with open("adder/signer.pem", "wb") as file:
    file.write(key.public_key().public_bytes(PEM, SPKI))
"#;

fn model_signing_s_curves() {
    let home = Home::new();
    version(&home, "1.0.0");
    for curve in ["SECP384R1", "SECP521R1"] {
        said(python(&home).args(["-c", NEW_KEY, curve]));
        let key = ["sign", "key", "--private_key", "key.pem"];
        let place = ["--signature", "adder/model.sig", "adder"];
        said(&mut model_signing(&home, &[&key[..], &place].concat()));
        let title = title(&home, "./adder");
        assert!(
            title.starts_with("adder 1.0.0, signed by SHA256:"),
            "{title}"
        );
    }
    // A curve that neither knows.
    said(python(&home).args(["-c", NEW_KEY, "SECP256K1"]));
    is_refused(
        &home,
        "its signer.pem: this is not a public key: its kind is not P-256",
    );
}

fn verifies(home: &Home) -> Command {
    let key = ["--public_key", "adder/signer.pem"];
    let line = [
        &["verify", "key"],
        &key[..],
        &["--signature", "adder/model.sig", "adder"],
    ];
    model_signing(home, &line.concat())
}

fn model_signing_agrees() {
    let published = Published::new();
    let home = published.downloaded();
    let verified = said(&mut verifies(&home));
    assert!(verified.contains("Verification succeeded"), "{verified}");
    home.write("adder/README.md", "Another.");
    let refused = verifies(&home).output().expect("it starts");
    assert!(!refused.status.success());

    // It has no Ed25519, so whoever wants to be verified by it takes another kind of key.
    new_key(&published.ada, "edwards", "ed25519");
    push(&published.ada, "1.0.1", Some("edwards"));
    let home = Home::new();
    for file in FILES {
        let place = format!("{}/{TOOL}/resolve/v1.0.1/{file}", published.registry.url());
        home.write(&format!("adder/{file}"), get(&place));
    }
    title(&home, "./adder");
    let refused = verifies(&home).output().expect("it starts");
    assert!(!refused.status.success());
}

fn model_signing_signs() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    let signer = new_key(&ada, "release", "p256");
    version(&ada, "1.0.0");
    let private = ada.tool_home().join("keys/release.pem");
    let sign = || {
        let key = ["--private_key", &*private.to_string_lossy()].map(str::to_owned);
        let line = [
            "sign",
            "key",
            &key[0],
            &key[1],
            "--signature",
            "adder/model.sig",
            "adder",
        ];
        said(&mut model_signing(&ada, &line));
    };
    // Without the public key beside it, the signature is of a key that others do not know.
    sign();
    assert_eq!(
        title(&ada, "./adder"),
        format!("adder 1.0.0, signed by release ({signer})")
    );
    ada.tool("push ada/adder -C adder").ok();
    let user = registry.visitor();
    let inspected = user.run(["inspect", TOOL]).ok();
    let warning = "warning: it has a signature that was not verified: model.sig is of a key";
    assert!(
        inspected.starts_with("adder 1.0.0, not signed\n"),
        "{inspected}"
    );
    assert!(inspected.contains(warning), "{inspected}");
    user.write("release.pem", ada.tool("key show release").ok());
    user.tool("key trust ada release.pem").ok();
    assert_eq!(
        title(&user, TOOL),
        format!("adder 1.0.0, signed by ada ({signer})")
    );

    version(&ada, "1.0.1");
    ada.write("adder/signer.pem", ada.tool("key show release").ok());
    sign();
    let pushed = ada.tool("push ada/adder -C adder");
    says(&pushed, 0, &format!("signed by release ({signer})"));
    let stranger = registry.visitor();
    assert_eq!(
        title(&stranger, TOOL),
        format!("adder 1.0.1, signed by {signer}")
    );
    load(&stranger, TOOL, &["--signer", &signer]);
}
