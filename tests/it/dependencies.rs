//! Tests of tools that call other tools: built, published, resolved, consented to, updated, called.

mod carried;
mod circles;
mod languages;

use serde_json::json;
use tool_hub_host::authoring::derive_manifest;
use tool_hub_manifest::{DependencyRequest, Lock, Manifest, Version};

use crate::signatures::published::new_key;
use crate::support::loading::{digest, load};
use crate::support::ran::says;
use crate::support::{Home, Ran, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    let here = vec![
        test("dependencies::a_tree_is_approved", a_tree_is_approved),
        test(
            "dependencies::rights_are_the_dependency_s_own",
            rights_are_the_dependency_s_own,
        ),
        test(
            "dependencies::a_changed_one_asks_again",
            a_changed_one_asks_again,
        ),
        test("dependencies::another_signer_of_one", another_signer_of_one),
        test("dependencies::diamonds_and_circles", diamonds_and_circles),
        test(
            "dependencies::a_withdrawn_one_is_not_called",
            a_withdrawn_one_is_not_called,
        ),
        test(
            "dependencies::an_advisory_against_one",
            an_advisory_against_one,
        ),
    ];
    [here, carried::tests(), circles::tests(), languages::tests()].concat()
}

/// Multiplies by `factor`, in the interface `ada:NAME/convert`.
pub(crate) fn multiplies(name: &str, factor: u32) -> Vec<u8> {
    let text = format!(
        r#"(component
            (core module $m (func (export "scale") (param $x i32) (result i32)
                (i32.mul (local.get $x) (i32.const {factor}))))
            (core instance $i (instantiate $m))
            (func $scale (param "x" u32) (result u32) (canon lift (core func $i "scale")))
            (instance $convert (export "scale" (func $scale)))
            (export "ada:{name}/convert@1.0.0" (instance $convert)))"#
    );
    wat::parse_str(text).expect("a component")
}

