//! Wraps structured results and their schemas as objects, as older MCP revisions require.
//!
//! MCP up to 2025-11-25 requires `outputSchema` and `structuredContent` to be objects;
//! 2026-07-28 allows any JSON. A tool answers the same whichever revision a client speaks,
//! so a result whose schema is not of type `object` travels as `{"result": …}` in both,
//! and its schema says so. `export` writes the schema and `serve` writes the value, both
//! through [`ResultShape`].

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::definition::stored_result::is_kept;

/// The member that holds a wrapped result.
const RESULT_MEMBER: &str = "result";

/// Keywords that apply to the whole schema document and therefore stay at its root when the schema
/// is wrapped; references such as `#/$defs/point` stay valid.
const DOCUMENT_KEYWORDS: [&str; 3] = ["$schema", "$defs", "definitions"];

/// The form of a function's structured result where only objects are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResultShape {
    /// The result is an object and travels as it is.
    Object,
    /// The result travels as the member `result` of an object.
    Wrapped,
}

impl ResultShape {
    /// The shape of results that are valid against `output_schema`. Only a schema whose
    /// root says `"type": "object"` promises an object; one that merely allows it does not.
    pub fn of_schema(output_schema: &Value) -> Self {
        match output_schema.get("type") {
            Some(Value::String(name)) if name == "object" => Self::Object,
            _ => Self::Wrapped,
        }
    }

    /// The shape of one result of a function that declares no output schema. `json` is JSON text;
    /// an object is recognised by its first byte.
    pub fn of_json(json: &str) -> Self {
        if json.trim_ascii_start().starts_with('{') {
            Self::Object
        } else {
            Self::Wrapped
        }
    }

    /// The schema of what travels, made from the schema of the result.
    pub fn schema(self, output_schema: &Value) -> Cow<'_, Value> {
        match self {
            Self::Object => Cow::Borrowed(output_schema),
            Self::Wrapped => Cow::Owned(wrap_schema(output_schema)),
        }
    }

    /// Shapes the result. A reference to a stored result keeps its shape.
    pub fn value(self, result: Value) -> Value {
        match self {
            Self::Object => result,
            Self::Wrapped if is_kept(&result) => result,
            Self::Wrapped => {
                let mut object = Map::new();
                object.insert(RESULT_MEMBER.to_owned(), result);
                Value::Object(object)
            }
        }
    }
}

/// The schema of the result itself: the inverse of [`ResultShape::schema`]. A schema that wraps
/// nothing stays as it is.
pub(crate) fn unwrapped(schema: &Value) -> Value {
    let members = schema.get("properties").and_then(Value::as_object);
    let is_wrapped = members.is_some_and(|members| members.len() == 1)
        && schema.get("required") == Some(&json!([RESULT_MEMBER]));
    let Some(result) = members
        .and_then(|members| members.get(RESULT_MEMBER))
        .filter(|result| is_wrapped && ResultShape::of_schema(result) == ResultShape::Wrapped)
    else {
        return schema.clone();
    };
    let mut result = result.clone();
    if let Some(inner) = result.as_object_mut() {
        for keyword in DOCUMENT_KEYWORDS {
            if let Some(value) = schema.get(keyword) {
                inner.insert(keyword.to_owned(), value.clone());
            }
        }
    }
    result
}

fn wrap_schema(output_schema: &Value) -> Value {
    let mut inner = output_schema.clone();
    let mut root = Map::new();
    if let Some(inner) = inner.as_object_mut() {
        for keyword in DOCUMENT_KEYWORDS {
            if let Some(value) = inner.shift_remove(keyword) {
                root.insert(keyword.to_owned(), value);
            }
        }
    }
    root.insert("type".to_owned(), json!("object"));
    root.insert("properties".to_owned(), json!({ RESULT_MEMBER: inner }));
    root.insert("required".to_owned(), json!([RESULT_MEMBER]));
    Value::Object(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output_schema: Value, shape: ResultShape, expect: Value) {
        assert_eq!(ResultShape::of_schema(&output_schema), shape);
        assert_eq!(*shape.schema(&output_schema), expect);
    }

    #[test]
    fn an_object_stays() {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        check(schema.clone(), ResultShape::Object, schema);
    }

    #[test]
    fn anything_else_is_wrapped() {
        for schema in [
            json!({"type": "integer", "minimum": 0}),
            json!({"type": ["object", "null"]}),
            json!({"oneOf": [{"type": "object"}]}),
            json!({}),
            json!(true),
        ] {
            check(
                schema.clone(),
                ResultShape::Wrapped,
                json!({"type": "object", "properties": {"result": schema}, "required": ["result"]}),
            );
        }
    }

    #[test]
    fn references_keep_their_target() {
        check(
            json!({"$ref": "#/$defs/point", "$defs": {"point": {"type": "object"}}}),
            ResultShape::Wrapped,
            json!({
                "$defs": {"point": {"type": "object"}},
                "type": "object",
                "properties": {"result": {"$ref": "#/$defs/point"}},
                "required": ["result"],
            }),
        );
    }

    #[test]
    fn values_follow_their_shape() {
        for (text, expect) in [
            (" {\"a\":1}", json!({"a": 1})),
            ("3", json!({"result": 3})),
            ("[{}]", json!({"result": [{}]})),
            ("null", json!({"result": null})),
        ] {
            let result = serde_json::from_str(text).unwrap();
            assert_eq!(ResultShape::of_json(text).value(result), expect);
        }
    }
}
