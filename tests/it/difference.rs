//! Tests that an update shows how it differs from the approved tool, and stops without consent.
//! One that asks for less passes. A tool that takes another's place is shown in the same way.
//! Nobody answers in these tests, so such updates stop.

use serde_json::{Value, json};
use tool_hub_host::authoring::derive_manifest;
use tool_hub_manifest::{Manifest, VariableRequest};

use crate::support::adder::{adder, adder_with};
use crate::support::loading::{digest, load};
use crate::support::proxy::Switching;
use crate::support::ran::says;
use crate::support::{Home, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "difference::a_secret_that_is_none_any_more",
            a_secret_that_is_none_any_more,
        ),
        test("difference::a_power_that_is_new", a_power_that_is_new),
        test(
            "difference::what_is_said_of_a_member",
            what_is_said_of_a_member,
        ),
        test("difference::only_the_code", only_the_code),
        test("difference::less_passes_unasked", less_passes_unasked),
        test("difference::a_version_that_went", a_version_that_went),
        test("difference::a_tag_that_moved", a_tag_that_moved),
        test(
            "difference::a_tool_in_place_of_another",
            a_tool_in_place_of_another,
        ),
    ]
}

const SHOWS_PROGRESS: &str = r#"(import "tool-hub:tool/interaction@0.1.0" (instance
    (export "report-progress" (func
        (param "done" f64) (param "total" (option f64)) (param "message" (option string))))))"#;

/// Pushes a version of `author/one`.
fn push(author: &Home, version: &str, component: &[u8], edit: impl FnOnce(&mut Manifest)) {
    let mut manifest = derive_manifest(component, "one".parse().expect("a name"));
    let manifest = manifest.as_mut().expect("a component");
    manifest.version = version.parse().expect("a version");
    edit(manifest);
    author.write("one/tool.toml", manifest.to_toml());
    author.write("one/tool.wasm", component);
    author.write("one/README.md", "---\ntags: [tool]\n---\n# one\n");
    author.tool("push author/one -C one").ok();
}

fn asks_for_a_key(manifest: &mut Manifest, secret: bool) {
    manifest.capabilities.variables.push(VariableRequest {
        name: "API_KEY".parse().expect("a name"),
        secret,
        why: String::new(),
    });
}

/// An author, a user who loaded version 0.1.0, and the registry they share.
fn with_version(
    component: &[u8],
    edit: impl FnOnce(&mut Manifest),
) -> (RegistryProcess, [Home; 2]) {
    let registry = RegistryProcess::start();
    let (author, user) = (registry.member("author"), registry.visitor());
    push(&author, "0.1.0", component, edit);
    (registry, [author, user])
}

/// The tool in the user's toolbox, as listed.
#[track_caller]
fn listed(user: &Home) -> Value {
    user.tool("list --json").json()["tools"][0].clone()
}

/// Checks that an update stops with the messages `expect` and changes nothing, even with
/// `--accept-code`.
#[track_caller]
fn stops(user: &Home, expect: &[&str]) {
    let before = listed(user);
    for line in ["update", "update --quiet", "update --accept-code"] {
        let stopped = user.tool(line);
        for expect in expect {
            says(&stopped, 3, expect);
        }
    }
    assert_eq!(listed(user), before);
}

fn a_secret_that_is_none_any_more() {
    let (_registry, [author, user]) = with_version(&adder(), |it| asks_for_a_key(it, true));
    load(&user, "author/one", &["--allow-var", "API_KEY"]);
    push(&author, "0.1.1", &adder(), |it| asks_for_a_key(it, false));
    stops(
        &user,
        &[
            "`one` 0.1.1 differs from 0.1.0, which you approved",
            "  - variable API_KEY: secret\n  + variable API_KEY: not secret\n",
        ],
    );
}

fn a_power_that_is_new() {
    let (_registry, [author, user]) = with_version(&adder(), |_| ());
    load(&user, "author/one", &[]);
    push(&author, "0.1.1", &adder_with(SHOWS_PROGRESS), |_| ());
    stops(
        &user,
        &["  + imports (asks the person): tool-hub:tool/interaction@0.1.0"],
    );
    let digest = digest(&user, "one");
    user.run(["update", "--approve", &digest]).ok();
    assert_eq!(listed(&user)["approval"]["consent"], "flag");
}

