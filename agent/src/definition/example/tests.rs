//! Tests of the examples that are made of schemas, and of schemas that have none.
//! That all examples are valid is tested with repairs.

use serde_json::{Value, json};

use super::*;

#[track_caller]
fn check(schema: Value, expect: Option<Value>) {
    assert_eq!(example(&schema), expect, "{schema}");
    if let Some(example) = expect {
        assert!(jsonschema::is_valid(&schema, &example));
    }
}

#[test]
fn arguments_of_functions() {
    let properties = json!({
        "name": {"type": "string", "minLength": 6},
        "count": {"type": "integer", "minimum": 2, "maximum": 4294967295_u32},
        "wide": {"type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]{1,20}$"},
        "bytes": {"type": "string", "contentEncoding": "base64"},
        "sizes": {"type": "array", "items": {"type": "string", "enum": ["small"]}},
        "maybe": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "pair": {
            "type": "array", "prefixItems": [{"type": "boolean"}, {"type": "string"}],
            "items": false, "minItems": 2, "maxItems": 2,
        },
        "shape": {"oneOf": [
            {"type": "object", "properties": {"tag": {"const": "dot"}}, "required": ["tag"]},
        ]},
        "extra": {"type": "string"},
    });
    let required = [
        "name", "count", "wide", "bytes", "sizes", "maybe", "pair", "shape",
    ];
    let example = json!({
        "name": "textxx", "count": 2, "wide": 1, "bytes": "AAAA", "sizes": ["small"],
        "maybe": 1, "pair": [true, "text"], "shape": {"tag": "dot"},
    });
    check(
        json!({
            "type": "object", "properties": properties, "required": required,
            "additionalProperties": false,
        }),
        Some(example),
    );
}

#[test]
fn what_may_be_there_is_shown_where_nothing_has_to() {
    check(
        json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {}}}),
        Some(json!({"a": "text"})),
    );
    check(json!({"type": "object"}), Some(json!({})));
}

#[test]
fn what_is_not_understood_has_no_example() {
    for schema in [
        json!(false),
        json!({"type": "string", "pattern": "^z"}),
        json!({"type": "string", "format": "iri"}),
        json!({"type": "integer", "minimum": 3, "maximum": 2}),
        json!({"allOf": [{"type": "string"}]}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}),
        json!({"$ref": "https://example.com/a"}),
        json!({"oneOf": [{"type": "string"}, {"type": "string", "maxLength": 9}]}),
    ] {
        check(schema, None);
    }
}
