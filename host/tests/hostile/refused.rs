//! Attacks that are refused before they run: unknown imports, no component, features that are off.

use semver::Version;
use tool_hub_host::{Approved, HostError, Refusal, inspect};
use tool_hub_manifest::{ComponentClaim, Grants, Manifest, Package, Verified};

use crate::case::cases;
use crate::fixture::{Bounds, Fixture};
use crate::guest::bare;
use crate::support::package;

cases! {
    "28" undeclared_import => "refused at inspection, at approval and at load, and named";
    "33" core_module_or_native_code => "refused, and what it is instead is named";
    "34" features_that_are_off => "refused, and the feature is named";
}

async fn undeclared_import(fixture: &mut Fixture) {
    let text = r#"(import "evil:host/shell@1.0.0" (instance (export "f" (func))))"#;
    let verified = package(bare(text), |_| {});
    fixture.keep_refused(&verified);
    let refusal = Refusal::UnknownImport {
        import: "evil:host/shell@1.0.0".to_owned(),
    };
    let named = "it imports `evil:host/shell@1.0.0`, which this host does not offer, nor does a tool \
                 of its [dependencies]";
    assert_eq!(refusal.to_string(), named);
    let inspection = inspect(&verified).unwrap();
    assert_eq!(inspection.refusals, std::slice::from_ref(&refusal));
    let approved = inspection.approve(Grants::none());
    assert!(matches!(approved, Err(HostError::Refused { .. })));
    // A program that embeds the host may go past the inspection, and gets no further.
    let approved = Approved::from_lock_record(verified, Grants::none()).unwrap();
    let loaded = fixture
        .within(Bounds::tight(), fixture.host.load(approved))
        .await;
    match loaded {
        Err(HostError::Refused { refusals, .. }) => assert_eq!(refusals, [refusal]),
        other => panic!("{other:?}"),
    }
}

/// A package as its attacker would make it: with a manifest that speaks of the very bytes.
fn attackers_package(component: Vec<u8>) -> Verified {
    let mut manifest = Manifest::new("demo".parse().unwrap(), Version::new(1, 0, 0));
    manifest.component = Some(ComponentClaim::of(&component));
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
        interpreter: None,
        sbom: None,
    };
    Verified::check(package).unwrap()
}

/// Asserts that neither inspection nor load take `component`, for the reason that `is_it` knows.
async fn never_runs(fixture: &Fixture, component: Vec<u8>, is_it: impl Fn(&HostError) -> bool) {
    let verified = attackers_package(component);
    fixture.keep_refused(&verified);
    let inspected = fixture
        .within(Bounds::tight(), async { inspect(&verified) })
        .await
        .unwrap_err();
    assert!(is_it(&inspected), "{inspected}");
    let approved = Approved::from_lock_record(verified, Grants::none()).unwrap();
    let loaded = fixture
        .within(Bounds::tight(), fixture.host.load(approved))
        .await;
    let refused = loaded.unwrap_err();
    assert!(is_it(&refused), "{refused}");
}

async fn core_module_or_native_code(fixture: &mut Fixture) {
    let module = wat::parse_str("(module)").unwrap();
    for (bytes, is) in [
        (module, "a core WebAssembly module"),
        (b"\x7fELF\x02\x01\x01".to_vec(), "precompiled native code"),
        (b"#!/bin/sh\n".to_vec(), "in another format"),
    ] {
        never_runs(
            fixture,
            bytes,
            |error| matches!(error, HostError::NotAComponent { found } if *found == is),
        )
        .await;
    }
}

async fn features_that_are_off(fixture: &mut Fixture) {
    for (module, named) in [
        ("(type (struct))", "GC"),
        ("(tag)", "exceptions"),
        ("(memory 1 1 shared)", "threads"),
        ("(memory i64 1)", "memory64"),
        ("(memory 1) (memory 1)", "multi-memory"),
        ("(func $f return_call $f)", "tail calls"),
        ("(func (param externref))", "externref"),
    ] {
        let component = bare(&format!("(core module {module})"));
        never_runs(
            fixture,
            component,
            |error| matches!(error, HostError::NeedsFeature { feature } if *feature == named),
        )
        .await;
    }
}
