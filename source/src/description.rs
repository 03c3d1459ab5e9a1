//! Writes descriptions into JSON Schemas: of a value, and of the single values that it may have.

use serde_json::{Map, Value, json};

/// Puts `text` before the schema's description.
pub(crate) fn describe(schema: &mut Map<String, Value>, text: &str) {
    if text.is_empty() {
        return;
    }
    let whole = match schema.get("description").and_then(Value::as_str) {
        Some(more) => format!("{text}\n{more}"),
        None => text.to_owned(),
    };
    schema.insert("description".to_owned(), json!(whole));
}

/// Adds the descriptions of single values, a line for each that has one.
pub(crate) fn describe_values(schema: &mut Map<String, Value>, values: &[(String, String)]) {
    let described = values.iter().filter(|(_, text)| !text.is_empty());
    let lines = described.map(|(value, text)| {
        let words: Vec<&str> = text.split_whitespace().collect();
        format!("- `{value}`: {}", words.join(" "))
    });
    describe(schema, &lines.collect::<Vec<_>>().join("\n"));
}
