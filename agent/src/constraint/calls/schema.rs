//! Builds the JSON Schema of a call of any offered function or, if allowed, an answer in words.

use serde_json::{Map, Value, json};

/// The members of a call, and of an answer that is none.
pub(super) const NAME: &str = "name";
pub(super) const ARGUMENTS: &str = "arguments";
pub(super) const ANSWER: &str = "answer";

/// The schema of a call of one of `functions`; unless one is required, of an answer too.
pub(super) fn of_calls(functions: &[(&str, &Value)], is_required: bool) -> Value {
    let mut definitions = Map::new();
    let mut choices: Vec<Value> = functions
        .iter()
        .enumerate()
        .map(|(index, (name, schema))| {
            let arguments = moved(schema, index, &mut definitions);
            json!({
                "type": "object",
                "properties": {NAME: {"const": name}, ARGUMENTS: arguments},
                "required": [NAME, ARGUMENTS],
                "additionalProperties": false,
            })
        })
        .collect();
    if !is_required {
        choices.push(of_answer());
    }
    let mut schema = match choices.len() {
        1 => choices.remove(0),
        _ => json!({ "anyOf": choices }),
    };
    if !definitions.is_empty() {
        schema["$defs"] = definitions.into();
    }
    schema
}

/// The schema of an answer in words.
pub(super) fn of_answer() -> Value {
    json!({
        "type": "object",
        "properties": {ANSWER: {"type": "string"}},
        "required": [ANSWER],
        "additionalProperties": false,
    })
}

/// `schema` without what it defines, which goes into `definitions` under names that are of
/// this function alone.
fn moved(schema: &Value, function: usize, definitions: &mut Map<String, Value>) -> Value {
    let mut schema = schema.clone();
    for place in ["$defs", "definitions"] {
        let Some(Value::Object(own)) = schema.as_object_mut().and_then(|s| s.shift_remove(place))
        else {
            continue;
        };
        for (name, mut definition) in own {
            redirect(&mut definition, function);
            definitions
                .entry(moved_name(&name, function))
                .or_insert(definition);
        }
    }
    redirect(&mut schema, function);
    schema
}

fn moved_name(name: &str, function: usize) -> String {
    format!("f{function}.{name}")
}

fn redirect(schema: &mut Value, function: usize) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref") {
                let name = reference
                    .strip_prefix("#/$defs/")
                    .or_else(|| reference.strip_prefix("#/definitions/"));
                if let Some(name) = name {
                    *reference = format!("#/$defs/{}", moved_name(name, function));
                }
            }
            members
                .values_mut()
                .for_each(|value| redirect(value, function));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redirect(item, function)),
        _ => {}
    }
}
