//! Tests of `tool serve --only`: one tool without a toolbox, approved by its digest in a flag.

use serde_json::{Value, json};
use tool_hub_manifest::Manifest;

use crate::dependencies::{adds, multiplies, publish as publish_tool, published};
use crate::signatures::published::{Published, TOOL, push};
use crate::support::adder::adder;
use crate::support::client::call;
use crate::support::loading::{digest, publish};
use crate::support::ran::says;
use crate::support::{Client, Home, Need, RegistryProcess, Test, test};
use crate::yanks::{STOLEN, is_told_of, refresh_often, refusal};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("only::a_tool_of_a_registry", a_tool_of_a_registry).needs(&[Need::RustGuests]),
        test("only::a_component_at_a_path", a_component_at_a_path),
        test(
            "only::the_rights_are_in_the_flags",
            the_rights_are_in_the_flags,
        )
        .needs(&[Need::RustGuests]),
        test("only::another_signer_is_refused", another_signer_is_refused),
        test("only::what_is_refused", what_is_refused).needs(&[Need::RustGuests]),
        test("only::a_tool_that_calls_others", a_tool_that_calls_others),
        test(
            "only::a_dependency_has_its_own_rights",
            a_dependency_has_its_own_rights,
        ),
        test(
            "only::a_malicious_dependency_is_dropped",
            a_malicious_dependency_is_dropped,
        ),
        test(
            "only::a_path_may_be_called_with_rights_of_a_dependency",
            a_path_may_be_called_with_rights_of_a_dependency,
        ),
    ]
}

fn a_tool_of_a_registry() {
    let registry = RegistryProcess::start();
    let repo = publish(&registry, "text-stats");
    let approved = digest(&registry.visitor(), &repo);
    let user = registry.visitor();
    let serve = || user.command(["serve", "--only", &repo, "--approve", &approved]);

    let mut client = Client::start(serve());
    assert!(
        client
            .tools()
            .contains(&"text_stats__count_words".to_owned())
    );
    let text = json!({ "text": "one two three" });
    let words = call(&mut client, "text_stats__count_words", text.clone());
    assert_eq!(words, 3);
    client.leave();
    for file in ["toolbox.toml", "toolbox.lock", "approvals.toml"] {
        assert!(!user.tool_home().join(file).exists(), "{file}");
    }

    // What was pulled once needs no registry.
    drop(registry);
    let mut client = Client::start(serve());
    assert_eq!(call(&mut client, "text_stats__count_words", text), 3);
    client.leave();
    let other = user.run([
        "serve",
        "--only",
        "other/text-stats",
        "--approve",
        &approved,
    ]);
    assert_ne!(other.code(), 0, "another repo's package");
}

fn a_component_at_a_path() {
    let home = Home::new();
    let path = home.write("adder.wasm", adder());
    let path = path.to_string_lossy();
    let approved = digest(&home, &path);
    let mut client =
        Client::start(home.command(["serve", "--only", &path, "--approve", &approved]));
    assert_eq!(client.tools(), ["adder__add", "adder__sum_up"]);
    client.leave();
}

fn the_rights_are_in_the_flags() {
    let registry = RegistryProcess::start();
    let repo = publish(&registry, "tally");
    let user = registry.visitor();
    let approved = digest(&user, &repo);
    let serve = |flags: &[&str]| {
        let command = ["serve", "--only", &repo, "--approve", &approved];
        Client::start(user.command([&command, flags].concat()))
    };
    let tea = json!({ "counter": "tea" });
    for expected in [1, 2] {
        let mut client = serve(&["--allow-storage"]);
        assert_eq!(call(&mut client, "tally__add", tea.clone()), expected);
        client.leave();
    }
    let mut client = serve(&[]);
    let refused = call(&mut client, "tally__add", tea);
    let refused = refused.as_str().expect("a failure");
    assert!(refused.contains("storage"), "{refused}");
    client.leave();
}

/// A digest does not say who signed a package, so it does not stand for another signer than the
/// user knows of.
fn another_signer_is_refused() {
    let published = Published::new();
    let user = published.user();
    push(&published.ada, "1.1.0", None);
    let approved = digest(&user, TOOL);
    let line = ["serve", "--only", TOOL, "--approve", &approved];
    let refused = user.run(line);
    let told = format!(
        "`adder` was signed by {} when you approved it, and is not signed now",
        published.signer
    );
    says(&refused, 3, &told);
    says(&refused, 3, "tool load");

    let nobodys = published.registry.visitor();
    let mut client = Client::start(nobodys.command(line));
    let sum = call(&mut client, "adder__add", json!({ "a": 1, "b": 2 }));
    assert_eq!(sum, 3);
    client.leave();
}

