//! Messages of a conversation with a model, in the one form that all others are read into and
//! written from: arguments are objects, content is parts, and ids are kept.

mod dialect;
mod kept;
mod media;

use serde_json::{Map, Value};

pub use dialect::{MessageDialect, UnknownMessageDialect};
pub use kept::Kept;
pub(super) use kept::Place;
pub use media::{Media, MediaKind, MediaSource};

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

/// What came of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolResult {
    /// The call's id. Absent where the call has none: results then follow calls in order.
    pub call_id: Option<String>,
    /// The function's name, where it is told.
    pub name: Option<String>,
    /// What the model reads.
    pub content: Vec<Part>,
    /// Whether the call failed.
    pub is_error: bool,
}

/// What a model thought.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reasoning {
    /// As it thought it; empty where that is not shown.
    pub text: String,
    /// As its maker sums it up.
    pub summary: Vec<String>,
    /// A signature of the text, or the encrypted text. Only who made it can read it.
    pub sealed: Option<Sealed>,
}

/// Something that only one provider can read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// In whose messages it came.
    pub by: MessageDialect,
    /// The signature, or the encrypted text.
    pub text: String,
}

/// Something that a dialect has and this form does not: an item of the provider's own tools, say.
#[derive(Debug, Clone, PartialEq)]
pub struct Foreign {
    /// Whose it is.
    pub of: MessageDialect,
    /// As it was written.
    pub value: Value,
    /// Whether it stands among the calls of a message and not in its content.
    pub is_call: bool,
}

/// What a message is made of.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Content {
    /// Text.
    Text(String),
    /// The model's words for not answering.
    Refusal(String),
    /// A picture, a sound, a film or a document.
    Media(Media),
    /// What the model thought.
    Reasoning(Reasoning),
    /// A call of a function.
    Call(ToolCall),
    /// What came of one.
    Result(ToolResult),
    /// What only one dialect has.
    Foreign(Foreign),
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What it is.
    pub content: Content,
    /// What its dialect said beside.
    pub kept: Option<Kept>,
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order. A result stands in a message of [`Role::Tool`] of its own.
    pub parts: Vec<Part>,
    /// Which of several speakers it is.
    pub name: Option<String>,
    /// What its dialect said beside.
    pub kept: Option<Kept>,
}

/// A conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conversation {
    /// The messages in order; those of the system as well.
    pub messages: Vec<Message>,
    /// What stood around them, where they came in a request.
    pub kept: Option<Kept>,
}

impl From<Content> for Part {
    fn from(content: Content) -> Self {
        Self {
            content,
            kept: None,
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
            kept: None,
        }
    }

    /// A message of a text.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self::new(role, [Content::Text(text.into())])
    }

    /// Whether it was read from `dialect`.
    pub(super) fn is_of(&self, dialect: MessageDialect) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.is_of(dialect))
    }

    pub(super) fn place(&self, dialect: MessageDialect) -> Option<Place> {
        self.kept.as_ref().and_then(|kept| kept.place(dialect))
    }
}

/// Messages as most dialects have them, where a result is a message and a message has none.
pub(super) enum Piece<'a> {
    Turn(Role, Vec<&'a Part>),
    Result(&'a Part, &'a ToolResult),
}

pub(super) fn pieces(message: &Message) -> Vec<Piece<'_>> {
    // What a function says without a call is said to the model by whoever asks it.
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
