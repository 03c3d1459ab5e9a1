//! Builds the JSON Schema of a picture or a sound in a function's arguments or results.

use serde_json::{Value, json};

/// The schema of a picture or a sound, as the contract has them.
pub(crate) fn media_schema(kind: &str) -> Value {
    json!({
        "type": "object",
        "properties": {
            "media_type": {"type": "string"},
            "data": {
                "type": "string", "contentEncoding": "base64",
                "contentMediaType": format!("{kind}/*"),
            },
        },
        "required": ["media_type", "data"],
        "additionalProperties": false,
    })
}