/// A component with a function that takes a record.
const CLIMBER: &str = r#"(component
    (core module $m (func (export "f") (param i32) (result i32) local.get 0))
    (core instance $i (instantiate $m))
    (type $spot' (record (field "height" u32)))
    (import "spot" (type $spot (eq $spot')))
    (func (export "climb") (param "to" $spot) (result u32) (canon lift (core func $i "f"))))"#;

fn what_is_said_of_a_member() {
    let component = wat::parse_str(CLIMBER).expect("a component");
    let says_of_height = |text: &'static str| {
        move |manifest: &mut Manifest| {
            let inputs = &mut manifest.functions[0].inputs;
            inputs[0].members.insert("height".into(), text.into());
        }
    };
    let (_registry, [author, user]) = with_version(&component, says_of_height("In metres."));
    let inspected = user.tool("inspect author/one --verbose").ok();
    assert!(
        inspected.contains("\n      to.height: In metres.\n"),
        "{inspected}"
    );
    load(&user, "author/one", &[]);
    push(&author, "0.1.1", &component, says_of_height("In feet."));
    stops(&user, &["climb: inputs", "In metres.", "In feet."]);
}

fn only_the_code() {
    let (_registry, [author, user]) = with_version(&adder(), |_| ());
    load(&user, "author/one", &[]);
    push(&author, "0.1.1", &adder_with("(core module)"), |_| ());
    let before = listed(&user);
    let asked = user.tool("update");
    says(&asked, 3, "`one` 0.1.1: only the code changed since 0.1.0");
    says(&asked, 3, "hint: --accept-code takes newer versions");
    assert_eq!(listed(&user), before);

    user.tool("update --accept-code").ok();
    let now = listed(&user);
    assert_eq!(
        (&now["version"], &now["approval"]["consent"]),
        (&json!("0.1.1"), &json!("update"))
    );
    push(
        &author,
        "0.1.2",
        &adder_with("(core module) (core module)"),
        |_| (),
    );
    assert_eq!(user.tool("update").code(), 3);
    user.configure("accept_code = true\n");
    user.tool("update").ok();
    assert_eq!(listed(&user)["version"], "0.1.2");
    assert_eq!(user.tool("call one.add a=1 b=2").ok().trim(), "3");
}

/// The record shows that nobody was asked.
fn less_passes_unasked() {
    let (_registry, [author, user]) = with_version(&adder(), |it| asks_for_a_key(it, true));
    load(&user, "author/one", &["--allow-var", "API_KEY"]);
    let before = listed(&user);
    push(&author, "0.1.1", &adder(), |_| ());
    user.tool("update").ok();
    let now = listed(&user);
    assert_eq!(before["approval"]["consent"], "flag");
    assert_eq!(now["approval"]["consent"], "update");
    assert_eq!(now["grants"], json!({}));

    // Loading the same tool again keeps the consent.
    user.tool("load one").ok();
    assert_eq!(listed(&user)["approval"], now["approval"]);
}

/// A registry address that first leads to `old`, and a user who loaded version 0.1.1 there.
fn with_two_registries(
    old: impl FnOnce(&Home),
    new: impl FnOnce(&Home),
) -> ([RegistryProcess; 2], Home) {
    let registries = [RegistryProcess::start(), RegistryProcess::start()];
    let wire = Switching::start(registries[0].url());
    let user = Home::new().with("HF_ENDPOINT", wire.url());
    old(&registries[0].member("author"));
    new(&registries[1].member("author"));
    load(&user, "author/one@^0.1", &[]);
    assert_eq!(listed(&user)["version"], "0.1.1");
    wire.lead_to(registries[1].url());
    // It has another log. A user who believes it is an attack ends here.
    says(&user.tool("update"), 3, "another key signs it than before");
    std::fs::remove_file(user.tool_home().join("known_logs.toml")).expect("the known logs");
    (registries, user)
}

fn a_version_that_went() {
    let versions = |author: &Home, versions: &[&str]| {
        for version in versions {
            push(author, version, &adder(), |_| ());
        }
    };
    let (_registries, user) = with_two_registries(
        |author| versions(author, &["0.1.0", "0.1.1"]),
        |author| versions(author, &["0.1.0"]),
    );
    stops(
        &user,
        &["  - version (downgrade): 0.1.1\n  + version (downgrade): 0.1.0\n"],
    );
}

fn a_tag_that_moved() {
    let (_registries, user) = with_two_registries(
        |author| push(author, "0.1.1", &adder(), |_| ()),
        |author| push(author, "0.1.1", &adder_with("(core module)"), |_| ()),
    );
    stops(
        &user,
        &[
            "  + commit, although the version is the same: ",
            "  + code, although the version is the same: sha256:",
        ],
    );
}

/// A tool from another place that takes over a name shows what changes before it does.
fn a_tool_in_place_of_another() {
    let (_registry, [_, user]) = with_version(&adder(), |_| ());
    load(&user, "author/one", &[]);
    let component = wat::parse_str(
        r#"(component
            (core module $m (func (export "f") (param i32) (result i32) (local.get 0)))
            (core instance $i (instantiate $m))
            (func $f (param "a" u32) (result u32) (canon lift (core func $i "f")))
            (export "negate" (func $f)))"#,
    );
    user.write("other.wasm", component.expect("a component"));
    let digest = digest(&user, "other.wasm");
    let loaded = user.run(["load", "other.wasm", "--as", "one", "--approve", &digest]);
    for expect in [
        "this differs from `one` 0.1.0, which you approved:",
        "  - function add: ",
        "  - function sum_up: ",
        "  + function negate: ",
    ] {
        says(&loaded, 0, expect);
    }
}
