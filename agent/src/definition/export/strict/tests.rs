//! Tests of strict schemas, and of the conversion of arguments back from them.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::definition::export::restore::from_strict;

fn compiled(schema: &Value) -> (Value, Vec<String>) {
    let mut losses = Vec::new();
    let mut report = Report {
        function: "f",
        losses: &mut losses,
    };
    let strict = compile(schema, &mut report);
    let losses = losses.iter().map(|loss| loss.kind.to_string()).collect();
    (strict, losses)
}

/// `property` becomes `expect`, with these losses.
#[track_caller]
fn check(property: Value, expect: Value, losses: &[&str]) {
    let schema = json!({"type": "object", "properties": {"a": property}, "required": ["a"]});
    let (strict, reported) = compiled(&schema);
    assert_eq!(strict["properties"]["a"], expect);
    assert_eq!(reported, losses);
}

#[test]
fn shapes() {
    check(
        json!({"type": "string", "pattern": "a", "format": "uuid", "description": "D."}),
        json!({"type": "string", "pattern": "a", "format": "uuid", "description": "D."}),
        &[],
    );
    check(
        json!({"type": "string", "minLength": 2, "format": "iri", "description": "D."}),
        json!({"type": "string", "description": "D. `minLength`: 2. `format`: \"iri\"."}),
        &[
            "`minLength` at `/properties/a` is described in words",
            "`format` at `/properties/a` is described in words",
        ],
    );
    check(
        json!({"type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]+$"}),
        json!({"anyOf": [
            {"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]+$"},
        ]}),
        &[],
    );
    check(
        json!({"const": 3}),
        json!({"type": "integer", "enum": [3]}),
        &[],
    );
    check(
        json!({"type": "array", "prefixItems": [{"type": "null"}, {"type": "boolean"}],
            "items": false, "minItems": 2, "maxItems": 2}),
        json!({
            "type": "object",
            "properties": {"item_1": {"type": "null"}, "item_2": {"type": "boolean"}},
            "required": ["item_1", "item_2"], "additionalProperties": false,
        }),
        &["the value at `/properties/a` is written as an object with `item_1`, `item_2` and so on"],
    );
    check(
        json!({"type": "object", "additionalProperties": {"type": "number"}}),
        json!({"type": "array", "items": {
            "type": "object",
            "properties": {"key": {"type": "string"}, "value": {"type": "number"}},
            "required": ["key", "value"], "additionalProperties": false,
        }}),
        &["the value at `/properties/a` is written as an array of objects with `key` and `value`"],
    );
    check(
        json!({"type": "object"}),
        json!({"type": "string", "description": "Write the value as JSON text."}),
        &["the value at `/properties/a` is written as JSON text in a string"],
    );
    check(
        json!({"type": "object", "properties": {"b": {"type": "null"}}, "required": ["b"], "additionalProperties": {}}),
        json!({"type": "object", "properties": {"b": {"type": "null"}}, "required": ["b"],
            "additionalProperties": false}),
        &["`additionalProperties` at `/properties/a` is weakened"],
    );
}

#[test]
fn what_may_be_left_out_may_be_null() {
    let schema = json!({"type": "object", "properties": {
        "text": {"type": "string", "description": "T."},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "point": {"$ref": "#/$defs/point", "description": "P."},
        "both": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    }, "$defs": {"point": {"type": "object", "properties": {"x": {"type": "number"}}}}});
    let (strict, losses) = compiled(&schema);
    assert_eq!(
        strict,
        json!({
            "type": "object",
            "properties": {
                "text": {"type": ["string", "null"], "description": "T."},
                "kind": {"type": ["string", "null"], "enum": ["a", "b", null]},
                "point": {
                    "anyOf": [{"$ref": "#/$defs/point"}, {"type": "null"}], "description": "P.",
                },
                "both": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            },
            "required": ["text", "kind", "point", "both"],
            "additionalProperties": false,
            "$defs": {"point": {
                "type": "object", "properties": {"x": {"type": ["number", "null"]}},
                "required": ["x"], "additionalProperties": false,
            }},
        })
    );
    assert_eq!(
        losses,
        ["leaving out `/properties/both` is the same as null"]
    );
    let written = json!({"text": null, "kind": null, "point": {"x": null}, "both": null});
    assert_eq!(
        from_strict(&schema, written),
        json!({"point": {}, "both": null})
    );
}

