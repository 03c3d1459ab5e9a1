//! JSON as templates read it.

use indexmap::IndexMap;
use minijinja::Value as Read;
use serde_json::{Map, Value};

/// The names under which reasoning comes, the usual one first.
pub(super) const REASONING: [&str; 3] = ["reasoning_content", "thinking", "reasoning"];

/// A message, as templates expect it.
pub(super) fn message(message: &Map<String, Value>) -> Read {
    json(&normal(message))
}

/// A message without members that are null, which many templates print, and with its reasoning
/// under the names that templates know.
pub(super) fn normal(message: &Map<String, Value>) -> Value {
    let given = message.iter().filter(|(_, value)| !value.is_null());
    let given = given.map(|(name, value)| (name.clone(), value.clone()));
    let reasoning = REASONING
        .iter()
        .find_map(|name| message.get(*name).filter(|it| !it.is_null()));
    let Some(reasoning) = reasoning else {
        return Value::Object(given.collect());
    };
    let mut aliased = Map::from_iter([("thinking".to_owned(), reasoning.clone())]);
    aliased.extend(given);
    aliased.insert("reasoning_content".to_owned(), reasoning.clone());
    Value::Object(aliased)
}

pub(super) fn json(value: &Value) -> Read {
    match value {
        Value::Null => Read::from(()),
        Value::Bool(flag) => Read::from(*flag),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Read::from(number),
            (None, Some(number)) => Read::from(number),
            (None, None) => Read::from(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => Read::from(text.as_str()),
        Value::Array(items) => items.iter().map(json).collect(),
        Value::Object(members) => {
            let members = members.iter();
            let members = members.map(|(name, value)| (Read::from(name.as_str()), json(value)));
            Read::from(members.collect::<IndexMap<Read, Read>>())
        }
    }
}