fn what_is_refused() {
    let registry = RegistryProcess::start();
    let repo = publish(&registry, "text-stats");
    let user = registry.visitor();
    let approved = digest(&user, &repo);
    let other = format!("sha256:{}", "0".repeat(64));
    let version = format!("{repo}@^7");
    for (arguments, code, expected) in [
        (
            &["--only", &repo, "--approve", &other][..],
            3,
            "the approval names sha256:000",
        ),
        (&["--only", &repo], 1, "--approve"),
        (&["--approve", &approved], 1, "--only names none"),
        (&["--allow-storage"], 1, "--only names none"),
        (
            &["--only", &repo, "--approve", &approved, "--allow-storage"],
            3,
            "storage",
        ),
        (
            &["--only", &repo, "--approve", &approved, "--toolbox", "."],
            1,
            "--toolbox",
        ),
        (&["--only", &version, "--approve", &approved], 1, "7"),
        (
            &[
                "--only",
                &repo,
                "--approve",
                &approved,
                "--published-as",
                &repo,
            ],
            1,
            "--published-as is for a path",
        ),
        (&["--published-as", &repo], 1, "--only"),
    ] {
        let ran = user.run([&["serve"], arguments].concat());
        assert_eq!(ran.code(), code, "{arguments:?}: {}", ran.stderr());
        let told = ran.stderr();
        assert!(told.contains(expected), "{arguments:?}: {told}");
    }
}

fn twenty_one() -> Value {
    json!({ "x": 21 })
}

/// The digest is over the tree, so nothing else than what was inspected is served for it.
fn a_tool_that_calls_others() {
    let (registry, ada) = published();
    let user = registry.visitor();
    let approved = digest(&user, "ada/forecast");
    let line = ["serve", "--only", "ada/forecast", "--approve", &approved];
    let mut client = Client::start(user.command(line));
    assert_eq!(client.tools(), ["forecast"]);
    assert_eq!(call(&mut client, "forecast", twenty_one()), 42);
    client.leave();
    for file in ["toolbox.toml", "toolbox.lock", "approvals.toml"] {
        assert!(!user.tool_home().join(file).exists(), "{file}");
    }

    // Where a dependency is another one now, that has to be approved.
    publish_tool(&ada, "units", "1.3.0", &multiplies("units", 3), &[], |_| {});
    let other = registry.visitor();
    let changed = digest(&other, "ada/forecast");
    assert_ne!(changed, approved);
    let refused = other.run(line);
    says(
        &refused,
        3,
        &format!("the approval names {approved}, but this is {changed}"),
    );
    assert_eq!(refused.stdout(), "");
    let line_of_other = ["serve", "--only", "ada/forecast", "--approve", &changed];
    let mut client = Client::start(other.command(line_of_other));
    assert_eq!(call(&mut client, "forecast", twenty_one()), 63);
    client.leave();

    // Who had the approved tree still has it, also without the registry.
    drop(registry);
    let mut client = Client::start(user.command(line));
    assert_eq!(call(&mut client, "forecast", twenty_one()), 42);
    client.leave();
    assert_ne!(user.run(line_of_other).code(), 0, "it was never pulled");
}

