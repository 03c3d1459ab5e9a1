//! The trait of a model that an agent asks, with its request, its answer and its error.

use std::error::Error;
use std::fmt;
use std::pin::Pin;

use tool_hub_agent::conversation::Message;
use tool_hub_manifest::FunctionSpec;

/// A model that goes on with a conversation.
pub trait ChatModel: Send + Sync {
    /// The model's next message: words, calls of the functions that it is offered, or both.
    fn answer<'a>(
        &'a self,
        request: ModelRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<ModelAnswer, ChatModelError>> + Send + 'a>>;
}

/// An answer of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelAnswer {
    /// Its words and its calls.
    pub message: Message,
    /// The parts that could not be read, in words for the model: it is told, and may mend them.
    pub problems: Vec<String>,
    /// True if it was cut off before its end.
    pub is_cut_off: bool,
}

impl From<Message> for ModelAnswer {
    fn from(message: Message) -> Self {
        Self {
            message,
            problems: Vec::new(),
            is_cut_off: false,
        }
    }
}

/// A request to a model.
#[derive(Debug, Clone, Copy)]
pub struct ModelRequest<'a> {
    /// The conversation so far.
    pub messages: &'a [Message],
    /// The functions that it knows of.
    pub functions: &'a [FunctionSpec],
    /// True if it has to answer in words and may call none of them.
    pub must_answer: bool,
    /// Texts at which it is stopped.
    pub stop: &'a [&'a str],
}

/// A model cannot be asked, or its answer cannot be read.
#[derive(Debug)]
pub struct ChatModelError {
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl ChatModelError {
    /// An error that says `message` and, where that is known, what it comes from.
    pub fn new(message: impl Into<String>, source: Option<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            message: message.into(),
            source,
        }
    }
}

impl fmt::Display for ChatModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ChatModelError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let source = self.source.as_deref()?;
        Some(source)
    }
}