#[test]
fn a_choice_is_weakened_only_where_values_can_be_of_two() {
    let tagged = |tag: &str| json!({"type": "object", "properties": {"tag": {"const": tag}}, "required": ["tag"]});
    for (one, other, is_weaker) in [
        (tagged("a"), tagged("b"), false),
        (tagged("a"), tagged("a"), true),
        (json!({"type": "string"}), json!({"type": "integer"}), false),
        (json!({"type": "integer"}), json!({"type": "number"}), true),
    ] {
        let choice = json!({"oneOf": [one, other]});
        let (_, losses) = compiled(&json!({"type": "object", "properties": {"a": choice}}));
        let weaker: &[&str] = match is_weaker {
            true => &["`oneOf` at `/properties/a` is weakened"],
            false => &[],
        };
        assert_eq!(losses, weaker, "{choice}");
    }
}

#[test]
fn what_is_too_large_will_be_refused() {
    let mut deep = json!({"type": "boolean"});
    for _ in 0..10 {
        deep = json!({"type": "array", "items": deep});
    }
    let values: Vec<String> = (0..1_001).map(|number| number.to_string()).collect();
    let schema = json!({"type": "object", "properties": {"a": deep, "b": {"enum": values}}});
    let (_, losses) = compiled(&schema);
    assert_eq!(
        losses,
        [
            "11 levels of nesting will be refused: at most 10",
            // One more than the values: it may be left out.
            "1002 values of enumerations will be refused: at most 1000",
        ]
    );
}

#[test]
fn choices_within_choices_take_no_time() {
    // Every level can be read in two ways, and none fits at the bottom.
    let schema = json!({
        "type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "required": ["a"],
        "$defs": {"a": {"anyOf": [
            {"type": "object", "properties": {"x": {"$ref": "#/$defs/a"}}, "required": ["x"]},
            {"type": "object", "properties": {"x": {"$ref": "#/$defs/a"}}, "required": ["x"]},
        ]}},
    });
    let mut value = json!("bottom");
    for _ in 0..60 {
        value = json!({"x": value});
    }
    let arguments = json!({"a": value});
    assert_eq!(from_strict(&schema, arguments.clone()), arguments);
    let circle = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}},
        "required": ["a"], "$defs": {"a": {"$ref": "#/$defs/a"}}});
    assert_eq!(from_strict(&circle, json!({"a": 1})), json!({"a": 1}));
}

#[test]
fn what_has_another_shape_stays_as_it_is() {
    let schema = json!({"type": "object", "properties": {
        "map": {"type": "object", "additionalProperties": {}},
        "pair": {"type": "array", "prefixItems": [{}, {}], "items": false},
        "any": {},
    }, "required": ["map", "pair", "any"]});
    for arguments in [
        json!({"map": [{"key": 1, "value": "2"}], "pair": {"item_1": "1"}, "any": "no JSON"}),
        json!({"map": 1, "pair": [], "any": 2, "more": null}),
        json!([1]),
    ] {
        assert_eq!(from_strict(&schema, arguments.clone()), arguments);
    }
}

/// A schema as the host makes them, and a value of it.
fn shape() -> impl Strategy<Value = (Value, Value)> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(|b| (json!({"type": "boolean"}), json!(b))),
        any::<i32>().prop_map(|n| (json!({"type": "integer"}), json!(n))),
        "[a-z\"{]{0,4}".prop_map(|s| (json!({"type": "string"}), json!(s))),
        Just((json!({"type": "string", "enum": ["a", "b"]}), json!("b"))),
        any::<u64>().prop_map(|n| (json!({"type": ["integer", "string"]}), json!(n.to_string()))),
        "[a-z]{0,4}".prop_map(|s| (json!({}), json!({"free": [s]}))),
        "[a-z]{0,4}".prop_map(|s| (json!({"type": "object"}), json!({"free": [s]}))),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            inner
                .clone()
                .prop_map(|(s, v)| { (json!({"type": "array", "items": s}), json!([v, v])) }),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|items| {
                let (schemas, values): (Vec<_>, Vec<_>) = items.into_iter().unzip();
                let tuple = json!({"type": "array", "prefixItems": schemas, "items": false});
                (tuple, json!(values))
            }),
            inner.clone().prop_map(|(s, v)| {
                (
                    json!({"type": "object", "additionalProperties": s}),
                    json!({"k": v, "l": v}),
                )
            }),
            inner.clone().prop_map(|(s, v)| {
                let case = |tag: &str, s: Value| {
                    json!({
                        "type": "object", "properties": {"tag": {"const": tag}, "val": s},
                        "required": ["tag", "val"], "additionalProperties": false,
                    })
                };
                let choice = json!({"oneOf": [case("a", json!({"type": "null"})), case("b", s)]});
                (choice, json!({"tag": "b", "val": v}))
            }),
            members(inner),
        ]
    })
}

