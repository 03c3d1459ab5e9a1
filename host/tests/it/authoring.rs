//! Manifests made from components.

use std::path::Path;

use tool_hub_host::authoring::{Docs, WitSource, complete_manifest, derive_manifest};
use tool_hub_host::{HostError, inspect};
use tool_hub_manifest::{Manifest, Package, ValueType, Verified};

use crate::support::{LIFT, component};

const WIT: &str = "
    package demo:text;
    /// Works on text.
    world text {
        /// Repeats `text` as often as `how-often` says.
        ///
        /// - `text`: what to repeat.
        /// - `how-often`: how many times;
        ///   once where it is left out.
        export repeat-it: func(text: string, how-often: option<u32>) -> string;
    }
";

fn repeater() -> Vec<u8> {
    component(
        r#"(func (export "f") (param i32 i32 i32 i32) (result i32)
            (i32.store (i32.const 16) (local.get 0))
            (i32.store (i32.const 20) (local.get 1))
            (i32.const 16))"#,
        &format!(
            r#"(func (export "repeat-it")
                (param "text" string) (param "how-often" (option u32)) (result string)
                (canon lift (core func $i "f") {LIFT}))"#
        ),
    )
}

fn docs() -> Docs {
    let path = Path::new("world.wit");
    let contents = WIT;
    Docs::from_sources(&[WitSource { path, contents }], None).unwrap()
}

fn author(functions: &str) -> Manifest {
    let text = format!("schema = 1\nname = \"text\"\nversion = \"0.1.0\"\n{functions}");
    text.parse().unwrap()
}

#[test]
fn a_manifest_is_finished_from_types_and_comments() {
    let manifest = complete_manifest(author(""), &repeater(), Some(&docs())).unwrap();
    assert_eq!(manifest.description, "Works on text.");
    let (name, function) = manifest.functions.get_index(0).unwrap();
    assert_eq!(name.as_str(), "repeat_it");
    assert!(
        function
            .description
            .starts_with("Repeats `text` as often as `how_often` says.")
    );
    let input = &function.inputs[1];
    assert_eq!(
        (input.value_type, input.optional, input.description.as_str()),
        (
            ValueType::Integer,
            true,
            "how many times; once where it is left out."
        )
    );
    assert_eq!(
        function.output.as_ref().unwrap().value_type,
        ValueType::Text
    );
}

#[test]
fn what_the_author_wrote_stays() {
    let own = r#"
        [functions.again]
        export = "repeat-it"
        description = "Says it again."
        read_only = true
        inputs.text = { type = "text", description = "What." }
    "#;
    let manifest = complete_manifest(author(own), &repeater(), Some(&docs())).unwrap();
    let (name, function) = manifest.functions.get_index(0).unwrap();
    assert_eq!((name.as_str(), manifest.functions.len()), ("again", 1));
    assert_eq!(function.description, "Says it again.");
    assert_eq!(function.inputs[0].description, "What.");
    assert_eq!(function.inputs.len(), 2);
}

#[test]
fn a_claim_that_the_component_contradicts_is_refused() {
    let wrong = "[functions.repeat_it]\ninputs.count = { type = \"integer\" }";
    match complete_manifest(author(wrong), &repeater(), None) {
        Err(HostError::Disagreement { refusals }) => assert_eq!(
            refusals[0].to_string(),
            "function `repeat_it`: input `count` is claimed to be integer, the component says absent"
        ),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_component_keeps_its_comments_for_whoever_gets_it_alone() {
    let component = docs().embed(&repeater()).unwrap();
    let manifest = derive_manifest(&component, "text".parse().unwrap()).unwrap();
    assert_eq!(manifest.description, "Works on text.");
    assert_eq!(
        manifest.functions[0].inputs[0].description,
        "what to repeat."
    );
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
    };
    let inspection = inspect(&Verified::check(package).unwrap()).unwrap();
    assert!(inspection.refusals.is_empty() && inspection.warnings.is_empty());
}
