//! Tests of the WIT interfaces that are made of definitions: types, names and text.
//! Tests in other crates, which have a parser, show that the WIT is valid.

use serde_json::{Value, json};
use tool_hub_manifest::Annotations;

use super::*;
use crate::definition::loss::Loss;

fn spec(name: &str, input: Value, output: Option<Value>) -> FunctionSpec {
    FunctionSpec {
        name: name.into(),
        title: None,
        description: "Does it.".into(),
        input_schema: input,
        output_schema: output,
        annotations: Annotations::default(),
    }
}

/// A property becomes a parameter of this type, and these types are defined for it.
#[track_caller]
fn check(property: Value, expect: &str, definitions: &[&str], losses: &[&str]) {
    let schema = json!({"type": "object", "properties": {"a": property}, "required": ["a"],
        "$defs": {"tree": {"type": "object", "properties": {"kids": {"type": "array",
            "items": {"$ref": "#/$defs/tree"}}}}}});
    let interface = interface(&[spec("f", schema, None)]);
    let [operation] = &interface.operations[..] else {
        panic!("one function");
    };
    assert_eq!(operation.parameters[0].value.to_string(), expect);
    let defined: Vec<String> = interface
        .definitions
        .iter()
        .map(|definition| match &definition.kind {
            TypeKind::Enum(cases) => format!("enum {}: {}", definition.wit, cases.join(", ")),
            TypeKind::Record(fields) => {
                let fields: Vec<String> = fields.iter().map(Parameter::to_string).collect();
                format!("record {}: {}", definition.wit, fields.join(", "))
            }
        })
        .collect();
    assert_eq!(defined, definitions);
    let reported: Vec<String> = interface
        .losses
        .iter()
        .map(|loss| loss.kind.to_string())
        .collect();
    assert_eq!(reported, losses);
}

const TEXT: &str = "the value at `/properties/a` is written as JSON text in a string";

#[test]
fn types() {
    check(json!({"type": "string"}), "string", &[], &[]);
    check(json!({"type": "integer"}), "s64", &[], &[]);
    check(
        json!({"type": "integer", "minimum": 0, "maximum": 255}),
        "u8",
        &[],
        &[],
    );
    check(
        json!({"type": ["integer", "string"], "minimum": 0, "maximum": u64::MAX,
        "pattern": "^[0-9]{1,20}$"}),
        "u64",
        &[],
        &[],
    );
    check(json!({"type": "number"}), "f64", &[], &[]);
    check(json!({"type": "boolean"}), "bool", &[], &[]);
    check(
        json!({"type": "string", "contentEncoding": "base64"}),
        "list<u8>",
        &[],
        &[],
    );
    check(
        json!({"type": "array", "items": {"type": "string"}}),
        "list<string>",
        &[],
        &[],
    );
    check(
        json!({"type": ["array", "null"], "items": {"type": "string"}}),
        "option<list<string>>",
        &[],
        &[],
    );
    check(
        json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": false}),
        "tuple<string, f64>",
        &[],
        &[],
    );
    check(
        json!({"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}),
        "tuple<f64, f64>",
        &[],
        &[],
    );
    check(
        json!({"enum": ["red", "dark_blue"]}),
        "f-a",
        &["enum f-a: red, dark-blue"],
        &[],
    );
    check(
        json!({"enum": ["red", "red"]}),
        "f-a",
        &["enum f-a: red"],
        &[],
    );
    check(
        json!({"enum": ["", "red"]}),
        "string",
        &[],
        &["`enum` at `/properties/a` is weakened"],
    );
    check(
        json!({"enum": ["en-GB"]}),
        "string",
        &[],
        &["`enum` at `/properties/a` is weakened"],
    );
    check(
        json!({"type": "object", "properties": {"x": {"type": "number"}, "type": {}}, "required": ["x"]}),
        "f-a",
        &["record f-a: x: f64, %type: option<string>"],
        &["the value at `/properties/a/properties/type` is written as JSON text in a string"],
    );
    check(json!({"type": "object"}), "string", &[], &[TEXT]);
    check(
        json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        "string",
        &[],
        &[TEXT],
    );
    check(
        json!({"$ref": "#/$defs/tree"}),
        "f-a",
        &["record f-a: kids: option<list<string>>"],
        &["the value at `/$defs/tree/properties/kids/items` is written as JSON text in a string"],
    );
    check(
        json!({"type": "integer", "minimum": 1}),
        "s64",
        &[],
        &["`minimum` at `/properties/a` is described in words"],
    );
}

#[test]
fn names_are_wit_s_and_no_two_are_alike() {
    let input = json!({"type": "object", "properties": {"maxItems": {}, "max_items": {}, "7": {}, "ü": {}}});
    let specs = [
        spec("getWeather", input, None),
        spec("get_weather", json!({"type": "object"}), None),
        spec("get-weather", json!({"type": "object"}), None),
        spec("import", json!({"type": "object"}), None),
        spec("image", json!({"type": "object"}), None),
    ];
    let interface = interface(&specs);
    let names: Vec<(&str, &str)> = interface
        .operations
        .iter()
        .map(|operation| (operation.wit.as_str(), operation.name.as_str()))
        .collect();
    assert_eq!(
        names,
        [
            ("get-weather-n2", "get_weather_n2"),
            ("get-weather", "get_weather"),
            ("get-weather-n3", "get_weather_n3"),
            ("import", "import"),
            ("image-n2", "image"),
        ]
    );
    let parameters = &interface.operations[0].parameters;
    let parameters: Vec<&str> = parameters.iter().map(|p| p.wit.as_str()).collect();
    assert_eq!(parameters, ["max-items", "max-items-n2", "n7", "value"]);
    let renamed = |loss: &&Loss| matches!(loss.kind, LossKind::Renamed { .. });
    // Two of the functions, and each of the parameters but `max_items`' own name.
    assert_eq!(interface.losses.iter().filter(renamed).count(), 2 + 4);
}

#[test]
fn wit() {
    let picture = json!({"type": "object", "properties": {"media_type": {"type": "string"},
        "data": {"type": "string", "contentEncoding": "base64"}}, "required": ["media_type", "data"]});
    let input = json!({"type": "object", "properties": {
        "picture": picture, "list": {"type": "string", "description": "One\ntwo."},
    }, "required": ["picture"]});
    let interface = interface(&[spec("import", input, Some(json!({"type": "boolean"})))]);
    let text = interface.to_wit("tools:a");
    let (_, body) = text.split_once("interface functions {\n").unwrap();
    assert_eq!(
        body,
        "    use tool-hub:tool/types@0.1.0.{image};\n\n    /// Does it.\n    ///\n    \
         /// - `list`: One two.\n    \
         %import: func(picture: image, %list: option<string>) -> result<bool, string>;\n}\n\n\
         world tool {\n    export functions;\n}\n"
    );
}

#[test]
fn a_type_that_doubles_has_an_end() {
    let mut definitions = json!({"t0": {"type": "object", "properties": {"x": {"type": "null"}}}});
    for level in 1..30 {
        let below = json!({"$ref": format!("#/$defs/t{}", level - 1)});
        definitions[format!("t{level}")] =
            json!({"type": "object", "properties": {"a": below, "b": below}});
    }
    let input = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/t29"}},
        "$defs": definitions});
    assert!(interface(&[spec("f", input, None)]).definitions.len() < 3_000);
}
