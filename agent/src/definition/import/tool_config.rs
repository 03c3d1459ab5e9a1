//! Reads the `tool_config.json` of Transformers' agents and of smolagents as a function.
//! Inputs are listed by name, in older files only by type.

use serde_json::{Map, Value, json};
use tool_hub_manifest::{Annotations, FunctionSpec};

use super::error::ImportError;
use super::object::{Definition, member};
use crate::definition::media_schema::media_schema;
use crate::schema::json_pointer::escape;

pub(super) fn read(definition: Definition<'_>) -> Result<FunctionSpec, ImportError> {
    let parsed;
    let inputs = match definition.members.get("inputs") {
        // Some versions wrote the inputs as a string of JSON.
        Some(Value::String(text)) => {
            parsed = serde_json::from_str(text).unwrap_or(Value::Null);
            match parsed.is_object() {
                true => Some(&parsed),
                false => {
                    let expected = "an object or a string that holds one as JSON";
                    let found = definition.members.get("inputs");
                    return Err(member(definition.at("inputs"), expected, found));
                }
            }
        }
        inputs => inputs,
    };
    let input_schema = match inputs {
        None | Some(Value::Null) => object(Map::new(), Vec::new()),
        Some(Value::Object(inputs)) => named(definition, inputs)?,
        Some(Value::Array(types)) => unnamed(definition, types)?,
        other => return Err(member(definition.at("inputs"), "an object", other)),
    };
    let output = match definition.members.get("output_type") {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) => of_type(name),
        other => return Err(member(definition.at("output_type"), "a type's name", other)),
    };
    Ok(FunctionSpec {
        name: definition.name()?,
        title: None,
        description: definition.text("description")?,
        input_schema,
        output_schema: output,
        annotations: Annotations::default(),
    })
}

fn named(definition: Definition<'_>, inputs: &Map<String, Value>) -> Result<Value, ImportError> {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (name, input) in inputs {
        let at = format!("{}/{}", definition.at("inputs"), escape(name));
        let Some(keywords) = input.as_object() else {
            return Err(member(at, "an object with `type`", Some(input)));
        };
        let mut schema = match keywords.get("type") {
            Some(Value::String(kind)) => of_type(kind).unwrap_or_else(|| json!({})),
            Some(Value::Array(kinds)) => {
                let kinds = kinds.iter().filter_map(Value::as_str);
                let choices: Vec<Value> = kinds.filter_map(of_type_or_null).collect();
                json!({ "anyOf": choices })
            }
            other => return Err(member(format!("{at}/type"), "a type's name", other)),
        };
        // Newer versions may use further keywords of JSON Schema.
        for (keyword, value) in keywords {
            if !["type", "nullable", "required"].contains(&keyword.as_str()) {
                schema[keyword] = value.clone();
            }
        }
        if keywords.get("nullable").and_then(Value::as_bool) != Some(true) {
            required.push(name.as_str().into());
        }
        properties.insert(name.clone(), schema);
    }
    Ok(object(properties, required))
}

/// Names inputs of which only the types are known after their types, with a number where a type
/// repeats.
fn unnamed(definition: Definition<'_>, types: &[Value]) -> Result<Value, ImportError> {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (index, kind) in types.iter().enumerate() {
        let at = format!("{}/{index}", definition.at("inputs"));
        let Some(kind) = kind.as_str() else {
            return Err(member(at, "a type's name", Some(kind)));
        };
        let mut name = kind.to_owned();
        while properties.contains_key(&name) {
            name = format!("{kind}_{}", properties.len() + 1);
        }
        required.push(name.as_str().into());
        properties.insert(name, of_type(kind).unwrap_or_else(|| json!({})));
    }
    Ok(object(properties, required))
}

fn object(properties: Map<String, Value>, required: Vec<Value>) -> Value {
    json!({
        "type": "object", "properties": properties, "required": required,
        "additionalProperties": false,
    })
}

fn of_type_or_null(kind: &str) -> Option<Value> {
    match kind {
        "null" => Some(json!({"type": "null"})),
        kind => of_type(kind),
    }
}

/// The schema of the type `kind` of the Hub's tools; empty for `any` and unknown types.
fn of_type(kind: &str) -> Option<Value> {
    match kind {
        "text" | "string" => Some(json!({"type": "string"})),
        "boolean" | "integer" | "number" | "array" | "object" => Some(json!({"type": kind})),
        "image" | "audio" => Some(media_schema(kind)),
        _ => None,
    }
}
