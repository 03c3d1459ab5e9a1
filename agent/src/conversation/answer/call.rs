//! Reads calls in JSON or nearly JSON, under the various names that models give to their members.

use serde_json::{Map, Value};

use super::literal;
use super::scan::Quotes;
use crate::conversation::message::ToolCall;

const NAMES: [&str; 3] = ["name", "tool_name", "function"];
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "input"];
const IDS: [&str; 3] = ["id", "tool_call_id", "call_id"];

/// The calls in an object, in a list of them, or in an object with the member `tool_calls`.
pub(super) fn calls(value: Value) -> Vec<Result<ToolCall, String>> {
    match value {
        Value::Array(values) => values.into_iter().map(call).collect(),
        Value::Object(mut members) => match members.get_mut("tool_calls").map(Value::take) {
            Some(Value::Array(values)) => values.into_iter().map(call).collect(),
            _ => vec![call(Value::Object(members))],
        },
        other => vec![call(other)],
    }
}

/// Reads calls from an object, or a list of objects, whose keys are function names.
pub(super) fn calls_by_name(value: Value) -> Vec<Result<ToolCall, String>> {
    let values = match value {
        Value::Array(values) => values,
        value => vec![value],
    };
    let calls = values.into_iter().flat_map(|value| match value {
        Value::Object(members) if !members.is_empty() => members
            .into_iter()
            .map(|(name, written)| call_of(name, None, written))
            .collect(),
        _ => vec![Err(
            "expected an object whose key is the function's name".to_owned()
        )],
    });
    calls.collect()
}

/// True if a value is only calls, each with a name and arguments.
pub(super) fn is_calls(value: &Value) -> bool {
    match value {
        Value::Array(values) => !values.is_empty() && values.iter().all(is_call),
        Value::Object(members) => match members.get("tool_calls") {
            Some(calls @ Value::Array(_)) => is_calls(calls),
            _ => is_call(value),
        },
        _ => false,
    }
}

fn is_call(value: &Value) -> bool {
    let value = value
        .get("function")
        .filter(|it| it.is_object())
        .unwrap_or(value);
    let has = |names: &[&str]| names.iter().find_map(|name| value.get(name));
    has(&NAMES).is_some_and(Value::is_string) && has(&ARGUMENTS).is_some()
}

fn call(value: Value) -> Result<ToolCall, String> {
    let Value::Object(mut members) = value else {
        return Err("a call must be an object with `name` and `arguments`".to_owned());
    };
    let id = take(&mut members, &IDS).and_then(|id| match id {
        Value::String(id) => Some(id),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    });
    if members.get("function").is_some_and(Value::is_object)
        && let Some(Value::Object(function)) = members.remove("function")
    {
        members = function;
    }
    let Some(Value::String(name)) = take(&mut members, &NAMES) else {
        return Err("the call has no `name`".to_owned());
    };
    let written = take(&mut members, &ARGUMENTS).unwrap_or(Value::Null);
    call_of(name, id, written)
}

fn call_of(name: String, id: Option<String>, written: Value) -> Result<ToolCall, String> {
    Ok(ToolCall {
        arguments: arguments(written).map_err(|why| format!("of the call of `{name}` {why}"))?,
        id,
        name: name.trim().to_owned(),
    })
}

/// The first of `names` that there is.
fn take(members: &mut Map<String, Value>, names: &[&str]) -> Option<Value> {
    names.iter().find_map(|name| members.remove(*name))
}

/// The arguments as an object, also from a string that contains its JSON.
pub(super) fn arguments(value: Value) -> Result<Map<String, Value>, &'static str> {
    match value {
        Value::Null => Ok(Map::new()),
        Value::Object(members) => Ok(members),
        Value::String(text) if text.trim().is_empty() => Ok(Map::new()),
        Value::String(text) => match json(&text) {
            Ok(Value::Object(members)) => Ok(members),
            _ => Err("the arguments must be an object or its JSON"),
        },
        _ => Err("the arguments must be an object"),
    }
}

/// JSON, or what was meant to be: with line feeds in strings, quotes and words of Python's, or a
/// comma too many.
pub(super) fn json(text: &str) -> Result<Value, literal::ParseError> {
    match serde_json::from_str(text) {
        Ok(value) => Ok(value),
        Err(_) => literal::value(text, Quotes::Either),
    }
}