/// Multiplies by the number of variables that it sees, as `ada/units`, which `ada/forecast` calls.
fn counting() -> (RegistryProcess, Home) {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    let units = r#"(component
        (import "wasi:cli/environment@0.2.0" (instance $env
            (export "get-environment" (func (result (list (tuple string string)))))))
        (core module $libc
            (memory (export "memory") 1)
            (global $end (mut i32) (i32.const 1024))
            (func (export "realloc") (param i32 i32 i32 i32) (result i32)
                (global.get $end)
                (global.set $end (i32.and (i32.const -8) (i32.add (i32.const 7)
                    (i32.add (global.get $end) (local.get 3)))))))
        (core instance $c (instantiate $libc))
        (alias core export $c "memory" (core memory $memory))
        (alias core export $c "realloc" (core func $realloc))
        (core func $env (canon lower (func $env "get-environment")
            (memory $memory) (realloc $realloc)))
        (core module $m
            (import "h" "memory" (memory 1))
            (import "h" "env" (func $env (param i32)))
            (func (export "scale") (param $x i32) (result i32)
                (call $env (i32.const 16))
                ;; The length of the list stands behind its place.
                (i32.mul (local.get $x) (i32.load (i32.const 20)))))
        (core instance $i (instantiate $m (with "h" (instance
            (export "memory" (memory $memory))
            (export "env" (func $env))))))
        (func $scale (param "x" u32) (result u32) (canon lift (core func $i "scale")))
        (instance $convert (export "scale" (func $scale)))
        (export "ada:units/convert@1.0.0" (instance $convert)))"#;
    let units = wat::parse_str(units).expect("a component");
    let asks = |manifest: &mut Manifest| {
        let asked = "[capabilities]\nvariables = [{ name = \"UNITS_KEY\" }]";
        let text = format!("{}\n{asked}", manifest.to_toml());
        *manifest = text.parse().expect("a manifest");
    };
    publish_tool(&ada, "units", "1.2.0", &units, &[], asks);
    let (forecast, needs) = (adds("forecast", &["units"]), [("units", "^1")]);
    publish_tool(&ada, "forecast", "1.0.0", &forecast, &needs, |_| {});
    (registry, ada)
}

const UNITS_KEY: &str = "units --allow-var UNITS_KEY";

fn a_dependency_has_its_own_rights() {
    let (registry, _ada) = counting();
    let user = registry.visitor().with("UNITS_KEY", "hunter2");
    let approved = digest(&user, "ada/forecast");
    let line = |flags: &[&'static str]| {
        let line = ["serve", "--only", "ada/forecast", "--approve", &approved];
        user.command([&line, flags].concat())
    };
    for (flags, expected) in [(&[][..], 0), (&["--dependency", UNITS_KEY], 21)] {
        let mut client = Client::start(line(flags));
        assert_eq!(call(&mut client, "forecast", twenty_one()), expected);
        client.leave();
    }
    for (flags, code, expected) in [
        // What the dependency asks for is not the tool's.
        (&["--allow-var", "UNITS_KEY"][..], 3, "UNITS_KEY"),
        (&["--dependency", "units --allow-storage"], 3, "storage"),
        (
            &["--dependency", "unit --allow-storage"],
            1,
            "`forecast` does not depend on a tool `unit`",
        ),
        (
            &["--dependency", "units.base --allow-storage"],
            1,
            "it depends on no other tool",
        ),
        (
            &["--dependency", "units"],
            1,
            "write it as 'NAME --allow-…'",
        ),
    ] {
        let serve = ["serve", "--only", "ada/forecast", "--approve", &approved];
        says(&user.run([&serve, flags].concat()), code, expected);
    }
    let alone = user.run(["serve", "--dependency", UNITS_KEY]);
    says(&alone, 1, "--only names none");
}

fn a_malicious_dependency_is_dropped() {
    let (registry, ada) = published();
    let user = registry.visitor();
    refresh_often(&user);
    let approved = digest(&user, "ada/forecast");
    let line = ["serve", "--only", "ada/forecast", "--approve", &approved];
    let mut client = Client::start(user.command(line));
    assert_eq!(call(&mut client, "forecast", twenty_one()), 42);
    ada.run([&["yank", "ada/units@1.2.0"], &STOLEN[..]].concat())
        .ok();
    is_told_of(&mut client, &[]);
    let told = refusal(&mut client, "forecast");
    let expect = "ada/units 1.2.0, which it calls, was withdrawn as malicious";
    assert!(told.contains(expect), "{told}");
    client.leave();
    drop(registry);
    says(
        &user.run(line),
        3,
        "ada/units 1.2.0 was yanked as malicious",
    );
}

fn a_path_may_be_called_with_rights_of_a_dependency() {
    let (registry, ada) = counting();
    let ada = ada.with("UNITS_KEY", "hunter2");
    let approved = digest(&ada, "./forecast");
    let call = ["call", "./forecast", "x=21", "--approve", &approved];
    assert_eq!(ada.run(call).ok(), "0\n");
    let granted = ada.run([&call[..], &["--dependency", UNITS_KEY]].concat());
    assert_eq!(granted.ok(), "21\n");
    drop(registry);
}
