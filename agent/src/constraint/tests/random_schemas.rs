//! Generates random schemas like those of tools, valid values for them, and slightly wrong ones.

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

/// Pseudo-random numbers, the same for the same seed.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn pick<'v, T>(&mut self, of: &'v [T]) -> &'v T {
        &of[self.roll(of.len() as u64) as usize]
    }
}

/// A random value that is valid against a schema that `schemas` made.
pub(super) fn instance(schema: &Value, random: &mut Random) -> Value {
    for choice in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[choice].as_array() {
            let chosen = random.pick(choices).clone();
            return instance(&chosen, random);
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        return random.pick(values).clone();
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    match schema["type"].as_str() {
        None => match random.roll(2) {
            0 => integer(schema, random),
            _ => json!(random.pick(&["0", "9223372036854775807", "12"])),
        },
        Some("null") => Value::Null,
        Some("boolean") => json!(random.roll(2) == 0),
        Some("integer") => integer(schema, random),
        Some("number") => random
            .pick(&[
                json!(0),
                json!(-3),
                json!(0.5),
                json!(-1.25e-7),
                json!(1e16),
                json!(6.02e300),
            ])
            .clone(),
        Some("string") => text(schema, random),
        Some("array") => array(schema, random),
        Some(_) => {
            let Some(properties) = schema["properties"].as_object() else {
                let names = ["", "k\n", "ключ"];
                let count = random.roll(3) as usize;
                let pairs = names[..count].iter().map(|name| {
                    (
                        (*name).to_owned(),
                        instance(&schema["additionalProperties"], random),
                    )
                });
                return Value::Object(pairs.collect());
            };
            let required = schema["required"].as_array();
            let mut members = Map::new();
            for (name, schema) in properties {
                let is_required = required.is_some_and(|names| names.iter().any(|it| it == name));
                if is_required || random.roll(2) == 0 {
                    members.insert(name.clone(), instance(schema, random));
                }
            }
            Value::Object(members)
        }
    }
}

fn integer(schema: &Value, random: &mut Random) -> Value {
    let (min, max) = (&schema["minimum"], &schema["maximum"]);
    match random.roll(3) {
        0 if !min.is_null() => min.clone(),
        1 if !max.is_null() => max.clone(),
        _ => json!(random.roll(128)),
    }
}

fn text(schema: &Value, random: &mut Random) -> Value {
    if schema["maxLength"] == 1 {
        return json!(random.pick(&["a", "\"", "\\", "😀", "\n", "é"]));
    }
    if schema["contentEncoding"] == "base64" {
        return json!(random.pick(&["", "aGk=", "AA==", "AAAA/+9h"]));
    }
    json!(random.pick(&[
        "",
        "two words",
        "\u{0}\u{1f}\u{7f}",
        "😀é\u{fffd}",
        "\\\"/",
        "</tool_call>"
    ]))
}

fn array(schema: &Value, random: &mut Random) -> Value {
    if let Some(items) = schema["prefixItems"].as_array() {
        return items.iter().map(|item| instance(item, random)).collect();
    }
    if schema["uniqueItems"] == true {
        let values = schema["items"]["enum"].as_array().into_iter().flatten();
        return values.filter(|_| random.roll(2) == 0).cloned().collect();
    }
    let min = schema["minItems"].as_u64().unwrap_or(0);
    let max = schema["maxItems"].as_u64().unwrap_or(3);
    let count = min + random.roll(max - min + 1);
    (0..count)
        .map(|_| instance(&schema["items"], random))
        .collect()
}

/// `value` with one thing in it changed.
pub(super) fn changed(value: &Value, random: &mut Random) -> Value {
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
        Value::Array(items) if random.roll(4) > 0 => {
            let mut items = items.clone();
            match random.roll(3) {
                0 if !items.is_empty() => {
                    let last = items.len() - 1;
                    items[last] = changed(&items[last], random);
                }
                1 => items.push(random.pick(&others).clone()),
                _ => drop(items.pop()),
            }
            Value::Array(items)
        }
        Value::Object(members) if random.roll(6) > 0 => {
            let mut members = members.clone();
            let names: Vec<String> = members.keys().cloned().collect();
            match (random.roll(4), names.is_empty()) {
                (0, _) | (_, true) => {
                    drop(members.insert("extra".to_owned(), random.pick(&others).clone()))
                }
                (1, _) => drop(members.shift_remove(random.pick(&names))),
                _ => {
                    let name = random.pick(&names).clone();
                    let inner = changed(&members[&name], random);
                    members.insert(name, inner);
                }
            }
            Value::Object(members)
        }
        _ => random.pick(&others).clone(),
    }
}
