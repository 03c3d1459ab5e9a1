//! Wraps structured results where they must be objects.
//!
//! MCP up to 2025-11-25 requires `outputSchema` and `structuredContent` to be objects;
//! 2026-07-28 allows any JSON. A tool answers the same whichever revision a client speaks,
//! so a result whose schema is not of type `object` travels as `{"result": …}` in both,
//! and its schema says so. `export` writes the schema and `serve` writes the value, both
//! through [`ResultShape`].

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::schema::{Document, Form, Member, Node, Rest};

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

/// The schema of the result itself, from one that may be of what travels: the other
/// direction of [`ResultShape::schema`].
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

/// The only member of the reference to a stored result.
const KEPT_MEMBER: &str = "kept_answer";
/// The longest string that is never too long.
const SHORT_CHARACTERS_MAX: u64 = 256;
/// The longest list that is never too long.
const SHORT_ITEMS_MAX: u64 = 16;

/// The reference to a result that is stored at `place`.
pub fn kept_value(place: &str) -> Value {
    json!({ KEPT_MEMBER: place })
}

/// True if `value` is the placeholder of a kept answer.
pub(crate) fn is_kept(value: &Value) -> bool {
    let members = value.as_object().filter(|members| members.len() == 1);
    members.is_some_and(|members| members.get(KEPT_MEMBER).is_some_and(Value::is_string))
}

/// The schema of the structured content of a function whose results may be stored: the object that
/// [`ResultShape`] makes, with one more member. No member is required.
///
/// `None` where results are never long: numbers, a choice of words, records of those.
pub fn or_kept(output_schema: &Value) -> Option<Value> {
    if is_short(&Document::new(output_schema).root()) {
        return None;
    }
    let shape = ResultShape::of_schema(output_schema);
    let mut schema = shape.schema(output_schema).into_owned();
    let keywords = schema.as_object_mut()?;
    keywords.shift_remove("required");
    let properties = keywords
        .entry("properties")
        .or_insert_with(|| Value::Object(Map::new()));
    let properties = properties.as_object_mut()?;
    // Kept short, because it is added to every function of every list.
    let place = json!({"type": "string"});
    let kept = match properties.shift_remove(KEPT_MEMBER) {
        // The tool has a member of that name.
        Some(own) if own != place => json!({"anyOf": [own, place]}),
        _ => place,
    };
    properties.insert(KEPT_MEMBER.to_owned(), kept);
    Some(schema)
}

/// True if all values of a schema are short.
fn is_short(node: &Node<'_>) -> bool {
    let at_most = |name: &str, most: u64| {
        let limit = node.keyword(name).and_then(Value::as_u64);
        limit.is_some_and(|limit| limit <= most)
    };
    match &node.form {
        Form::Null | Form::Boolean | Form::Integer | Form::Number | Form::Literals(_) => true,
        Form::Text => at_most("maxLength", SHORT_CHARACTERS_MAX),
        Form::Array(item) => at_most("maxItems", SHORT_ITEMS_MAX) && is_short(item),
        Form::Tuple(items, None) => items.iter().all(is_short),
        Form::Object(members, Rest::Closed) => are_short(node, members),
        // A record writes no other members.
        Form::Object(members, Rest::Unsaid) if !members.is_empty() => are_short(node, members),
        Form::Union(nodes) => is_number(node) || nodes.iter().all(is_short),
        Form::Any | Form::Tuple(..) | Form::Object(..) | Form::Ref(_) => false,
    }
}

fn are_short(node: &Node<'_>, members: &[Member<'_>]) -> bool {
    node.keyword("patternProperties").is_none()
        && members.iter().all(|member| is_short(&member.node))
}

/// True if the host writes this schema for numbers, some of which are sent as strings: integers
/// that other programs would round, and floats that JSON cannot represent.
fn is_number(node: &Node<'_>) -> bool {
    let kinds = [json!(["integer", "string"]), json!(["number", "string"])];
    node.keyword("type")
        .is_some_and(|kind| kinds.contains(kind))
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

    #[test]
    fn short_results_stay_as_they_are() {
        for schema in [
            json!({"type": "integer"}),
            json!({"enum": ["a", "b"]}),
            json!({"type": ["number", "string"]}),
            json!({"type": "string", "maxLength": 1}),
            json!({"type": ["integer", "string"], "description": "How many."}),
            json!({"type": "object", "properties": {"a": {"type": "boolean"}}}),
            json!({"type": "object", "additionalProperties": false}),
        ] {
            assert_eq!(or_kept(&schema), None, "{schema}");
        }
    }

    #[test]
    fn long_results_may_be_kept() {
        let place = kept_value("tool-hub://answers/1");
        for (schema, result) in [
            (json!({"type": "string"}), json!("text")),
            (
                json!({"type": "array", "items": {"type": "integer"}}),
                json!([1]),
            ),
            (json!(true), json!(1)),
            (
                json!({"type": "object", "additionalProperties": {"type": "integer"}}),
                json!({"a": 1}),
            ),
            (
                json!({
                    "type": "object", "properties": {"kept_answer": {"type": "array"}},
                    "required": ["kept_answer"],
                }),
                json!({"kept_answer": []}),
            ),
            (
                json!({
                    "type": "object", "properties": {"a": {"$ref": "#/$defs/a"}},
                    "required": ["a"], "additionalProperties": false,
                    "$defs": {"a": {"type": "string"}},
                }),
                json!({"a": "text"}),
            ),
        ] {
            let shape = ResultShape::of_schema(&schema);
            let travels = or_kept(&schema).unwrap();
            assert_eq!(ResultShape::of_schema(&travels), ResultShape::Object);
            for value in [result, place.clone()] {
                let value = shape.value(value);
                assert!(jsonschema::is_valid(&travels, &value), "{travels} {value}");
            }
            assert_eq!(
                shape.value(place.clone()),
                place,
                "it is wrapped in nothing"
            );
            let wrong = json!({"a": {}, "result": {}, "kept_answer": 1});
            assert!(schema == true || !jsonschema::is_valid(&travels, &wrong));
        }
    }

    #[test]
    fn a_kept_answer_is_one_more_member() {
        assert_eq!(
            or_kept(&json!({
                "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
            })),
            Some(json!({
                "type": "object",
                "properties": {"a": {"type": "string"}, "kept_answer": {"type": "string"}},
            }))
        );
        assert_eq!(
            or_kept(&json!({"type": "string"})),
            Some(json!({
                "type": "object",
                "properties": {"result": {"type": "string"}, "kept_answer": {"type": "string"}},
            }))
        );
    }
}