/// An object, of whose optional members some are there.
fn members(inner: impl Strategy<Value = (Value, Value)>) -> impl Strategy<Value = (Value, Value)> {
    prop::collection::vec((inner, any::<bool>(), any::<bool>()), 1..4).prop_map(|members| {
        let (mut properties, mut value, mut required) = (json!({}), json!({}), Vec::new());
        for (index, ((schema, content), is_required, is_there)) in members.into_iter().enumerate() {
            let name = format!("m{index}");
            properties[&name] = schema;
            if is_required {
                required.push(name.clone());
            }
            if is_required || is_there {
                value[&name] = content;
            }
        }
        let object = json!({"type": "object", "properties": properties, "required": required,
            "additionalProperties": false});
        (object, value)
    })
}

/// The value that a model would write for `value` under the strict schema: a simple inverse of
/// [`from_strict`].
fn written(schema: &Value, value: &Value) -> Value {
    let text = || Value::String(value.to_string());
    if let Some(cases) = schema["oneOf"].as_array() {
        let case = cases
            .iter()
            .find(|case| case["properties"]["tag"]["const"] == value["tag"]);
        return written(case.unwrap(), value);
    }
    match (schema["type"].as_str(), value) {
        (Some("array"), Value::Array(values)) => match schema["prefixItems"].as_array() {
            None => values
                .iter()
                .map(|v| written(&schema["items"], v))
                .collect(),
            Some(schemas) => {
                let items = schemas.iter().zip(values).enumerate();
                let named = items.map(|(i, (s, v))| (format!("item_{}", i + 1), written(s, v)));
                Value::Object(named.collect())
            }
        },
        (Some("object"), Value::Object(values)) => {
            if let Some(properties) = schema["properties"].as_object() {
                let named = properties.iter().map(|(name, schema)| {
                    let value = values.get(name).map(|value| written(schema, value));
                    (name.clone(), value.unwrap_or(Value::Null))
                });
                return Value::Object(named.collect());
            }
            match &schema["additionalProperties"] {
                Value::Null => text(),
                anything if anything == &json!({}) => text(),
                schema => values
                    .iter()
                    .map(|(key, value)| json!({"key": key, "value": written(schema, value)}))
                    .collect(),
            }
        }
        (None, _) if schema == &json!({}) => text(),
        _ => value.clone(),
    }
}

/// The requirements of OpenAI for a strict schema.
#[track_caller]
fn assert_is_strict(schema: &Value) {
    const KEYWORDS: [&str; 17] = [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "anyOf",
        "enum",
        "description",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "pattern",
        "format",
        "minItems",
        "maxItems",
    ];
    let keywords = schema.as_object().unwrap();
    for keyword in keywords.keys() {
        assert!(
            KEYWORDS.contains(&keyword.as_str()),
            "{keyword} in {schema}"
        );
    }
    if let Some(properties) = keywords.get("properties") {
        let names: Vec<&String> = properties.as_object().unwrap().keys().collect();
        assert_eq!(schema["required"], json!(names));
        assert_eq!(schema["additionalProperties"], json!(false));
        properties
            .as_object()
            .unwrap()
            .values()
            .for_each(assert_is_strict);
    }
    keywords.get("items").into_iter().for_each(assert_is_strict);
    let choices = keywords.get("anyOf").and_then(Value::as_array);
    choices.into_iter().flatten().for_each(assert_is_strict);
}

proptest! {
    #[test]
    fn arguments_survive_the_way_through_a_strict_schema((schema, value) in members(shape())) {
        let (strict, _) = compiled(&schema);
        assert_is_strict(&strict);
        let sent = written(&schema, &value);
        let validator = jsonschema::validator_for(&strict).unwrap();
        prop_assert!(validator.is_valid(&sent), "{sent} is not of {strict}");
        prop_assert_eq!(from_strict(&schema, sent), value);
    }
}