/// Adds what `scale` of each of `dependencies` answers, in the interface `ada:NAME/convert`.
pub(crate) fn adds(name: &str, dependencies: &[&str]) -> Vec<u8> {
    let each = |line: &dyn Fn(&str) -> String| -> String {
        dependencies.iter().map(|name| line(name)).collect()
    };
    let imports = each(&|name| {
        format!(
            r#"(import "ada:{name}/convert@1.0.0" (instance ${name}
                (export "scale" (func (param "x" u32) (result u32)))))
            (core func ${name} (canon lower (func ${name} "scale")))"#
        )
    });
    let taken =
        each(&|name| format!(r#"(import "d" "{name}" (func ${name} (param i32) (result i32)))"#));
    let called = each(&|name| format!("(call ${name} (local.get $x)) i32.add "));
    let given = each(&|name| format!(r#"(export "{name}" (func ${name}))"#));
    let text = format!(
        r#"(component {imports}
            (core module $m {taken} (func (export "scale") (param $x i32) (result i32)
                i32.const 0 {called}))
            (core instance $i (instantiate $m (with "d" (instance {given}))))
            (func $scale (param "x" u32) (result u32) (canon lift (core func $i "scale")))
            (instance $convert (export "scale" (func $scale)))
            (export "ada:{name}/convert@1.0.0" (instance $convert)))"#
    );
    wat::parse_str(text).expect("a component")
}

/// Publishes `component` as `ada/NAME`, which depends on `dependencies`.
pub(crate) fn publish(
    ada: &Home,
    name: &str,
    version: &str,
    component: &[u8],
    dependencies: &[(&str, &str)],
    edit: impl FnOnce(&mut Manifest),
) {
    push(ada, name, version, component, dependencies, edit).ok();
}

/// Pushes it, whatever comes of it.
fn push(
    ada: &Home,
    name: &str,
    version: &str,
    component: &[u8],
    dependencies: &[(&str, &str)],
    edit: impl FnOnce(&mut Manifest),
) -> Ran {
    write(ada, name, version, component, dependencies, edit);
    ada.run(["push", &format!("ada/{name}"), "-C", name])
}

/// Writes its package.
fn write(
    ada: &Home,
    name: &str,
    version: &str,
    component: &[u8],
    dependencies: &[(&str, &str)],
    edit: impl FnOnce(&mut Manifest),
) {
    let mut manifest =
        derive_manifest(component, name.parse().expect("a name")).expect("a manifest");
    manifest.version = version.parse::<Version>().expect("a version");
    manifest.description = format!("Is {name}.");
    manifest.dependencies = dependencies
        .iter()
        .map(|(name, version)| {
            let request = DependencyRequest {
                repo: format!("ada/{name}").parse().expect("a repo"),
                version: version.parse().expect("a requirement"),
            };
            (name.parse().expect("a name"), request)
        })
        .collect();
    edit(&mut manifest);
    ada.write(&format!("{name}/tool.toml"), manifest.to_toml());
    ada.write(&format!("{name}/tool.wasm"), component);
    let card = format!("---\ntags: [tool]\n---\n# {name}\n");
    ada.write(&format!("{name}/README.md"), card);
}

/// A registry on which `ada` has `units`, and `forecast` that calls it.
pub(crate) fn published() -> (RegistryProcess, Home) {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    let asks = |manifest: &mut Manifest| {
        let asked = "network = [\"https://units.example\"]\nvariables = [{ name = \"UNITS_KEY\" }]";
        let text = format!("{}\n[capabilities]\n{asked}", manifest.to_toml());
        *manifest = text.parse().expect("a manifest");
    };
    publish(&ada, "units", "1.2.0", &multiplies("units", 2), &[], asks);
    let forecast = adds("forecast", &["units"]);
    publish(
        &ada,
        "forecast",
        "1.0.0",
        &forecast,
        &[("units", "^1")],
        |_| {},
    );
    (registry, ada)
}

fn a_tree_is_approved() {
    let (registry, _ada) = published();
    let user = registry.visitor();
    let report = user.tool("inspect ada/forecast").ok();
    for line in [
        "Calls other tools, each in a sandbox of its own with rights of its own",
        "  units: ada/units 1.2.0, not signed",
        "      may ask for: sends requests to https://units.example",
        "      may ask for: reads the variable UNITS_KEY",
    ] {
        assert!(report.contains(line), "{line}\n{report}");
    }
    // The approval is of the whole tree: the tool's own package alone has another digest.
    let whole = digest(&user, "ada/forecast");
    let alone = user.tool("inspect ada/forecast --json").json();
    let pin = alone["inspection"]["manifest_digest"]
        .as_str()
        .expect("a digest");
    assert_ne!(whole, pin);

    let loaded = user.run(["load", "ada/forecast", "--approve", &whole]);
    says(
        &loaded,
        0,
        "`forecast.units` asks for what it was not granted",
    );
    says(
        &loaded,
        0,
        "tool grant forecast.units --allow-network https://units.example",
    );
    assert_eq!(user.tool("call forecast x=21").ok(), "42\n");
    let lock = user.tool_home().join("toolbox.lock");
    let lock = std::fs::read_to_string(lock).expect("a lock");
    assert!(
        lock.contains("[tools.forecast.dependencies.units"),
        "{lock}"
    );
    assert!(user.tool("verify").ok().contains("ok"));
    says(
        &user.tool("export forecast --mcpb forecast.mcpb"),
        1,
        "`forecast` calls other tools, for which these formats have no place",
    );

    // A lock that was edited is no approval.
    let edited = lock.replace("version = \"1.2.0\"", "version = \"1.2.1\"");
    assert_ne!(edited, lock);
    std::fs::write(user.tool_home().join("toolbox.lock"), edited).expect("written");
    assert_eq!(user.tool("call forecast x=21").code(), 3);
}

fn rights_are_the_dependency_s_own() {
    let (registry, _ada) = published();
    let user = registry.visitor();
    load(&user, "ada/forecast", &[]);
    let whole = digest(&user, "ada/forecast");

    // A right that only the dependency asks for cannot be granted to the tool that calls it.
    let wrong = [
        "grant",
        "forecast",
        "--approve",
        &whole,
        "--allow-var",
        "UNITS_KEY",
    ];
    assert_ne!(user.run(wrong).code(), 0);
    let granted = user.run([
        "grant",
        "forecast.units",
        "--approve",
        &whole,
        "--allow-var",
        "UNITS_KEY",
    ]);
    says(&granted, 0, "forecast.units may read $UNITS_KEY");
    says(&granted, 0, "publisher  ada, 20");
    let listed = user.tool("list").ok();
    let row = "forecast.units 1.2.0 ada/units - read $UNITS_KEY";
    let mut rows = listed.lines().map(|row| row.split_whitespace());
    assert!(rows.any(|it| it.eq(row.split(' '))), "{listed}");
    let listed = user.tool("list --json").json()["tools"][0].clone();
    assert_eq!(listed["grants"], json!({}), "{listed}");
    let units = &listed["dependencies"][0];
    assert_eq!(units["name"], "forecast.units", "{listed}");
    assert_eq!(units["grants"]["variables"], json!(["UNITS_KEY"]));
    let lock = || std::fs::read_to_string(user.tool_home().join("toolbox.lock")).expect("a lock");
    let read: Lock = lock().parse().expect("a lock");
    let forecast = read.tools.values().next().expect("a tool");
    assert!(forecast.grants.is_none());
    let units = forecast.dependencies.values().next().expect("a dependency");
    assert!(!units.grants.is_none());
    assert_eq!(user.tool("call forecast x=1").ok(), "2\n");

    says(
        &user.tool("revoke forecast.units --var UNITS_KEY"),
        0,
        "forecast.units may compute",
    );
    assert!(!lock().contains("UNITS_KEY"));
    assert_eq!(user.tool("call forecast x=1").ok(), "2\n");
    says(
        &user.tool("grant forecast.other --allow-storage"),
        1,
        "there is no dependency `other`",
    );
}

fn a_changed_one_asks_again() {
    let (registry, ada) = published();
    let user = registry.visitor();
    load(&user, "ada/forecast", &[]);
    says(&user.tool("update"), 0, "forecast: current at 1.0.0");

    // The tool itself stays; what it calls is another.
    publish(&ada, "units", "1.3.0", &multiplies("units", 3), &[], |_| {});
    let stopped = user.tool("update --allow-new");
    says(&stopped, 3, "dependency units: version");
    says(&stopped, 3, "dependency units: code");
    assert_eq!(user.tool("call forecast x=1").ok(), "2\n");
    let updated = user.tool("update --allow-new --accept-code");
    says(&updated, 0, "forecast: updated at 1.0.0");
    assert_eq!(user.tool("call forecast x=1").ok(), "3\n");

    // More rights always ask.
    publish(
        &ada,
        "units",
        "1.4.0",
        &multiplies("units", 3),
        &[],
        |manifest| {
            let text = format!("{}\n[capabilities.storage]\nwhy = 'so'", manifest.to_toml());
            *manifest = text.parse().expect("a manifest");
        },
    );
    let stopped = user.tool("update --allow-new --accept-code");
    says(&stopped, 3, "dependency units: storage");
    // A version that the tool does not take is not looked at.
    publish(&ada, "units", "2.0.0", &multiplies("units", 9), &[], |_| {});
    load(&user, "ada/forecast", &["--allow-new"]);
    assert_eq!(user.tool("call forecast x=1").ok(), "3\n");
}

/// Somebody else signs what a tool calls. The digest of the tree is no consent to them.
fn another_signer_of_one() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    let sign = |version: &str, factor, key: &str| {
        write(
            &ada,
            "units",
            version,
            &multiplies("units", factor),
            &[],
            |_| {},
        );
        ada.run(["push", "ada/units", "-C", "units", "--sign", key])
            .ok();
    };
    let old = new_key(&ada, "release", "p256");
    sign("1.2.0", 2, "release");
    let forecast = adds("forecast", &["units"]);
    let needs = [("units", "^1")];
    publish(&ada, "forecast", "1.0.0", &forecast, &needs, |_| {});
    let user = registry.visitor();
    let report = user.tool("inspect ada/forecast").ok();
    assert!(report.contains(&format!("signed by {old}")), "{report}");
    load(&user, "ada/forecast", &[]);

    let new = new_key(&ada, "other", "p256");
    sign("1.3.0", 3, "other");
    let stopped = user.tool("update --accept-code");
    says(&stopped, 3, "dependency units: signer");
    let approve = digest(&user, "ada/forecast");
    let changed = format!(
        "`forecast.units` was signed by {old} when you approved it, and is signed by {new} now"
    );
    for command in [&["update"][..], &["load", "ada/forecast"]] {
        let refused = user.run([command, &["--approve", &approve]].concat());
        says(&refused, 3, &changed);
        says(&refused, 3, &format!("--signer {new}"));
    }
    let path = ada.work().join("forecast");
    let path = path.to_string_lossy();
    let approved = digest(&user, &path);
    let called = user.run(["call", &path, "x=1", "--approve", &approved]);
    let changed = changed.trim_start_matches("`forecast");
    says(&called, 3, &format!("{path}{changed}"));
    says(&called, 3, "tool load ada/units");
    assert_eq!(user.tool("call forecast x=1").ok(), "2\n");
    load(&user, "ada/units", &["--signer", &new]);
    user.run(["update", "forecast", "--approve", &approve]).ok();
    assert_eq!(user.tool("call forecast x=1").ok(), "3\n");
}

fn diamonds_and_circles() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    publish(&ada, "base", "1.0.0", &multiplies("base", 10), &[], |_| {});
    publish(&ada, "base", "2.0.0", &multiplies("base", 100), &[], |_| {});
    publish(
        &ada,
        "one",
        "1.0.0",
        &adds("one", &["base"]),
        &[("base", "^1")],
        |_| {},
    );
    publish(
        &ada,
        "other",
        "1.0.0",
        &adds("other", &["base"]),
        &[("base", "^2")],
        |_| {},
    );
    let top = adds("top", &["one", "other", "base"]);
    let needs = [("one", "^1"), ("other", "^1"), ("base", "=1.0.0")];
    publish(&ada, "top", "1.0.0", &top, &needs, |_| {});
    let user = registry.visitor();
    let report = user.tool("inspect ada/top").ok();
    for line in [
        "  one.base: ada/base 1.0.0",
        "  other.base: ada/base 2.0.0",
        "  base: ada/base 1.0.0",
    ] {
        assert!(report.contains(line), "{line}\n{report}");
    }
    load(&user, "ada/top", &[]);
    // Both versions run beside each other.
    assert_eq!(user.tool("call top x=1").ok(), "120\n");

    publish(
        &ada,
        "base",
        "1.1.0",
        &adds("base", &["one"]),
        &[("one", "^1")],
        |_| {},
    );
    let refused = registry.visitor().tool("load ada/one --allow-new");
    says(
        &refused,
        3,
        "depend on each other in a circle: ada/one 1.0.0 → ada/base 1.1.0 → ada/one 1.0.0",
    );

    // A component that imports what nobody gives is told where to say who does.
    let lost = adds("lost", &["base"]);
    let refused = push(&ada, "lost", "1.0.0", &lost, &[], |_| {});
    says(&refused, 3, "nor does a tool of its [dependencies]");
    let absent = adds("absent", &["base"]);
    let refused = push(&ada, "absent", "1.0.0", &absent, &[("base", "^7")], |_| {});
    let expect = "`base`, on which `absent` depends, cannot be had";
    says(&refused, 1, expect);
}

