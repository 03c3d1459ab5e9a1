//! Structured results that are too long to be handed over: what stands in their place, and
//! the schema of results that may be either.

use serde_json::{Map, Value, json};

use crate::schema::{Document, Form, Node, Rest};
use crate::structured::DOCUMENT_KEYWORDS;

/// The only member of what stands in place of a long result: where the result is kept.
const KEPT_MEMBER: &str = "kept_answer";
/// The longest string that is never too long.
const SHORT_CHARACTERS_MAX: u64 = 256;
/// The longest list that is never too long.
const SHORT_ITEMS_MAX: u64 = 16;

/// What stands in place of a result that is kept at `place`.
pub fn kept_value(place: &str) -> Value {
    json!({ KEPT_MEMBER: place })
}

/// The schema of results that are either as `output_schema` says or kept elsewhere.
///
/// `None` where they are never long: numbers, a choice of words, records of those.
pub fn or_kept(output_schema: &Value) -> Option<Value> {
    if is_short(&Document::new(output_schema).root()) {
        return None;
    }
    let mut result = output_schema.clone();
    let mut root = Map::new();
    // An object promises to be one, whichever it is.
    if output_schema.get("type") == Some(&json!("object")) {
        root.insert("type".to_owned(), json!("object"));
    }
    if let Some(keywords) = result.as_object_mut() {
        for keyword in DOCUMENT_KEYWORDS {
            if let Some(value) = keywords.shift_remove(keyword) {
                root.insert(keyword.to_owned(), value);
            }
        }
    }
    // Kept short, because it is added to every function of every list.
    let kept = json!({"type": "object", "required": [KEPT_MEMBER]});
    root.insert("anyOf".to_owned(), json!([result, kept]));
    Some(Value::Object(root))
}

/// Whether all values of a schema are short.
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
        Form::Object(members, Rest::Closed) => {
            node.keyword("patternProperties").is_none()
                && members.iter().all(|member| is_short(&member.node))
        }
        Form::Union(nodes) => nodes.iter().all(is_short),
        Form::Any | Form::Tuple(..) | Form::Object(..) | Form::Ref(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ResultShape;

    #[test]
    fn short_results_stay_as_they_are() {
        for schema in [
            json!({"type": "integer"}),
            json!({"enum": ["a", "b"]}),
            json!({"anyOf": [{"type": "number"}, {"enum": ["NaN"]}]}),
            json!({"type": "string", "maxLength": 1}),
            json!({
                "type": "object", "properties": {"a": {"type": "boolean"}},
                "additionalProperties": false,
            }),
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
                json!({
                    "type": "object", "properties": {"a": {"$ref": "#/$defs/a"}},
                    "required": ["a"], "additionalProperties": false,
                    "$defs": {"a": {"type": "string"}},
                }),
                json!({"a": "text"}),
            ),
        ] {
            let either = or_kept(&schema).unwrap();
            let shape = ResultShape::of_schema(&either);
            assert_eq!(
                shape,
                ResultShape::of_schema(&schema),
                "as it travelled before"
            );
            let travels = shape.schema(&either);
            for value in [result, place.clone()] {
                let value = shape.value(value);
                assert!(jsonschema::is_valid(&travels, &value), "{travels} {value}");
            }
            let other = shape.value(json!({"other": 1}));
            assert!(schema == true || !jsonschema::is_valid(&travels, &other));
        }
    }
}
