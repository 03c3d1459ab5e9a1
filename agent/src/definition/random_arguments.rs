//! Makes random valid arguments for a function, by the JSON Schema that was made of its WIT types.

use data_encoding::BASE64;
use fastrand::Rng;
use serde_json::{Map, Value, json};

/// The most items and members of a collection whose schema says nothing of their number.
const COUNT_MAX: usize = 3;
/// Texts that programs stumble over.
const TEXTS: [&str; 20] = [
    "",
    "a",
    "two words",
    " \t ",
    "line\r\nline\n",
    "\u{0}\u{1f}\u{7f}",
    "😀é\u{fffd}",
    "e\u{301}\u{202e}\u{feff}",
    "\\\"/",
    "</tool_call>",
    "../../etc/passwd",
    "https://example.com/a?q=1#x",
    "0",
    "-1",
    "1e999",
    "null",
    "{\"a\": [1]}",
    "a,b\n1,2\n",
    "2026-02-30",
    "%s%n{}",
];
/// The letters of texts that are made up.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789  .,-_/@:'\"äßé漢字Ωж";

/// Random arguments for a function with the input schema `schema`: an object that is valid against
/// it. About every third argument is taken from one of the sample calls `examples` where one has
/// it, so that calls come further than the first check of a function. The same state of `random`
/// gives the same arguments.
///
/// The schema has to be one that the host makes of a component's types; of others, what is valid
/// is not met.
///
/// ```
/// use serde_json::json;
/// use tool_hub_agent::definition::random_arguments::random_arguments;
///
/// let properties = json!({"n": {"type": "boolean"}});
/// let schema = json!({"type": "object", "properties": properties, "required": ["n"]});
/// let made = |seed| random_arguments(&schema, &[], &mut fastrand::Rng::with_seed(seed));
/// assert!(made(7)["n"].is_boolean());
/// assert_eq!(made(7), made(7));
/// ```
pub fn random_arguments(schema: &Value, examples: &[Value], random: &mut Rng) -> Value {
    let mut arguments = random_value(schema, random);
    for (name, value) in arguments.as_object_mut().into_iter().flatten() {
        let samples: Vec<&Value> = examples.iter().filter_map(|it| it.get(name)).collect();
        if !samples.is_empty() && random.usize(..3) == 0 {
            *value = (*pick(&samples, random)).clone();
        }
    }
    arguments
}

/// One of `of`, which is not empty.
pub(crate) fn pick<'v, T>(of: &'v [T], random: &mut Rng) -> &'v T {
    &of[random.usize(..of.len())]
}

