//! Adds the optional member `kept_answer` to output schemas of results that may be long.

use serde_json::{Map, Value, json};

use crate::definition::result::ResultShape;
use crate::definition::stored_result::KEPT_MEMBER;
use crate::schema::{Document, Form, Member, Node, Rest};

/// The longest string that is never too long.
const SHORT_CHARACTERS_MAX: u64 = 256;
/// The longest list that is never too long.
const SHORT_ITEMS_MAX: u64 = 16;

/// The schema of the structured content of a function whose results may be stored: the object that
/// [`ResultShape`] makes, with one more member. No member is required.
///
/// `None` where results are never long: numbers, a choice of words, records of those.
pub fn schema_allowing_stored(output_schema: &Value) -> Option<Value> {
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
    use crate::definition::stored_result::kept_value;

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
            assert_eq!(schema_allowing_stored(&schema), None, "{schema}");
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
            let travels = schema_allowing_stored(&schema).unwrap();
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
            schema_allowing_stored(&json!({
                "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
            })),
            Some(json!({
                "type": "object",
                "properties": {"a": {"type": "string"}, "kept_answer": {"type": "string"}},
            }))
        );
        assert_eq!(
            schema_allowing_stored(&json!({"type": "string"})),
            Some(json!({
                "type": "object",
                "properties": {"result": {"type": "string"}, "kept_answer": {"type": "string"}},
            }))
        );
    }
}
