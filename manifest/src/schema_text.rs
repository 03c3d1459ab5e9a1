//! The `SchemaText`, a JSON Schema of an object that a manifest holds as the text of JSON.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::string_conversions::string_conversions;

/// The longest schema of a function's arguments or result.
const BYTES_MAX: usize = 64 << 10;

/// A JSON Schema whose type is `object`, for a function that takes or answers JSON as it is. Its
/// component has no types that would say it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SchemaText(Value);

/// A text is no schema of an object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a schema has to be a JSON Schema of type `object` as JSON text: {reason}")]
pub struct SchemaError {
    reason: String,
}

impl SchemaText {
    /// The schema.
    pub fn value(&self) -> &Value {
        &self.0
    }

    /// The names and schemas of the members, in their order.
    pub fn members(&self) -> impl Iterator<Item = (&str, &Value)> {
        let members = self.0["properties"].as_object().into_iter().flatten();
        members.map(|(name, schema)| (name.as_str(), schema))
    }

    /// True if a value has to have the member `name`.
    pub fn requires(&self, name: &str) -> bool {
        let required = self.0["required"].as_array().into_iter().flatten();
        required.filter_map(Value::as_str).any(|it| it == name)
    }
}

impl TryFrom<Value> for SchemaText {
    type Error = SchemaError;

    fn try_from(value: Value) -> Result<Self, SchemaError> {
        let refused = |reason: String| Err(SchemaError { reason });
        if value["type"] != "object" {
            return refused("its `type` is another".to_owned());
        }
        match value.to_string().len() {
            0..=BYTES_MAX => Ok(Self(value)),
            bytes => refused(format!(
                "it has {bytes} bytes, at most {BYTES_MAX} are allowed"
            )),
        }
    }
}

impl std::fmt::Display for SchemaText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for SchemaText {
    type Err = SchemaError;

    fn from_str(text: &str) -> Result<Self, SchemaError> {
        let value: Value = serde_json::from_str(text).map_err(|error| SchemaError {
            reason: error.to_string(),
        })?;
        value.try_into()
    }
}

string_conversions!(SchemaText, SchemaError);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_schemas_of_objects_are_taken() {
        let text = r#"{"type":"object","properties":{"b":{},"a":{}},"required":["a"]}"#;
        let schema: SchemaText = text.parse().unwrap();
        assert_eq!(schema.to_string(), text);
        let names: Vec<&str> = schema.members().map(|(name, _)| name).collect();
        assert_eq!(names, ["b", "a"]);
        assert!(schema.requires("a") && !schema.requires("b"));
        for wrong in ["", "{", "[]", "true", r#"{"type":"string"}"#] {
            assert!(wrong.parse::<SchemaText>().is_err(), "{wrong}");
        }
        let long = json!({"type": "object", "description": "a".repeat(BYTES_MAX)});
        assert!(SchemaText::try_from(long).is_err());
    }
}
