//! Generates random schemas like those of tools, and slightly wrong values for them.

use fastrand::Rng;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A schema of the arguments of a function.
pub(super) fn schemas() -> impl Strategy<Value = Value> {
    prop::collection::vec((any::<bool>(), types()), 0..4).prop_map(object)
}

fn types() -> BoxedStrategy<Value> {
    let number = |min: i64, max: i64| json!({"type": "integer", "minimum": min, "maximum": max});
    let wide = |min: i64, max: u64, pattern: &str| json!({"type": ["integer", "string"], "minimum": min, "maximum": max, "pattern": pattern});
    let leaf = prop::sample::select(vec![
        json!({"type": "boolean"}),
        number(0, 255),
        number(-128, 127),
        number(0, 4_294_967_295),
        number(-2_147_483_648, 2_147_483_647),
        wide(0, u64::MAX, "^[0-9]{1,20}$"),
        wide(i64::MIN, i64::MAX as u64, "^-?[0-9]{1,19}$"),
        json!({"type": "integer"}),
        json!({"type": "number"}),
        json!({"type": "string", "minLength": 1, "maxLength": 1}),
        json!({"type": "string"}),
        json!({"type": "string", "contentEncoding": "base64"}),
        json!({"type": "string", "enum": ["red", "green \"x\"", "blue"]}),
        json!({"type": "array", "uniqueItems": true, "items": {"type": "string", "enum": ["r", "w", "x"]}}),
    ]);
    leaf.prop_recursive(3, 16, 3, |inner| {
        let fields = prop::collection::vec((any::<bool>(), inner.clone()), 0..4);
        prop_oneof![
            inner
                .clone()
                .prop_map(|item| json!({"type": "array", "items": item})),
            (inner.clone(), 0..3_u32).prop_map(
                |(item, n)| json!({"type": "array", "items": item, "minItems": n, "maxItems": n})
            ),
            inner
                .clone()
                .prop_map(|value| json!({"type": "object", "additionalProperties": value})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(tuple),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| json!({"type": "array", "items": tuple(vec![a, b])})),
            fields.prop_map(object),
            inner
                .clone()
                .prop_map(|value| json!({"anyOf": [value, {"type": "null"}]})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(variant),
            (inner.clone(), inner)
                .prop_map(|(ok, err)| json!({"oneOf": [wrapper("ok", ok), wrapper("err", err)]})),
        ]
    })
    .boxed()
}

fn object(fields: Vec<(bool, Value)>) -> Value {
    let names = ["a", "b c", "d\"", "e"];
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, (is_required, schema)) in names.into_iter().zip(fields) {
        properties.insert(name.to_owned(), schema);
        if is_required {
            required.push(name);
        }
    }
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn tuple(items: Vec<Value>) -> Value {
    let length = items.len();
    json!({"type": "array", "prefixItems": items, "items": false, "minItems": length, "maxItems": length})
}

fn wrapper(name: &str, value: Value) -> Value {
    json!({"type": "object", "properties": {name: value}, "required": [name], "additionalProperties": false})
}

fn variant(cases: Vec<Value>) -> Value {
    let cases = cases.into_iter().enumerate().map(|(index, value)| {
        json!({
            "type": "object", "properties": {"tag": {"const": format!("case_{index}")}, "val": value},
            "required": ["tag", "val"], "additionalProperties": false,
        })
    });
    json!({ "oneOf": cases.collect::<Vec<Value>>() })
}

/// `value` with one thing in it changed.
pub(super) fn changed(value: &Value, random: &mut Rng) -> Value {
    let others = [
        json!(null),
        json!(true),
        json!(-1),
        json!(256),
        json!(1e20),
        json!(0.5),
        json!("x"),
        json!(""),
        json!([]),
        json!({}),
    ];
    match value {
        Value::Array(items) if random.usize(..4) > 0 => {
            let mut items = items.clone();
            match random.usize(..3) {
                0 if !items.is_empty() => {
                    let last = items.len() - 1;
                    items[last] = changed(&items[last], random);
                }
                1 => items.push(one_of(&others, random)),
                _ => drop(items.pop()),
            }
            Value::Array(items)
        }
        Value::Object(members) if random.usize(..6) > 0 => {
            let mut members = members.clone();
            let names: Vec<String> = members.keys().cloned().collect();
            match (random.usize(..4), names.is_empty()) {
                (0, _) | (_, true) => {
                    drop(members.insert("extra".to_owned(), one_of(&others, random)))
                }
                (1, _) => drop(members.shift_remove(&one_of(&names, random))),
                _ => {
                    let name = one_of(&names, random);
                    let inner = changed(&members[&name], random);
                    members.insert(name, inner);
                }
            }
            Value::Object(members)
        }
        _ => one_of(&others, random),
    }
}

fn one_of<T: Clone>(of: &[T], random: &mut Rng) -> T {
    of[random.usize(..of.len())].clone()
}
