//! Builds the JSON Schemas of objects, arrays, constants and unions, as pydantic writes them.

use serde_json::{Map, Value, json};

type Schema = Map<String, Value>;

/// A schema with these keywords.
pub(super) fn object<const N: usize>(members: [(&str, Value); N]) -> Schema {
    let members = members.into_iter();
    members
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

pub(super) fn typed(name: &str) -> Schema {
    object([("type", json!(name))])
}

pub(super) fn array(items: Schema) -> Schema {
    object([("items", Value::Object(items)), ("type", json!("array"))])
}

/// The values, and their type where they have one in common.
pub(super) fn literal(values: &[Value]) -> Schema {
    let kind = |value: &Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        _ => "string",
    };
    let mut schema = match values {
        [only] => object([("const", only.clone())]),
        _ => object([("enum", json!(values))]),
    };
    if let Some(first) = values.first()
        && values.iter().all(|value| kind(value) == kind(first))
    {
        schema.insert("type".to_owned(), json!(kind(first)));
    }
    schema
}

/// One of these, each once; choices within choices are choices of the whole.
pub(super) fn union(schemas: impl IntoIterator<Item = Schema>) -> Schema {
    let mut choices: Vec<Value> = Vec::new();
    for schema in schemas {
        let inner = match schema.get("anyOf") {
            Some(Value::Array(inner)) if schema.len() == 1 => inner.clone(),
            _ => vec![Value::Object(schema)],
        };
        for choice in inner {
            if !choices.contains(&choice) {
                choices.push(choice);
            }
        }
    }
    match choices.len() {
        1 => choices.remove(0).as_object().cloned().unwrap_or_default(),
        _ => object([("anyOf", Value::Array(choices))]),
    }
}
