//! Reads and writes conversations in the formats of OpenAI, Anthropic and Transformers.
//! These are the dialects; a report says what one of them loses.

mod anthropic;
mod chat;
mod error;
mod hf;
mod ids;
mod json_reader;
mod loss;
mod openai;
mod responses;
mod style;
#[cfg(test)]
mod tests;
mod text_or_list;

use serde_json::Value;

pub use error::MessageError;
use loss::Losses;
pub use loss::{MessageLoss, MessageLossKind};

use super::message::{Conversation, MessageDialect};

/// A conversation in a dialect.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenMessages {
    /// The list of messages; an object with it and its `system` or `instructions` where the
    /// dialect has these apart, and where the conversation was read from an object.
    pub value: Value,
    /// The parts of the conversation that the dialect cannot express.
    pub losses: Vec<MessageLoss>,
}

impl Conversation {
    /// Reads a conversation in `dialect`: the list of messages, or an object that has it.
    ///
    /// Written in the same dialect, it is equal to what was read. Forms that came before the
    /// dialect's present one (`function_call`, `tool_calls` that are an object, arguments in the
    /// other one's form) are read as well, and written as they should be.
    ///
    /// # Errors
    /// When it is not valid in `dialect`, or has more than 100,000 messages or parts.
    pub fn read(dialect: MessageDialect, value: &Value) -> Result<Self, MessageError> {
        json_reader::within_bounds(value)?;
        match dialect {
            MessageDialect::HuggingFace => chat::read(&hf::STYLE, value),
            MessageDialect::OpenAi => chat::read(&openai::STYLE, value),
            MessageDialect::Responses => responses::read(value),
            MessageDialect::Anthropic => anthropic::read(value),
        }
    }

    /// Writes it in `dialect`. Calls without an id get one where the dialect needs it, the same
    /// each time.
    pub fn write(&self, dialect: MessageDialect) -> WrittenMessages {
        let mut losses = Losses::new(dialect);
        let conversation = ids::matched(self, dialect, &mut losses);
        let value = match dialect {
            MessageDialect::HuggingFace => chat::write(&hf::STYLE, &conversation, &mut losses),
            MessageDialect::OpenAi => chat::write(&openai::STYLE, &conversation, &mut losses),
            MessageDialect::Responses => responses::write(&conversation, &mut losses),
            MessageDialect::Anthropic => anthropic::write(&conversation, &mut losses),
        };
        WrittenMessages {
            value,
            losses: losses.into_list(),
        }
    }
}
