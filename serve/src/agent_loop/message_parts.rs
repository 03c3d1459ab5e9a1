//! Reads the text and the calls out of a message of a model.

use tool_hub_agent::conversation::{Content, Message, ToolCall};

/// The text of a message, without reasoning.
pub(super) fn text_of(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match &part.content {
        Content::Text(text) | Content::Refusal(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n").trim().to_owned()
}

pub(super) fn calls_of(message: &Message) -> Vec<ToolCall> {
    let calls = message.parts.iter().filter_map(|part| match &part.content {
        Content::Call(call) => Some(call.clone()),
        _ => None,
    });
    calls.collect()
}
