//! Reads the members of an object that defines a function, with errors that name their place.

use serde_json::{Map, Value, json};

use super::error::ImportError;

/// An object that defines a function, and its JSON pointer.
#[derive(Clone, Copy)]
pub(super) struct Definition<'a> {
    pub(super) members: &'a Map<String, Value>,
    pub(super) pointer: &'a str,
}

impl<'a> Definition<'a> {
    /// The function's name, which there must be.
    pub(super) fn name(self) -> Result<String, ImportError> {
        match self.members.get("name") {
            Some(Value::String(name)) if !name.trim().is_empty() => Ok(name.clone()),
            other => Err(member(self.at("name"), "a name", other)),
        }
    }

    /// A string; empty if absent.
    pub(super) fn text(self, name: &str) -> Result<String, ImportError> {
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            other => Err(member(self.at(name), "a string", other)),
        }
    }

    /// The schema of the arguments; if absent, one without arguments.
    pub(super) fn arguments(self, name: &str) -> Result<Value, ImportError> {
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(json!({"type": "object", "properties": {}})),
            Some(schema @ Value::Object(keywords)) => {
                match keywords.get("type").and_then(Value::as_str) {
                    Some("object") => Ok(schema.clone()),
                    // Some omit the schema of functions without arguments.
                    None => {
                        let mut keywords = keywords.clone();
                        keywords.insert("type".to_owned(), "object".into());
                        Ok(keywords.into())
                    }
                    Some(_) => Err(member(
                        format!("{}/type", self.at(name)),
                        "\"object\"",
                        keywords.get("type"),
                    )),
                }
            }
            other => Err(member(self.at(name), "a JSON Schema object", other)),
        }
    }

    pub(super) fn at(self, name: &str) -> String {
        format!("{}/{name}", self.pointer)
    }
}

pub(super) fn member(
    pointer: String,
    expected: &'static str,
    found: Option<&Value>,
) -> ImportError {
    ImportError::Member {
        pointer,
        expected,
        found: kind_of(found),
    }
}

pub(super) fn kind_of(value: Option<&Value>) -> &'static str {
    match value {
        None => "missing",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "true or false",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(text)) if text.trim().is_empty() => "empty",
        Some(Value::String(_)) => "a string",
        Some(Value::Array(_)) => "an array",
        Some(Value::Object(_)) => "an object",
    }
}
