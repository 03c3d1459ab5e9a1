//! Formats a function's name, parameters and result on one line for people, from its JSON Schemas.

use serde_json::{Map, Value};
use tool_hub_host::CallableFunction;
use tool_hub_manifest::ValueType;

/// The longest signature that is shown with everything that its types hold.
const SHORT_CHARS_MAX: usize = 160;
/// The depth to which types are followed when everything is shown.
const DEPTH_MAX: usize = 16;

/// `name(argument: type, optional?: type) -> type`, unescaped. Types that would make the line very
/// long are shortened from the inside.
pub(super) fn short(function: &CallableFunction) -> String {
    let fits = |text: &String| text.chars().count() <= SHORT_CHARS_MAX;
    let depths = (1..=3).rev();
    let mut texts = depths.map(|depth| of(function, depth));
    texts.find(fits).unwrap_or_else(|| of(function, 0))
}

/// The same with all that the types hold.
pub(super) fn whole(function: &CallableFunction) -> String {
    of(function, DEPTH_MAX)
}

fn of(function: &CallableFunction, depth: usize) -> String {
    let properties = &function.spec.input_schema["properties"];
    let inputs = function.inputs.iter().map(|input| {
        let optional = if input.optional { "?" } else { "" };
        let schema = &properties[input.name.as_str()];
        let value_type = typed(input.value_type, schema, depth);
        format!("{}{optional}: {value_type}", input.name)
    });
    let mut inputs: Vec<String> = inputs.collect();
    if inputs.is_empty()
        && let Some(properties) = properties.as_object()
    {
        // The tool of a server has no arguments but those of its schema.
        let required = function.spec.input_schema["required"].as_array();
        inputs = members(properties, required, depth);
    }
    let output = function.output.as_ref().map(|output| {
        let schema = function.spec.output_schema.as_ref();
        let schema = schema.unwrap_or(&Value::Null);
        format!(" -> {}", typed(output.value_type, schema, depth))
    });
    let output = output.unwrap_or_default();
    format!("{}({}){output}", function.name, inputs.join(", "))
}

/// The type of a value. The schema of a picture or a sound says only how it is encoded, so the
/// manifest's word is shown.
fn typed(value_type: ValueType, schema: &Value, depth: usize) -> String {
    match value_type {
        ValueType::Image | ValueType::Audio => value_type.to_string(),
        _ => match schema_type(schema, depth) {
            unknown if unknown == "any" => value_type.to_string(),
            known => known,
        },
    }
}

fn schema_type(schema: &Value, depth: usize) -> String {
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(cases) = schema.get("enum").and_then(Value::as_array) {
        return union(cases.iter().map(Value::to_string), depth);
    }
    let alternatives = schema.get("oneOf").or_else(|| schema.get("anyOf"));
    if let Some(alternatives) = alternatives.and_then(Value::as_array) {
        let types = alternatives.iter().map(|one| schema_type(one, depth));
        return union(types, depth);
    }
    // Of several types the first is the value's own; the others are other ways to write it.
    let name = match &schema["type"] {
        Value::Array(names) => names.first().and_then(Value::as_str),
        name => name.as_str(),
    };
    match name {
        Some("string") if schema.get("contentEncoding").is_some() => "bytes".to_owned(),
        Some("string") => "text".to_owned(),
        Some("array") => list(schema, depth),
        Some("object") => object(schema, depth),
        Some(name) => name.to_owned(),
        None => "any".to_owned(),
    }
}

fn union(types: impl Iterator<Item = String>, depth: usize) -> String {
    let mut types: Vec<String> = types.collect();
    types.dedup();
    // Up to three names are shorter than a summary of them.
    if depth == 0 && types.len() > 3 {
        let more = types.len() - 2;
        types.truncate(2);
        types.push(format!("{more} more"));
    }
    types.join(" | ")
}

fn list(schema: &Value, depth: usize) -> String {
    if depth == 0 {
        return "list".to_owned();
    }
    if let Some(items) = schema.get("prefixItems").and_then(Value::as_array) {
        let items: Vec<String> = items.iter().map(|it| schema_type(it, depth - 1)).collect();
        return format!("[{}]", items.join(", "));
    }
    match schema.get("items") {
        Some(item) => format!("list<{}>", schema_type(item, depth - 1)),
        None => "list".to_owned(),
    }
}

fn object(schema: &Value, depth: usize) -> String {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    match properties {
        Some(_) if depth == 0 => "{…}".to_owned(),
        Some(properties) => record(properties, required, depth - 1),
        None => match schema.get("additionalProperties") {
            Some(value @ Value::Object(_)) if depth > 0 => {
                format!("map<text, {}>", schema_type(value, depth - 1))
            }
            _ => "object".to_owned(),
        },
    }
}

fn record(properties: &Map<String, Value>, required: Option<&Vec<Value>>, depth: usize) -> String {
    format!("{{{}}}", members(properties, required, depth).join(", "))
}

fn members(
    properties: &Map<String, Value>,
    required: Option<&Vec<Value>>,
    depth: usize,
) -> Vec<String> {
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|it| it == name));
    let members = properties.iter().map(|(name, schema)| {
        let optional = if is_required(name) { "" } else { "?" };
        format!("{name}{optional}: {}", schema_type(schema, depth))
    });
    members.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: Value, expect: &str) {
        assert_eq!(schema_type(&schema, DEPTH_MAX), expect);
    }

    #[test]
    fn types_are_readable() {
        check(
            json!({"type": "string", "enum": ["formal", "casual"]}),
            r#""formal" | "casual""#,
        );
        let place = json!({
            "type": "object",
            "properties": {"lat": {"type": "number"}, "name": {"type": "string"}},
            "required": ["lat"],
        });
        check(place.clone(), "{lat: number, name?: text}");
        check(
            json!({"type": "array", "items": place}),
            "list<{lat: number, name?: text}>",
        );
        check(
            json!({"anyOf": [{"type": ["integer", "string"]}, {"type": "null"}]}),
            "integer | null",
        );
        check(
            json!({"type": "string", "contentEncoding": "base64"}),
            "bytes",
        );
        check(
            json!({"type": "object", "additionalProperties": {"type": "boolean"}}),
            "map<text, boolean>",
        );
        check(
            json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}),
            "[text, integer]",
        );
        check(json!({}), "any");
    }

    #[test]
    fn types_are_shortened_from_the_inside() {
        let inner = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let outer = json!({"type": "object", "properties": {"b": inner}});
        assert_eq!(schema_type(&outer, 1), "{b?: {…}}");
        assert_eq!(schema_type(&outer, 0), "{…}");
        let cases = json!({"enum": ["a", "b", "c", "d"]});
        assert_eq!(schema_type(&cases, 0), r#""a" | "b" | 2 more"#);
    }
}
