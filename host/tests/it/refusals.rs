//! Tests of inspections: false claims and unknown imports are refused, the rest is only reported.
//! A refusal rules out approval. Exports that cannot be called are among what is reported.

use serde_json::json;
use tool_hub_host::{HostError, ImportAccess, RequiredGrant, authoring, inspect};
use tool_hub_manifest::{Grants, Input, Manifest, Methods, Verified};

use crate::support::{component, package};

fn adder() -> Vec<u8> {
    component(
        r#"(func (export "add") (param i32 i32) (result i32)
            (i32.add (local.get 0) (local.get 1)))"#,
        r#"(func (export "add") (param "a" u32) (param "b" u32) (result u32)
            (canon lift (core func $i "add")))"#,
    )
}

#[track_caller]
fn refused(verified: &Verified, expect: &[&str]) {
    let inspection = inspect(verified).unwrap();
    let texts: Vec<String> = inspection
        .refusals
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(texts, expect);
    let approved = inspection.approve(Grants::none());
    assert!(matches!(approved, Err(HostError::Refused { .. })) == !expect.is_empty());
}

#[test]
fn an_honest_tool_is_not_refused() {
    refused(&package(adder(), |_| {}), &[]);
}

#[test]
fn claims_that_differ_from_the_facts_are_refused() {
    let with = |edit: &dyn Fn(&mut Manifest)| package(adder(), |manifest| edit(manifest));
    let function = |manifest: &mut Manifest| manifest.functions.swap_remove_index(0).unwrap();
    refused(
        &with(&|manifest| drop(function(manifest))),
        &["the component exports `add`, of which the manifest says nothing"],
    );
    refused(
        &with(&|manifest| {
            let (_, claim) = function(manifest);
            manifest
                .functions
                .insert("sum".parse().unwrap(), claim.clone());
            manifest.functions.insert("plus".parse().unwrap(), claim);
        }),
        &["function `plus` names `add`, which another function names already"],
    );
    refused(
        &with(&|manifest| manifest.functions[0].export = "subtract".parse().ok()),
        &[
            "function `add` is claimed, but the component does not export `subtract`",
            "the component exports `add`, of which the manifest says nothing",
        ],
    );
    refused(
        &with(&|manifest| {
            let claim = &mut manifest.functions[0];
            claim.inputs[0].value_type = tool_hub_manifest::ValueType::Text;
            let input: Input = claim.inputs[1].clone();
            claim.inputs.swap_remove_index(1);
            claim.inputs.insert("c".parse().unwrap(), input);
            claim.output = None;
        }),
        &[
            "function `add`: input `a` is claimed to be text, the component says integer",
            "function `add`: input `b` is claimed to be absent, the component says integer",
            "function `add`: input `c` is claimed to be integer, the component says absent",
            "function `add`: the output is claimed to be nothing, the component says integer",
        ],
    );
}

#[test]
fn unknown_imports_are_named() {
    let importing = |import: &str| {
        let text = format!(r#"(component (import "{import}" (instance (export "f" (func)))))"#);
        package(wat::parse_str(text).unwrap(), |_| {})
    };
    refused(
        &importing("evil:host/shell@1.0.0"),
        &[
            "it imports `evil:host/shell@1.0.0`, which this host does not offer, nor does a tool of its [dependencies]",
        ],
    );
    refused(
        &importing("wasi:clocks/monotonic-clock@0.3.0-rc-2026-01-06"),
        &[
            "it imports `wasi:clocks/monotonic-clock@0.3.0-rc-2026-01-06`, of a draft of WASI 0.3: build it for WASI 0.3.0 or 0.2",
        ],
    );
}

#[test]
fn bytes_that_are_no_component_are_named() {
    let derive = |bytes: &[u8]| {
        let name = "demo".parse().unwrap();
        authoring::derive_manifest(bytes, name)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        derive(&wat::parse_str("(module)").unwrap()),
        "the file is a core WebAssembly module, not a WebAssembly component"
    );
    assert_eq!(
        derive(b"\x7fELF"),
        "the file is precompiled native code, not a WebAssembly component"
    );
}

#[test]
fn functions_over_handles_are_not_callable_and_say_why() {
    let text = r#"(component
        (import "wasi:io/poll@0.2.0" (instance $poll
            (export "pollable" (type $p (sub resource)))))
        (alias export $poll "pollable" (type $pollable))
        (core module $m (func (export "f") (param i32)))
        (core instance $i (instantiate $m))
        (func (export "wait") (param "p" (borrow $pollable)) (canon lift (core func $i "f"))))"#;
    let verified = package(wat::parse_str(text).unwrap(), |_| {});
    let inspection = inspect(&verified).unwrap();
    assert!(inspection.functions.is_empty());
    assert_eq!(inspection.not_callable[0].export, "wait");
    assert!(
        inspection.not_callable[0]
            .reason
            .contains("resource handle")
    );
    assert_eq!(
        inspection.warnings,
        ["there is no function that an agent could call"]
    );
}

#[test]
fn what_is_asked_and_not_used_is_said() {
    let verified = package(adder(), |manifest| {
        manifest
            .capabilities
            .network
            .insert("https://example.com".parse().unwrap(), Methods::Any);
    });
    let inspection = inspect(&verified).unwrap();
    let asked = &inspection.capabilities[0];
    assert_eq!((asked.access, asked.used), (ImportAccess::Network, false));
    let origin = "https://example.com".parse().unwrap();
    assert_eq!(asked.grant, RequiredGrant::Network(origin));
    assert!(inspection.warnings[1].contains("imports nothing that could use it"));
}

#[test]
fn what_is_used_and_not_asked_is_said() {
    let text = r#"(component (import "wasi:http/outgoing-handler@0.2.0" (instance)))"#;
    let inspection = inspect(&package(wat::parse_str(text).unwrap(), |_| {})).unwrap();
    assert_eq!(inspection.undeclared, [ImportAccess::Network]);
}

#[test]
fn an_inspection_is_one_json_document() {
    let inspection = inspect(&package(adder(), |_| {})).unwrap();
    let json = serde_json::to_value(&inspection).unwrap();
    assert_eq!(json["name"], "demo");
    assert_eq!(json["functions"][0]["name"], "add");
    assert_eq!(
        json["functions"][0]["spec"]["input_schema"],
        json!({
            "type": "object",
            "properties": {
                "a": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32},
                "b": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32},
            },
            "required": ["a", "b"],
            "additionalProperties": false,
        })
    );
}
