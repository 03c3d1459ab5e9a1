//! Conversations with a model: messages in every dialect, chat templates, and the reading and
//! repair of answers.

pub mod answer;
pub mod chat_template;
mod dialects;
pub mod explain;
pub mod failure;
mod message;
pub mod repair;

pub use dialects::{MessageError, MessageLoss, MessageLossKind, WrittenMessages};
pub use message::{
    Content, Conversation, Foreign, Media, MediaKind, MediaSource, Message, MessageDialect,
    OpaqueReasoning, Part, Reasoning, Role, SourceForm, ToolCall, ToolResult,
};
