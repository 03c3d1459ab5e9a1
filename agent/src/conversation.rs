//! Conversations with models: messages, chat templates, answers, repairs, failures in words.

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
