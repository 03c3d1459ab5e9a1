//! JSON Schema (2020-12) from shapes.

use serde_json::{Map, Value, json};
use tool_hub_manifest::ValueType;

use crate::shape::{Field, Integer, Label, Shape, known};

/// Which way values travel. The schema of what is accepted says what agents should write;
/// the schema of what is returned covers everything that is ever written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    In,
    Out,
}

/// The schema of a value of `shape`.
pub(crate) fn schema(shape: &Shape, direction: Direction) -> Value {
    match shape {
        Shape::Bool => json!({"type": "boolean"}),
        Shape::Integer(integer) => whole_number(*integer),
        // JSON has no NaN and no infinities; they are written as strings.
        Shape::F32 | Shape::F64 if direction == Direction::Out => {
            json!({"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]})
        }
        Shape::F32 | Shape::F64 => json!({"type": "number"}),
        Shape::Char => json!({"type": "string", "minLength": 1, "maxLength": 1}),
        Shape::String => json!({"type": "string"}),
        Shape::Bytes => json!({"type": "string", "contentEncoding": "base64"}),
        Shape::List(item) => json!({"type": "array", "items": schema(item, direction)}),
        Shape::FixedList(item, length) => json!({
            "type": "array", "items": schema(item, direction),
            "minItems": length, "maxItems": length,
        }),
        Shape::Map(key, value) if **key == Shape::String => {
            json!({"type": "object", "additionalProperties": schema(value, direction)})
        }
        Shape::Map(key, value) => {
            let pair = [schema(key, direction), schema(value, direction)];
            json!({"type": "array", "items": tuple(pair.into())})
        }
        Shape::Tuple(items) => tuple(items.iter().map(|s| schema(s, direction)).collect()),
        Shape::Record(fields) => object(fields, direction),
        Shape::Option(inner) => optional(inner, direction),
        Shape::Result(ok, err) => {
            let case = |name: &str, shape: &Option<Box<Shape>>| {
                let value = shape.as_deref().map_or_else(nil, |s| schema(s, direction));
                wrapper(name, value)
            };
            json!({"oneOf": [case("ok", ok), case("err", err)]})
        }
        Shape::Enum(cases) => json!({"type": "string", "enum": spelled(cases)}),
        Shape::Flags(flags) => json!({
            "type": "array", "uniqueItems": true,
            "items": {"type": "string", "enum": spelled(flags)},
        }),
        Shape::Variant(cases) => {
            let cases: Vec<Value> = cases
                .iter()
                .map(|case| {
                    let tag = json!({"const": case.label.json});
                    match &case.shape {
                        Some(shape) => json!({
                            "type": "object",
                            "properties": {"tag": tag, "val": schema(shape, direction)},
                            "required": ["tag", "val"], "additionalProperties": false,
                        }),
                        None => json!({
                            "type": "object", "properties": {"tag": tag},
                            "required": ["tag"], "additionalProperties": false,
                        }),
                    }
                })
                .collect();
            json!({"oneOf": cases})
        }
    }
}

/// The schema of an object with these members: a record, or the arguments of a function.
pub(crate) fn object(fields: &[Field], direction: Direction) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields {
        let property = match &field.shape {
            // Leaving it out says the same as null, which agents get wrong more often.
            Shape::Option(inner) if !inner.takes_null() => schema(inner, direction),
            shape => schema(shape, direction),
        };
        properties.insert(field.label.json.clone(), property);
        if !matches!(field.shape, Shape::Option(_)) {
            required.push(Value::from(field.label.json.as_str()));
        }
    }
    let mut object = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        object["required"] = required.into();
    }
    object["additionalProperties"] = false.into();
    object
}

/// What kind of value a shape is, in the vocabulary of manifests.
pub(crate) fn value_type(shape: &Shape) -> ValueType {
    match shape {
        _ if *shape == *known::MEDIA => ValueType::Image,
        _ if *shape == *known::CONTENT || *shape == *known::REPLY => ValueType::Any,
        Shape::Bool => ValueType::Boolean,
        Shape::Integer(_) => ValueType::Integer,
        Shape::F32 | Shape::F64 => ValueType::Number,
        Shape::Char | Shape::String | Shape::Bytes | Shape::Enum(_) => ValueType::Text,
        Shape::Map(key, _) if **key == Shape::String => ValueType::Object,
        Shape::List(_)
        | Shape::FixedList(..)
        | Shape::Tuple(_)
        | Shape::Flags(_)
        | Shape::Map(..) => ValueType::Array,
        Shape::Record(_) | Shape::Variant(_) | Shape::Result(..) => ValueType::Object,
        Shape::Option(inner) => value_type(inner),
    }
}

fn whole_number(integer: Integer) -> Value {
    let (min, max) = integer.bounds();
    if integer.is_wide() {
        // Programs that hold numbers as floats lose digits beyond 2^53, so such numbers
        // travel as strings.
        let pattern = match min {
            0 => "^[0-9]{1,20}$",
            _ => "^-?[0-9]{1,19}$",
        };
        json!({
            "type": ["integer", "string"], "minimum": min, "maximum": max, "pattern": pattern,
        })
    } else {
        json!({"type": "integer", "minimum": min, "maximum": max})
    }
}

/// A value or null. Where null already stands for a value inside, the value is wrapped, so
/// that `none` and `some(none)` stay apart.
fn optional(inner: &Shape, direction: Direction) -> Value {
    let value = if inner.takes_null() {
        wrapper("some", schema(inner, direction))
    } else {
        schema(inner, direction)
    };
    json!({"anyOf": [value, nil()]})
}

fn wrapper(name: &str, value: Value) -> Value {
    let mut properties = Map::new();
    properties.insert(name.to_owned(), value);
    json!({
        "type": "object", "properties": properties,
        "required": [name], "additionalProperties": false,
    })
}

fn tuple(items: Vec<Value>) -> Value {
    let length = items.len();
    if items.is_empty() {
        return json!({"type": "array", "maxItems": 0});
    }
    json!({
        "type": "array", "prefixItems": items, "items": false,
        "minItems": length, "maxItems": length,
    })
}

fn nil() -> Value {
    json!({"type": "null"})
}

fn spelled(labels: &[Label]) -> Vec<&str> {
    labels.iter().map(|label| label.json.as_str()).collect()
}