/// A random value that is valid against a schema in the host's form.
pub(crate) fn random_value(schema: &Value, random: &mut Rng) -> Value {
    for choice in ["anyOf", "oneOf"] {
        if let Some(choices @ [_, ..]) = schema[choice].as_array().map(Vec::as_slice) {
            return random_value(pick(choices, random), random);
        }
    }
    if let Some(values @ [_, ..]) = schema["enum"].as_array().map(Vec::as_slice) {
        return pick(values, random).clone();
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    match schema["type"].as_str() {
        // An integer of 64 bits, as a number or in digits.
        None => match (random.bool(), integer(schema, random)) {
            (true, number) => number.to_string().into(),
            (false, number) => number,
        },
        Some("null") => Value::Null,
        Some("boolean") => random.bool().into(),
        Some("integer") => integer(schema, random),
        Some("number") => number(random),
        Some("string") => text(schema, random),
        Some("array") => array(schema, random),
        Some(_) => object(schema, random),
    }
}

fn integer(schema: &Value, random: &mut Rng) -> Value {
    let min = schema["minimum"].as_i64().unwrap_or(-1_000_000);
    let max = schema["maximum"].as_u64().unwrap_or(1_000_000);
    let value = match random.u8(..8) {
        0 => min.into(),
        1 => max.into(),
        2 => random.i128(i128::from(min)..=max.into()),
        _ => random.i128(i128::from(min.max(-20))..=max.min(100).into()),
    };
    match u64::try_from(value) {
        Ok(value) => value.into(),
        Err(_) => i64::try_from(value).unwrap_or(min).into(),
    }
}

fn number(random: &mut Rng) -> Value {
    let numbers = [
        json!(0),
        json!(-3),
        json!(0.5),
        json!(-1.25e-7),
        json!(1e16),
        json!(6.02e300),
    ];
    match random.bool() {
        true => pick(&numbers, random).clone(),
        false => ((random.f64() - 0.5) * 2_000.0).into(),
    }
}

fn text(schema: &Value, random: &mut Rng) -> Value {
    if schema["maxLength"] == 1 {
        return json!(pick(&["a", "\"", "\\", "😀", "\n", "é"], random));
    }
    if schema["contentEncoding"] == "base64" {
        let bytes: Vec<u8> = (0..random.usize(..12)).map(|_| random.u8(..)).collect();
        return BASE64.encode(&bytes).into();
    }
    let made_up = |length: usize, random: &mut Rng| -> String {
        let letters: Vec<char> = LETTERS.chars().collect();
        (0..length).map(|_| *pick(&letters, random)).collect()
    };
    match random.u8(..24) {
        0 => made_up(500, random).into(),
        1..12 => {
            let length = random.usize(..16);
            made_up(length, random).into()
        }
        _ => json!(pick(&TEXTS, random)),
    }
}

fn array(schema: &Value, random: &mut Rng) -> Value {
    if let Some(items) = schema["prefixItems"].as_array() {
        return items
            .iter()
            .map(|item| random_value(item, random))
            .collect();
    }
    if schema["uniqueItems"] == true {
        let values = schema["items"]["enum"].as_array().into_iter().flatten();
        return values.filter(|_| random.bool()).cloned().collect();
    }
    let bound = |name: &str| {
        schema[name]
            .as_u64()
            .and_then(|it| usize::try_from(it).ok())
    };
    let least = bound("minItems").unwrap_or(0);
    let most = bound("maxItems").unwrap_or(COUNT_MAX).max(least);
    (0..random.usize(least..=most))
        .map(|_| random_value(&schema["items"], random))
        .collect()
}

fn object(schema: &Value, random: &mut Rng) -> Value {
    let Some(properties) = schema["properties"].as_object() else {
        let names = ["", "k\n", "ключ"];
        let names = names.into_iter().take(random.usize(..=COUNT_MAX));
        let pairs = names.map(|name| {
            let value = random_value(&schema["additionalProperties"], random);
            (name.to_owned(), value)
        });
        return Value::Object(pairs.collect());
    };
    let required = schema["required"].as_array();
    let mut members = Map::new();
    for (name, schema) in properties {
        let is_required = required.is_some_and(|names| names.iter().any(|it| it == name));
        if is_required || random.bool() {
            members.insert(name.clone(), random_value(schema, random));
        }
    }
    Value::Object(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_examples_are_used_where_the_argument_is_there() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "integer", "minimum": 0, "maximum": 9}, "b": {"type": "boolean"},
        }, "required": ["a"]});
        let examples = [json!({"a": 77, "other": 1})];
        let mut random = Rng::with_seed(1);
        let made: Vec<Value> = (0..60)
            .map(|_| random_arguments(&schema, &examples, &mut random))
            .collect();
        let samples = made.iter().filter(|it| it["a"] == 77).count();
        assert!((5..40).contains(&samples), "{samples}");
        assert!(made.iter().all(|it| it.get("other").is_none()));
        assert!(made.iter().any(|it| it.get("b").is_none()));
    }

    #[test]
    fn integers_of_64_bits_reach_their_bounds() {
        let schema =
            json!({"type": ["integer", "string"], "minimum": i64::MIN, "maximum": i64::MAX});
        let mut random = Rng::with_seed(1);
        let made: Vec<String> = (0..200)
            .map(|_| random_value(&schema, &mut random).to_string())
            .collect();
        for bound in [i64::MIN.to_string(), i64::MAX.to_string()] {
            assert!(made.contains(&bound) && made.contains(&format!("\"{bound}\"")));
        }
    }
}
