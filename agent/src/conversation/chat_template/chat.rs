//! The input of a chat template: messages, tools, documents, and how to treat control tokens.

use jiff::civil::DateTime;
use serde_json::{Map, Value};

/// The variables that a template is rendered with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chat {
    /// `role`, `content` and whatever else the template reads. Arguments of calls are objects.
    pub messages: Vec<Map<String, Value>>,
    /// The offered functions, as `{"type": "function", "function": {…}}`. Templates distinguish
    /// none from an empty list.
    pub tools: Option<Vec<Value>>,
    /// Documents with `title` and `text` for retrieval-augmented answers.
    pub documents: Option<Vec<Value>>,
    /// Special tokens and further variables of the template.
    pub variables: Map<String, Value>,
    /// The treatment of control tokens in messages, tools and documents.
    pub control_tokens: ControlTokens,
    /// True to describe the tools in the last user message when the template does not support them,
    /// as TGI does. A model that was not trained to call functions may or may not follow.
    pub tools_in_text: bool,
    /// True to append the beginning of the assistant's next message.
    pub add_generation_prompt: bool,
    /// The member of the last message that the model shall go on with, which is therefore left
    /// open: `content`, or the one that has its reasoning.
    pub continue_final_message: Option<String>,
    /// The time that the template sees; 1 January 1970 if absent.
    pub now: Option<DateTime>,
}

/// The treatment of control tokens in messages, tools and documents. The template's own control
/// tokens are always printed.
///
/// Control tokens are those of the model's tokenizer
/// ([`ModelTemplates::control_tokens`](super::ModelTemplates::control_tokens)), those of the
/// template's model family, and the markers in the template itself: `<|…|>`, `[INST]`,
/// `<tool_call>` and the like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ControlTokens {
    /// Prints them unchanged, as Transformers does by default. A result could then forge a message,
    /// unless the caller tokenizes the text safely.
    #[default]
    Printed,
    /// Adds a space after their first character, so that the model reads them as text. The list
    /// has the control tokens of the tokenizer.
    Broken(Vec<String>),
    /// Refuses the conversation. The list has the control tokens of the tokenizer.
    Refused(Vec<String>),
}
