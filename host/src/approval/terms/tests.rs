//! Tests that any change of approved terms is found, and that asking for less needs no approval.

mod changed_terms;

use std::collections::BTreeSet;

use tool_hub_manifest::{
    Access, ComponentClaim, KeyFingerprint, Manifest, Methods, Package, Verified, Version,
};

use super::*;
use crate::approval::inspection::inspect;
use crate::authoring;

/// The name of a change, and the change.
type Edit<T> = (&'static str, fn(&mut T));

const NAMES: [&str; 4] = ["first", "second", "third", "fourth"];
const SHOWS: &str = r#"(export "report-progress" (func
    (param "done" f64) (param "total" (option f64)) (param "message" (option string))))"#;
/// The real type of `ask` differs, but an inspection leaves that check to the linker.
const ASKS: &str = r#"(export "ask" (func (param "key" string) (result string)))"#;

/// A component that exports functions called `names`, and the contents of `more`.
fn component(names: &[&str], more: &str) -> Vec<u8> {
    let functions: String = names
        .iter()
        .map(|name| {
            format!(
                r#"(func ${name} (param "a" u32) (result u32) (canon lift (core func $i "id")))
                (export "{name}" (func ${name}))"#
            )
        })
        .collect();
    let text = format!(
        r#"(component {more}
            (core module $m (func (export "id") (param i32) (result i32) (local.get 0)))
            (core instance $i (instantiate $m))
            {functions})"#
    );
    wat::parse_str(text).expect("a component")
}

