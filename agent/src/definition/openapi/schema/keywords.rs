//! Looks keywords of a flat schema up, and says what a schema says in other words.

use serde_json::{Map, Value};

use super::super::document::shown;

/// The keyword, which no schema has, for a sentence that a reading adds to the description.
pub(super) const NOTE: &str = "\u{0}note";

/// The longest example, and the most members that are named in a description.
const EXAMPLE_CHARACTERS_MAX: usize = 80;
const NAMED_MAX: usize = 12;

/// Keywords that are kept as they are.
const KEPT: [&str; 12] = [
    "default",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
];
/// Formats that say no more than the type does.
const SILENT_FORMATS: [&str; 5] = ["int32", "int64", "float", "double", "string"];

/// The type of a flat schema, and true if null is one of its types.
pub(super) fn kind(flat: &Map<String, Value>) -> (Option<String>, bool) {
    let (names, has_null): (Vec<&str>, bool) = match flat.get("type") {
        Some(Value::String(name)) => (vec![name.as_str()], name == "null"),
        Some(Value::Array(names)) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            let has_null = names.contains(&"null");
            (names, has_null)
        }
        _ => (Vec::new(), false),
    };
    let mut names = names.into_iter().filter(|name| *name != "null");
    let kind = match (names.next(), names.next()) {
        (Some(name), None) => Some(name.to_owned()),
        (Some(_), Some(_)) => None,
        (None, _) if flat.contains_key("properties") => Some("object".to_owned()),
        (None, _) if flat.contains_key("additionalProperties") => Some("object".to_owned()),
        (None, _) if flat.contains_key("items") => Some("array".to_owned()),
        (None, _) => None,
    };
    (kind, has_null)
}

pub(super) fn flag(flat: &Map<String, Value>, name: &str) -> bool {
    flat.get(name) == Some(&Value::Bool(true))
}

pub(super) fn is_required(flat: &Map<String, Value>, name: &str) -> bool {
    let required = flat.get("required").and_then(Value::as_array);
    required.is_some_and(|required| required.iter().any(|it| it == name))
}

pub(super) fn keep(flat: &Map<String, Value>, keywords: &mut Map<String, Value>) {
    for name in KEPT {
        if let Some(value) = flat.get(name) {
            keywords.insert(name.to_owned(), value.clone());
        }
    }
    // In version 3.0 these say of the other bound whether it is itself a value.
    for (exclusive, bound) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        if let Some(Value::Bool(is_exclusive)) = keywords.get(exclusive).cloned() {
            keywords.remove(exclusive);
            if let Some(value) = keywords.get(bound).cloned().filter(|_| is_exclusive) {
                keywords.remove(bound);
                keywords.insert(exclusive.to_owned(), value);
            }
        }
    }
    let format = flat.get("format").and_then(Value::as_str);
    let format = format.filter(|format| !SILENT_FORMATS.contains(format));
    if let Some(format) = format.filter(|format| !["byte", "binary"].contains(format)) {
        keywords.insert("format".to_owned(), format.into());
    }
}

/// The example of a schema or a parameter, as a sentence.
pub(in crate::definition::openapi) fn example(keywords: &Map<String, Value>) -> Option<String> {
    let several = keywords.get("examples");
    let first = match several {
        Some(Value::Array(examples)) => examples.first(),
        Some(Value::Object(examples)) => examples.values().next().and_then(|it| it.get("value")),
        _ => None,
    };
    let example = keywords.get("example").or(first)?;
    let text = match example {
        Value::String(text) => text.clone(),
        Value::Null => return None,
        other => other.to_string(),
    };
    let fits = !text.trim().is_empty() && text.chars().count() <= EXAMPLE_CHARACTERS_MAX;
    (fits && !text.contains(['\n', '`'])).then(|| format!("For example `{text}`."))
}

pub(super) fn member_names(flat: &Map<String, Value>) -> Vec<String> {
    let properties = flat.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect()
}

/// The members of an object that is written as JSON text, in words.
pub(super) fn outline_text(flat: &Map<String, Value>) -> String {
    let names = member_names(flat);
    if names.is_empty() {
        return "An object.".to_owned();
    }
    format!("An object with {}.", listed(&names))
}

/// The first of the names, for a sentence.
pub(in crate::definition::openapi) fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(NAMED_MAX)
        .map(|name| format!("`{}`", shown(name)))
        .collect();
    match names.len() > NAMED_MAX {
        true => format!("{} and {} more", shown.join(", "), names.len() - NAMED_MAX),
        false => shown.join(", "),
    }
}
