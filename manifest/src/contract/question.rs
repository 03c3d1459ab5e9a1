//! A question that a tool asks the person while it runs.

use serde_json::Value;

/// A question of the tool to the person.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Names the question within the call: `[a-z0-9-]`, at most 64 characters.
    pub key: String,
    /// The text, as the tool wrote it.
    pub text: String,
    /// JSON Schema of the answer: an object whose properties are strings, numbers,
    /// integers, booleans or enumerations of strings, of which one or several are chosen.
    pub schema: Value,
}