fn importing(interface: &str, functions: &str) -> Vec<u8> {
    component(
        &NAMES,
        &format!(r#"(import "{interface}" (instance {functions}))"#),
    )
}

/// A manifest that uses every key.
fn manifest(component: &[u8]) -> Manifest {
    let name = "demo".parse().expect("a name");
    let mut manifest = authoring::derive_manifest(component, name).expect("a manifest");
    manifest.version = Version::new(1, 0, 0);
    manifest.description = "Is a tool.".to_owned();
    manifest.license = Some("MIT".to_owned());
    manifest.icon = Some(icon(0));
    let mut capabilities = String::new();
    for (list, more) in [
        ("directories", "access = 'read'"),
        ("variables", "secret = true"),
    ] {
        let items = NAMES.map(|name| {
            let name = match list {
                "variables" => name.to_uppercase(),
                _ => name.to_owned(),
            };
            format!("{{ name = '{name}', {more}, why = 'to work' }}")
        });
        capabilities += &format!("{list} = [{}]\n", items.join(", "));
    }
    let origins =
        NAMES.map(|name| format!("{{ origin = 'https://{name}.example', methods = ['GET'] }}"));
    capabilities += &format!("network = [{}]\n", origins.join(", "));
    capabilities += "storage = { why = 'to work' }\n";
    let text = format!("schema = 1\nname = 'x'\nversion = '1.0.0'\n[capabilities]\n{capabilities}");
    let asking: Manifest = text.parse().expect("a manifest");
    manifest.capabilities = asking.capabilities;
    manifest.limits = LimitRequest {
        memory_mib: Some(64),
        call_seconds: Some(5),
    };
    for function in manifest.functions.values_mut() {
        function.title = Some("A title".to_owned());
        function.description = "Does something.".to_owned();
        function.read_only = Some(true);
        function.idempotent = Some(true);
        function.destructive = Some(false);
        function.open_world = Some(false);
        let output = function.output.as_mut().expect("an output");
        output.description = "What came of it.".to_owned();
        let input = function.inputs.values_mut().next().expect("an input");
        input.description = "A number.".to_owned();
    }
    manifest
}

fn icon(last: u8) -> Icon {
    let png = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', last];
    Icon::of(&png).expect("an icon")
}

fn source(commit: char) -> Source {
    Source::Registry {
        endpoint: "https://tools.example".parse().expect("a URL"),
        repo: "ada/demo".parse().expect("a repo"),
        commit: commit.to_string().repeat(40).parse().expect("a commit"),
    }
}

/// The terms of a package with this component and manifest, at its own commit.
fn terms(component: Vec<u8>, mut manifest: Manifest, commit: char) -> Terms {
    manifest.component = Some(ComponentClaim::of(&component));
    let manifest = manifest.to_toml().into_bytes();
    let package = Package {
        manifest,
        component,
        interpreter: None,
        sbom: None,
    };
    let verified = Verified::check(package).expect("an honest package");
    let overrides = Overrides {
        description: Some("Is mine.".to_owned()),
        functions: [("first".parse().expect("a name"), "Is mine.".to_owned())].into(),
    };
    let inspection = inspect(&verified).expect("a component");
    let inspection = inspection.with_overrides(overrides);
    inspection.terms(
        source(commit),
        Some(KeyFingerprint::of(b"ada").into()),
        Some("acme/x".to_owned()),
        BTreeSet::from(
            ["x under SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU"]
                .map(|name| name.parse().expect("a publisher")),
        ),
    )
}

fn approved() -> Terms {
    let component = importing("tool-hub:tool/interaction@0.1.0", SHOWS);
    let manifest = manifest(&component);
    terms(component, manifest, '0')
}

/// A newer version with the changes of `edit`.
fn edited(edit: impl FnOnce(&mut Manifest)) -> Terms {
    let component = importing("tool-hub:tool/interaction@0.1.0", SHOWS);
    let mut manifest = manifest(&component);
    manifest.version = Version::new(1, 0, 1);
    edit(&mut manifest);
    terms(component, manifest, '1')
}

/// A newer version with another component and the same manifest.
fn rebuilt(component: Vec<u8>) -> Terms {
    let mut manifest = manifest(&component);
    manifest.version = Version::new(1, 0, 1);
    terms(component, manifest, '1')
}

fn only(methods: &[&str]) -> Methods {
    let methods = methods.iter().map(|method| method.parse());
    Methods::Only(methods.collect::<Result<_, _>>().expect("methods"))
}

/// More than a hundred pairs of versions that differ in one approved part. None is accepted, and
/// the difference names the part.
#[test]
fn whatever_was_approved_and_is_different_stops() {
    let approved = approved();
    let pairs = changed_terms::all();
    assert!(pairs.len() >= 100, "there are {} pairs", pairs.len());
    let code: BTreeSet<&str> = [
        "code",
        "imports (nothing)",
        "packages",
        "x cannot be called",
    ]
    .into();
    for (what, terms) in pairs {
        let changes = approved.changes(&terms);
        let named = changes.iter().find(|change| change.what.starts_with(&what));
        assert!(named.is_some(), "{what} is not in {changes:#?}");
        let expect = match code.contains(&*what) {
            true => ChangeKind::Code,
            false => ChangeKind::Beyond,
        };
        assert_eq!(Change::greatest(&changes), Some(expect), "{what}");
    }
}

#[test]
fn what_asks_for_less_passes() {
    let approved = approved();
    let edits: [Edit<Manifest>; 12] = [
        ("version", |_| ()),
        ("commit", |_| ()),
        ("network https://first.example", |it| {
            let origin = "https://first.example".parse().expect("an origin");
            it.capabilities.network.remove(&origin);
        }),
        ("network https://first.example", |it| {
            let origin = "https://first.example".parse().expect("an origin");
            it.capabilities.network.insert(origin, only(&[]));
        }),
        ("directory first", |it| {
            it.capabilities.directories.remove(0);
        }),
        ("variable FIRST", |it| {
            it.capabilities.variables.remove(0);
        }),
        ("storage", |it| it.capabilities.storage = None),
        ("icon", |it| it.icon = None),
        ("limit of memory", |it| it.limits.memory_mib = Some(63)),
        ("limit of time", |it| it.limits.call_seconds = Some(4)),
        ("function first", |it| {
            let name: FunctionName = "first".parse().expect("a name");
            it.functions.shift_remove(&name);
        }),
        ("network", |it| it.capabilities = Capabilities::default()),
    ];
    for (what, edit) in edits {
        let changes = approved.changes(&edited(edit));
        let named = changes.iter().any(|change| change.what.starts_with(what));
        assert!(named, "{what} is not in {changes:#?}");
        let greatest = Change::greatest(&changes);
        assert!(greatest <= Some(ChangeKind::Newer), "{what}: {changes:#?}");
    }
}

/// In the reverse direction, a reduced request becomes an increased one.
#[test]
fn less_is_what_was_more() {
    let wide = edited(|manifest| {
        for request in &mut manifest.capabilities.directories {
            request.access = Access::ReadWrite;
        }
        for request in &mut manifest.capabilities.variables {
            request.secret = false;
        }
        manifest.limits = LimitRequest::default();
    });
    let mut narrow = approved();
    narrow.version = Version::new(2, 0, 0);
    let changes = wide.changes(&narrow);
    assert_eq!(Change::greatest(&changes), Some(ChangeKind::Newer));
    assert_eq!(
        changes
            .iter()
            .filter(|it| it.kind == ChangeKind::Less)
            .count(),
        10
    );
}

#[test]
fn nothing_is_different_from_itself() {
    assert_eq!(approved().changes(&approved()), []);
}

#[test]
fn going_back_is_never_only_code() {
    let older = |version: &str| {
        let component = component(&NAMES, "(core module)");
        let mut manifest = manifest(&component);
        manifest.version = version.parse().expect("a version");
        let mut terms = terms(component, manifest, '1');
        terms.imports = approved().imports;
        terms
    };
    let kind = |version| Change::greatest(&approved().changes(&older(version)));
    assert_eq!(kind("1.0.1"), Some(ChangeKind::Code));
    assert_eq!(kind("1.0.0"), Some(ChangeKind::Beyond));
    assert_eq!(kind("0.9.0"), Some(ChangeKind::Beyond));
    assert_eq!(kind("1.0.0-rc.1"), Some(ChangeKind::Beyond));
}

/// Texts of prompts and resources come from the code, so other code may be other texts.
#[test]
fn code_that_says_what_prompts_and_resources_are_is_never_only_code() {
    let [old, new] = ["", "(core module)"].map(|more| rebuilt(component(&NAMES, more)));
    for (prompts, resources, what) in [
        (
            true,
            true,
            "code, from which the texts of the prompts and resources come",
        ),
        (
            true,
            false,
            "code, from which the texts of the prompts come",
        ),
        (
            false,
            true,
            "code, from which the texts of the resources come",
        ),
        (false, false, "code"),
    ] {
        let offering = |terms: &Terms, version| Terms {
            prompts,
            resources,
            version: Version::new(1, 0, version),
            ..terms.clone()
        };
        let changes = offering(&old, 0).changes(&offering(&new, 1));
        let code = changes.iter().find(|it| it.what.starts_with("code"));
        let kind = match prompts || resources {
            true => ChangeKind::Beyond,
            false => ChangeKind::Code,
        };
        let found = code.map(|change| (change.what.as_str(), change.kind));
        assert_eq!(found, Some((what, kind)));
        assert_eq!(Change::greatest(&changes), Some(kind));
        // Texts that are no longer offered are read by nobody, so only the code has changed.
        let mut silent = offering(&new, 1);
        (silent.prompts, silent.resources) = (false, false);
        let changes = offering(&old, 0).changes(&silent);
        assert_eq!(Change::greatest(&changes), Some(ChangeKind::Code));
    }
}

/// A new interpreter counts as changed code, and as more where the tool offers prompts: their texts
/// may come from it.
#[test]
fn another_interpreter_is_code() {
    let [old, new] = ["", "(core module)"].map(|more| rebuilt(component(&NAMES, more)));
    let with = |terms: &Terms, byte: &[u8], version: &str, prompts| Terms {
        interpreter: Some(Digest::of(byte)),
        version: version.parse().unwrap(),
        pin: old.pin,
        prompts,
        ..terms.clone()
    };
    for (version, prompts, kind) in [
        ("1.0.1", false, ChangeKind::Code),
        ("1.0.1", true, ChangeKind::Beyond),
        ("1.0.0", false, ChangeKind::Beyond),
    ] {
        let approved = with(&old, b"old", "1.0.0", prompts);
        let changes = approved.changes(&with(&new, b"new", version, prompts));
        let change = changes.iter().find(|change| change.what == "interpreter");
        assert_eq!(change.map(|change| change.kind), Some(kind), "{version}");
    }
}
