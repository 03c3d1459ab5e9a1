//! Tests of manifests made from components: comments, the author's own texts, wrong claims.

use std::path::Path;

use serde_json::json;
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
        interpreter: None,
        sbom: None,
    };
    let inspection = inspect(&Verified::check(package).unwrap()).unwrap();
    assert!(inspection.refusals.is_empty() && inspection.warnings.is_empty());
}

const MEMBERS_WIT: &str = "
    package demo:trips;
    world trips {
        /// How to go.
        enum way {
            /// On two wheels,
            /// one's own.
            bike,
            on-foot,
        }
        /// A stop.
        record stop {
            /// Where, for `nights-min` nights.
            city: string,
            nights-min: u8,
            /// How to get there.
            by: way,
        }
        variant outcome {
            /// It can be done.
            planned(stop),
            /// Nobody goes there.
            closed,
        }
        /// Plans a trip.
        ///
        /// - `stops`: where to go.
        /// - `by`: how to travel.
        export plan: func(stops: list<stop>, by: way) -> result<outcome, string>;
    }
";

fn planner() -> Vec<u8> {
    component(
        r#"(func (export "f") (param i32 i32 i32) (result i32) unreachable)"#,
        &format!(
            r#"(type $way' (enum "bike" "on-foot")) (import "way" (type $way (eq $way')))
            (type $stop' (record (field "city" string) (field "nights-min" u8) (field "by" $way)))
            (import "stop" (type $stop (eq $stop')))
            (type $outcome' (variant (case "planned" $stop) (case "closed")))
            (import "outcome" (type $outcome (eq $outcome')))
            (func (export "plan") (param "stops" (list $stop)) (param "by" $way)
                (result (result $outcome (error string)))
                (canon lift (core func $i "f") {LIFT}))"#
        ),
    )
}

/// The manifest that `wit` and the author's `functions` make of the planner.
fn planned(wit: &str, functions: &str) -> Result<Manifest, HostError> {
    let source = WitSource {
        path: Path::new("world.wit"),
        contents: wit,
    };
    let docs = Docs::from_sources(&[source], None).unwrap();
    complete_manifest(author(functions), &planner(), Some(&docs))
}

#[test]
fn comments_on_fields_and_cases_are_descriptions_in_the_schemas() {
    let manifest = planned(MEMBERS_WIT, "").unwrap();
    let text = manifest.to_toml();
    assert_eq!(text.parse::<Manifest>().unwrap(), manifest, "{text}");
    let package = Package {
        manifest: text.into_bytes(),
        component: planner(),
        interpreter: None,
        sbom: None,
    };
    let inspection = inspect(&Verified::check(package).unwrap()).unwrap();
    assert_eq!(inspection.refusals, []);
    let function = &inspection.functions[0];
    let way = "- `bike`: On two wheels, one's own.";
    let stop = json!({
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where, for `nights_min` nights."},
            "nights_min": {"type": "integer", "minimum": 0, "maximum": 255},
            "by": {
                "type": "string", "enum": ["bike", "on_foot"],
                "description": format!("How to get there.\n{way}"),
            },
        },
        "required": ["city", "nights_min", "by"],
        "additionalProperties": false,
    });
    assert_eq!(
        function.spec.input_schema["properties"],
        json!({
            "stops": {"type": "array", "items": stop, "description": "where to go."},
            "by": {
                "type": "string", "enum": ["bike", "on_foot"],
                "description": format!("how to travel.\n{way}"),
            },
        })
    );
    let cases = function.spec.output_schema.as_ref().unwrap()["oneOf"].clone();
    assert_eq!(cases[0]["description"], "It can be done.");
    let city = &cases[0]["properties"]["val"]["properties"]["city"];
    assert_eq!(city["description"], "Where, for `nights_min` nights.");
    assert_eq!(cases[1]["description"], "Nobody goes there.");
    // People see the same texts.
    assert_eq!(
        function.inputs[0].members["by.bike"],
        "On two wheels, one's own."
    );
    let output = function.output.as_ref().unwrap();
    assert_eq!(output.members["planned.by"], "How to get there.");
}

#[test]
fn what_the_author_says_of_members_stays_and_has_to_be_about_one() {
    let own = |members: &str| {
        format!("[functions.plan]\ninputs.stops = {{ type = \"array\", members = {members} }}")
    };
    let manifest = planned(MEMBERS_WIT, &own("{ city = \"A town.\" }")).unwrap();
    let members = &manifest.functions[0].inputs[0].members;
    assert_eq!(members["city"], "A town.");
    assert_eq!(members["by"], "How to get there.");
    for place in ["town", "city.name", "by.car", ".city", "city."] {
        let refused = planned(
            MEMBERS_WIT,
            &own(&format!("{{ \"{place}\" = \"A town.\" }}")),
        );
        let Err(HostError::Disagreement { refusals }) = refused else {
            panic!("{place}: {refused:?}");
        };
        assert_eq!(
            refusals[0].to_string(),
            format!(
                "function `plan`: member `{place}` of input `stops` is claimed to be described, \
                 the component says absent"
            )
        );
    }
}

#[test]
fn comments_on_members_are_as_long_as_others() {
    let long = format!("/// {}\n", "x".repeat(20_000));
    let wit = MEMBERS_WIT.replace("nights-min: u8", &format!("{long} nights-min: u8"));
    let manifest = planned(&wit, "").unwrap();
    let members = &manifest.functions[0].inputs[0].members;
    assert_eq!(members["nights_min"].len(), 8 << 10);
    // A type that names others twice doubles them.
    let mut types = "record r0 { /// A.\n a: u8 }".to_owned();
    for n in 1..40 {
        let one = n - 1;
        types.push_str(&format!("record r{n} {{ a: r{one}, b: r{one} }}\n"));
    }
    let wit = format!("package a:b; world w {{ {types} export f: func(x: r39); }}");
    let source = WitSource {
        path: Path::new("world.wit"),
        contents: &wit,
    };
    assert!(Docs::from_sources(&[source], None).is_ok());
}
