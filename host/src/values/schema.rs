//! Builds JSON Schemas (2020-12) of types with descriptions, and finds their manifest `ValueType`.

use serde_json::{Map, Value, json};
use tool_hub_manifest::ValueType;

use crate::values::descriptions::Descriptions;
use crate::values::types::{Field, Integer, Label, Type, contract};

/// The direction in which values travel. The schema of what is accepted says what agents should
/// write. The schema of what is returned covers everything that is ever written, and says what
/// helps to read it: bounds that no value can pass, and members that never come, help nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    In,
    Out,
}

/// The schema of the arguments of a function, each with what is said of its members.
pub(crate) fn input<'a>(fields: impl Iterator<Item = (&'a Field, Descriptions<'a>)>) -> Value {
    let properties = fields.map(|(field, texts)| (field, property(field, Direction::In, &texts)));
    object(properties, Direction::In)
}

/// The schema of a result of type `ty`.
pub(crate) fn output(ty: &Type, texts: &Descriptions<'_>) -> Value {
    schema(ty, Direction::Out, texts)
}

/// Puts `text` before what the description of a schema says.
pub(crate) fn describe(schema: &mut Value, text: &str) {
    let text = match schema.get("description").and_then(Value::as_str) {
        Some(more) => format!("{text}\n{more}"),
        None => text.to_owned(),
    };
    schema["description"] = text.into();
}

fn schema(ty: &Type, direction: Direction, texts: &Descriptions<'_>) -> Value {
    match ty {
        Type::Bool => json!({"type": "boolean"}),
        Type::Integer(integer) => whole_number(*integer, direction),
        // JSON has no NaN and no infinities; they are written as strings.
        Type::F32 | Type::F64 if direction == Direction::Out => {
            json!({"type": ["number", "string"]})
        }
        Type::F32 | Type::F64 => json!({"type": "number"}),
        Type::Char => json!({"type": "string", "minLength": 1, "maxLength": 1}),
        Type::String => json!({"type": "string"}),
        Type::Bytes => json!({"type": "string", "contentEncoding": "base64"}),
        Type::List(item) => json!({"type": "array", "items": schema(item, direction, texts)}),
        Type::FixedList(item, length) => json!({
            "type": "array", "items": schema(item, direction, texts),
            "minItems": length, "maxItems": length,
        }),
        Type::Map(key, value) if **key == Type::String => {
            json!({"type": "object", "additionalProperties": schema(value, direction, texts)})
        }
        Type::Map(key, value) => {
            let pair = [&**key, &**value];
            json!({"type": "array", "items": tuple(pair.into_iter(), direction, texts)})
        }
        Type::Tuple(items) => tuple(items.iter(), direction, texts),
        Type::Record(fields) => {
            let properties = fields.iter().map(|field| {
                let texts = texts.member(&field.label.json);
                (field, property(field, direction, &texts))
            });
            object(properties, direction)
        }
        Type::Option(inner) => optional(inner, direction, texts),
        Type::Result(ok, err) => {
            let side = |name: &str, ty: &Option<Box<Type>>| {
                let texts = texts.member(name);
                let value = ty.as_deref();
                let value = value.map_or_else(nil, |ty| schema(ty, direction, &texts));
                described(wrapper(name, value, direction), &texts)
            };
            json!({"oneOf": [side("ok", ok), side("err", err)]})
        }
        Type::Enum(cases) => enum_of(cases, texts),
        Type::Flags(flags) => json!({
            "type": "array", "uniqueItems": true, "items": enum_of(flags, texts),
        }),
        Type::Variant(cases) => {
            let cases = cases.iter().map(|case| {
                let texts = texts.member(&case.label.json);
                let mut members = vec![("tag", json!({"const": case.label.json}))];
                if let Some(ty) = &case.ty {
                    members.push(("val", schema(ty, direction, &texts)));
                }
                described(closed(members, direction), &texts)
            });
            json!({"oneOf": cases.collect::<Vec<Value>>()})
        }
    }
}

/// The schema of what a member holds, with what is said of the member.
fn property(field: &Field, direction: Direction, texts: &Descriptions<'_>) -> Value {
    let schema = match &field.ty {
        // Leaving it out says the same as null, which agents get wrong more often.
        Type::Option(inner) if !inner.takes_null() => schema(inner, direction, texts),
        ty => schema(ty, direction, texts),
    };
    described(schema, texts)
}

