//! Messages of a conversation with a model, in the one form that all others are read into and
//! written from: arguments are objects, content is parts, and ids are kept.

use serde_json::{Map, Value};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Whoever set the conversation up.
    System,
    /// The same, where a dialect tells the two apart.
    Developer,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A function that the model called.
    Tool,
}

/// A call that a model asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// What the result is told by; some models write none.
    pub id: Option<String>,
    /// The function's name, as it was offered.
    pub name: String,
    /// The arguments by name.
    pub arguments: Map<String, Value>,
}
