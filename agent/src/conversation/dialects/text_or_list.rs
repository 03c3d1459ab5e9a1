//! Writes the content of a message as a plain text where it is one, and else as a list of parts.

use serde_json::{Value, json};

/// A plain text as such, anything else as a list.
pub(super) fn text_or_list(mut parts: Vec<Value>, empty: Value) -> Value {
    let plain = match parts.as_mut_slice() {
        [] => return empty,
        [Value::Object(one)] if one.len() == 2 && one.get("type") == Some(&json!("text")) => {
            one.get_mut("text").map(Value::take)
        }
        _ => None,
    };
    plain.unwrap_or_else(|| parts.into())
}