/// The schema of an object with these members: a record, or the arguments of a function.
fn object<'a>(fields: impl Iterator<Item = (&'a Field, Value)>, direction: Direction) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (field, property) in fields {
        properties.insert(field.label.json.clone(), property);
        if !matches!(field.ty, Type::Option(_)) {
            required.push(Value::from(field.label.json.as_str()));
        }
    }
    let mut object = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        object["required"] = required.into();
    }
    close(&mut object, direction);
    object
}

/// The type in the vocabulary of manifests.
pub(crate) fn value_type(ty: &Type) -> ValueType {
    match ty {
        _ if *ty == *contract::MEDIA => ValueType::Image,
        _ if *ty == *contract::CONTENT || *ty == *contract::REPLY => ValueType::Any,
        Type::Bool => ValueType::Boolean,
        Type::Integer(_) => ValueType::Integer,
        Type::F32 | Type::F64 => ValueType::Number,
        Type::Char | Type::String | Type::Bytes | Type::Enum(_) => ValueType::Text,
        Type::Map(key, _) if **key == Type::String => ValueType::Object,
        Type::List(_) | Type::FixedList(..) | Type::Tuple(_) | Type::Flags(_) | Type::Map(..) => {
            ValueType::Array
        }
        Type::Record(_) | Type::Variant(_) | Type::Result(..) => ValueType::Object,
        Type::Option(inner) => value_type(inner),
    }
}

fn whole_number(integer: Integer, direction: Direction) -> Value {
    let (min, max) = integer.bounds();
    match (direction, integer.is_wide()) {
        (Direction::Out, false) => json!({"type": "integer"}),
        // Programs that hold numbers as floats lose digits beyond 2^53, so such numbers
        // travel as strings.
        (Direction::Out, true) => json!({"type": ["integer", "string"]}),
        (Direction::In, false) => json!({"type": "integer", "minimum": min, "maximum": max}),
        (Direction::In, true) => {
            let pattern = match min {
                0 => "^[0-9]{1,20}$",
                _ => "^-?[0-9]{1,19}$",
            };
            json!({
                "type": ["integer", "string"], "minimum": min, "maximum": max,
                "pattern": pattern,
            })
        }
    }
}

/// A value or null. Where null already stands for a value inside, the value is wrapped, so
/// that `none` and `some(none)` stay apart.
fn optional(inner: &Type, direction: Direction, texts: &Descriptions<'_>) -> Value {
    let value = schema(inner, direction, texts);
    let value = match inner.takes_null() {
        true => wrapper("some", value, direction),
        false => value,
    };
    json!({"anyOf": [value, nil()]})
}

fn wrapper(name: &str, value: Value, direction: Direction) -> Value {
    closed(vec![(name, value)], direction)
}

/// An object that always has these members.
fn closed(members: Vec<(&str, Value)>, direction: Direction) -> Value {
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    let required = json!(names);
    let members = members.into_iter();
    let properties: Map<String, Value> = members
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let mut object = json!({"type": "object", "properties": properties, "required": required});
    close(&mut object, direction);
    object
}

/// Says that there are no other members, to those who might write some.
fn close(object: &mut Value, direction: Direction) {
    if direction == Direction::In {
        object["additionalProperties"] = false.into();
    }
}

/// A list of these items. If all have the same schema it is written once, as `items`, which every
/// reader of schemas understands.
fn tuple<'s>(
    items: impl Iterator<Item = &'s Type>,
    direction: Direction,
    texts: &Descriptions<'_>,
) -> Value {
    let items = items.enumerate().map(|(index, item)| {
        let texts = texts.member(&index.to_string());
        described(schema(item, direction, &texts), &texts)
    });
    let items: Vec<Value> = items.collect();
    let length = items.len();
    match &items[..] {
        [] => json!({"type": "array", "maxItems": 0}),
        [first, others @ ..] if others.iter().all(|other| other == first) => json!({
            "type": "array", "items": first, "minItems": length, "maxItems": length,
        }),
        _ => json!({
            "type": "array", "prefixItems": items, "items": false,
            "minItems": length, "maxItems": length,
        }),
    }
}

fn nil() -> Value {
    json!({"type": "null"})
}

/// One of these names.
fn enum_of(labels: &[Label], texts: &Descriptions<'_>) -> Value {
    let names: Vec<&str> = labels.iter().map(|label| label.json.as_str()).collect();
    let mut schema = json!({"type": "string", "enum": names});
    if let Some(text) = texts.cases(labels) {
        describe(&mut schema, &text);
    }
    schema
}

/// The schema with what is said here.
fn described(mut schema: Value, texts: &Descriptions<'_>) -> Value {
    if let Some(text) = texts.here() {
        describe(&mut schema, text);
    }
    schema
}
