//! An agent's state in memory, over all its tasks: conversation, named values, interpreter's state.
//! The conversation has a limit in bytes, beyond which tasks fail.

use std::sync::Arc;

use serde_json::{Map, Value};
use tool_hub_agent::conversation::{Content, Conversation, Message};

use super::error::LoopError;
use super::named_values::NamedValues;
use super::watcher::Watcher;
use crate::toolset::Toolset;

/// The most bytes of text that a conversation may hold.
const CONVERSATION_BYTES_MAX: usize = 16 << 20;

pub(super) struct AgentState {
    pub(super) toolset: Toolset,
    pub(super) watcher: Arc<dyn Watcher>,
    pub(super) conversation: Conversation,
    pub(super) values: NamedValues,
    pub(super) rounds_max: u32,
    /// The state that the interpreter keeps from one piece of code to the next.
    pub(super) interpreter_state: String,
    /// Values that no code has got yet.
    pub(super) pending_variables: Map<String, Value>,
    /// About how much the conversation holds.
    pub(super) bytes: usize,
    /// True if the model's last words were cut off.
    pub(super) is_cut_off: bool,
}

impl AgentState {
    pub(super) fn new(toolset: Toolset, watcher: Arc<dyn Watcher>, rounds_max: u32) -> Self {
        Self {
            toolset,
            watcher,
            conversation: Conversation::default(),
            values: NamedValues::default(),
            rounds_max,
            interpreter_state: String::new(),
            pending_variables: Map::new(),
            bytes: 0,
            is_cut_off: false,
        }
    }

    /// Adds to the conversation, while there is room.
    pub(super) fn push(&mut self, message: Message) -> Result<(), LoopError> {
        if message.parts.is_empty() {
            return Ok(());
        }
        self.bytes += bytes_of(&message);
        if self.bytes > CONVERSATION_BYTES_MAX {
            return Err(LoopError::TooLong {
                bytes_max: CONVERSATION_BYTES_MAX,
            });
        }
        self.conversation.messages.push(message);
        Ok(())
    }
}

/// About how much of a request a message takes.
fn bytes_of(message: &Message) -> usize {
    let parts = message.parts.iter().map(|part| match &part.content {
        Content::Text(text) | Content::Refusal(text) => text.len(),
        Content::Call(call) => Value::Object(call.arguments.clone()).to_string().len(),
        Content::Result(result) => {
            let texts = result.content.iter().map(|part| match &part.content {
                Content::Text(text) => text.len(),
                _ => 0,
            });
            texts.sum()
        }
        Content::Reasoning(reasoning) => reasoning.text.len(),
        _ => 0,
    });
    parts.sum()
}