fn a_withdrawn_one_is_not_called() {
    let (registry, ada) = published();
    let user = registry.visitor();
    load(&user, "ada/forecast", &[]);
    let broken = ["yank", "ada/units@1.2.0", "--reason", "it rounds"];
    ada.run(broken).ok();
    // Whoever has it goes on, and is told; whoever has not gets no such version.
    says(&user.tool("update"), 0, "forecast: current at 1.0.0");
    let called = user.tool("call forecast x=1");
    says(
        &called,
        0,
        "`forecast.units` 1.2.0 was yanked as broken: it rounds",
    );
    assert_eq!(called.stdout(), "2\n");
    assert_ne!(registry.visitor().tool("load ada/forecast").code(), 0);

    ada.run([&broken[..], &["--severity", "malicious"]].concat())
        .ok();
    user.tool("update");
    let called = user.tool("call forecast x=1");
    says(
        &called,
        3,
        "ada/units 1.2.0, which `forecast` calls, was yanked as malicious: it rounds",
    );
    says(
        &called,
        3,
        "take another version with: tool load ada/forecast --as forecast",
    );
}

fn an_advisory_against_one() {
    let (registry, ada) = published();
    let user = registry.visitor();
    load(&user, "ada/forecast", &[]);
    let advisory = json!({
        "schema_version": "1.7.0",
        "id": "MAL-2026-7",
        "modified": "2026-11-27T12:00:00Z",
        "summary": "It sends numbers away.",
        "affected": [{
            "package": { "ecosystem": "tool-hub", "name": "ada/units" },
            "ranges": [{
                "type": "SEMVER",
                "events": [{ "introduced": "0" }, { "fixed": "1.3.0" }],
            }],
        }],
    });
    user.write("advisories/MAL-2026-7.json", advisory.to_string());
    let directory = user.work().join("advisories");
    user.configure(&format!("advisories = [{directory:?}]\n"));
    let audited = user.tool("audit");
    assert!(
        audited.stdout().contains("MAL-2026-7"),
        "{}",
        audited.stdout()
    );
    let called = user.tool("call forecast x=1");
    says(
        &called,
        3,
        "ada/units 1.2.0, which `forecast` calls, is refused by the advisory MAL-2026-7 (malicious)",
    );
    // The dependency's own repo would take the place of the tool.
    let mended = "take the mended version with: tool load ada/forecast --as forecast";
    says(&called, 3, mended);
    publish(&ada, "units", "1.3.0", &multiplies("units", 3), &[], |_| {});
    load(&user, "ada/forecast", &[]);
    assert_eq!(user.tool("call forecast x=1").ok(), "3\n");
}
