//! The types of messages in the form common to all dialects: roles, content, calls, results.
//! Arguments are objects, content is a list of parts, and ids are kept.

mod dialect;
mod media;
mod source_form;

use std::fmt;

use serde_json::{Map, Value};

pub use dialect::MessageDialect;
pub use media::{Media, MediaKind, MediaSource};
pub(super) use source_form::Position;
pub use source_form::SourceForm;

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Whoever set the conversation up.
    System,
    /// Like `System`, in dialects that distinguish the two.
    Developer,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A function that the model called.
    Tool,
}

impl Role {
    /// The role's name, which all dialects share.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A call that a model asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The id by which the result refers to the call; some models write none.
    pub id: Option<String>,
    /// The function's name, as it was offered.
    pub name: String,
    /// The arguments by name.
    pub arguments: Map<String, Value>,
}

/// The result of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolResult {
    /// The call's id. Absent where the call has none: results then follow calls in order.
    pub call_id: Option<String>,
    /// The function's name, if known.
    pub name: Option<String>,
    /// The content, for the model.
    pub content: Vec<Part>,
    /// True if the call failed.
    pub is_error: bool,
}

/// A model's reasoning.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reasoning {
    /// The full text; empty if the provider hides it.
    pub text: String,
    /// The provider's summary.
    pub summary: Vec<String>,
    /// A signature of the text, or the encrypted text. Only who made it can read it.
    pub sealed: Option<OpaqueReasoning>,
}

/// Something that only one provider can read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpaqueReasoning {
    /// The dialect it belongs to.
    pub by: MessageDialect,
    /// The signature, or the encrypted text.
    pub text: String,
}

/// Something that a dialect has and this form does not: an item of the provider's own tools, say.
#[derive(Debug, Clone, PartialEq)]
pub struct Foreign {
    /// The dialect it belongs to.
    pub of: MessageDialect,
    /// The value as it was read.
    pub value: Value,
    /// True if it stands among a message's calls, false if in its content.
    pub is_call: bool,
}

/// The content of a message's part.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Content {
    /// Text.
    Text(String),
    /// The model's words for not answering.
    Refusal(String),
    /// A picture, a sound, a film or a document.
    Media(Media),
    /// Reasoning.
    Reasoning(Reasoning),
    /// A call of a function.
    Call(ToolCall),
    /// The result of a call.
    Result(ToolResult),
    /// A value that only one dialect has.
    Foreign(Foreign),
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The content.
    pub content: Content,
    /// Members that only the source dialect has.
    pub source_form: Option<SourceForm>,
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The author.
    pub role: Role,
    /// The content, in order. Each result is in a [`Role::Tool`] message of its own.
    pub parts: Vec<Part>,
    /// The name of the speaker, where several share a role.
    pub name: Option<String>,
    /// Members that only the source dialect has.
    pub source_form: Option<SourceForm>,
}

/// A conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conversation {
    /// The messages in order; those of the system as well.
    pub messages: Vec<Message>,
    /// Members of the request around the messages.
    pub source_form: Option<SourceForm>,
}

impl From<Content> for Part {
    fn from(content: Content) -> Self {
        Self {
            content,
            source_form: None,
        }
    }
}

impl Message {
    /// A message of `parts`.
    pub fn new(role: Role, parts: impl IntoIterator<Item = Content>) -> Self {
        Self {
            role,
            parts: parts.into_iter().map(Part::from).collect(),
            name: None,
            source_form: None,
        }
    }

    /// A message of a text.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self::new(role, [Content::Text(text.into())])
    }

    /// True if it was read from `dialect`.
    pub(super) fn is_of(&self, dialect: MessageDialect) -> bool {
        self.source_form
            .as_ref()
            .is_some_and(|source_form| source_form.is_of(dialect))
    }

    pub(super) fn place(&self, dialect: MessageDialect) -> Option<Position> {
        self.source_form
            .as_ref()
            .and_then(|source_form| source_form.place(dialect))
    }
}

/// A message as most dialects write it, where each result is a message of its own.
pub(super) enum Piece<'a> {
    Turn(Role, Vec<&'a Part>),
    Result(&'a Part, &'a ToolResult),
}

pub(super) fn pieces(message: &Message) -> Vec<Piece<'_>> {
    // In a message of a tool, text that is not a result is written as the user's.
    let role = match message.role {
        Role::Tool => Role::User,
        role => role,
    };
    let mut pieces = Vec::new();
    let mut turn = Vec::new();
    for part in &message.parts {
        match &part.content {
            Content::Result(result) => {
                if !turn.is_empty() {
                    pieces.push(Piece::Turn(role, std::mem::take(&mut turn)));
                }
                pieces.push(Piece::Result(part, result));
            }
            _ => turn.push(part),
        }
    }
    if !turn.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Turn(role, turn));
    }
    pieces
}

/// Arguments as the text of an object.
pub(super) fn arguments_text(arguments: &Map<String, Value>) -> String {
    serde_json::to_string(arguments).unwrap_or_default()
}
