//! Builds and recognises references to stored results, which replace results that are too long.

use serde_json::{Value, json};

/// The only member of the reference to a stored result.
pub(crate) const KEPT_MEMBER: &str = "kept_answer";

/// The reference to a result that is stored at `place`.
pub fn kept_value(place: &str) -> Value {
    json!({ KEPT_MEMBER: place })
}

/// True if `value` is such a reference.
pub(crate) fn is_kept(value: &Value) -> bool {
    let members = value.as_object().filter(|members| members.len() == 1);
    members.is_some_and(|members| members.get(KEPT_MEMBER).is_some_and(Value::is_string))
}
