//! Chat templates: how a model's own template prints a conversation and the tools that are
//! offered in it, byte for byte as Transformers prints them.
//!
//! Templates come from strangers: they read nothing but what they are given, and are stopped
//! when they take too long or print too much.

mod control;
mod error;
mod going_on;
mod in_text;
mod message;
mod model;

use std::borrow::Cow;

use jiff::civil::{DateTime, date};
use serde_json::{Map, Value};
use tool_hub_jinja::{Error, Global, Limits, Object, Template};

pub use control::{ControlTokens, without_control_tokens};
pub use error::TemplateError;
pub use model::{ModelError, ModelTemplates};

/// The longest template, in bytes. Real models have up to 30,000.
pub const TEMPLATE_BYTES_MAX: usize = 128 << 10;
/// What a template may print, in bytes.
pub const PRINTED_BYTES_MAX: usize = 64 << 20;

/// Steps that a template may take: a message takes some hundred. And what its values may take,
/// in bytes, beside the conversation.
const LIMITS: Limits = Limits {
    template_bytes: TEMPLATE_BYTES_MAX,
    steps: 5_000_000,
    printed_bytes: PRINTED_BYTES_MAX,
    memory_bytes: 256 << 20,
};

/// The time where nobody says what it is.
const EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

/// A template that is ready to print conversations.
#[derive(Debug)]
pub struct ChatTemplate {
    template: Template,
    source: String,
    reads_tools: bool,
}

/// What a template prints.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chat {
    /// `role`, `content` and whatever else the template reads. Arguments of calls are objects.
    pub messages: Vec<Map<String, Value>>,
    /// The definitions of the functions that are offered, as `{"type": "function", "function":
    /// {…}}`. Templates tell none from an empty list.
    pub tools: Option<Vec<Value>>,
    /// What the answer may be drawn from, with `title` and `text`.
    pub documents: Option<Vec<Value>>,
    /// Special tokens, and whatever else the template may be told.
    pub variables: Map<String, Value>,
    /// What becomes of control tokens in messages, tools and documents.
    pub control_tokens: ControlTokens,
    /// Whether tools go into the last message of the user, with words on how to call them, where
    /// the template has no place for them. TGI does so; a model that was not trained to call
    /// functions may or may not follow.
    pub tools_in_text: bool,
    /// Whether the beginning of the assistant's next message follows.
    pub add_generation_prompt: bool,
    /// The member of the last message that the model shall go on with, which is therefore left
    /// open: `content`, or the one that has its reasoning.
    pub continue_final_message: Option<String>,
    /// What the template takes for the time. Absent where it need not know, and is told that it is
    /// the first of January 1970.
    pub now: Option<DateTime>,
}

impl ChatTemplate {
    /// Reads a template in Jinja.
    ///
    /// # Errors
    /// When it is none, or too long.
    pub fn new(source: &str) -> Result<Self, TemplateError> {
        let template = Template::new(source, LIMITS)?;
        Ok(Self {
            reads_tools: template.reads("tools"),
            template,
            source: source.to_owned(),
        })
    }

    /// Whether the template looks at tools at all. What it prints of them
    /// [`explain`](crate::explain()) tells.
    pub fn reads_tools(&self) -> bool {
        self.reads_tools
    }

    /// Prints `chat`.
    ///
    /// # Errors
    /// When the template refuses the conversation, breaks down, or goes beyond a limit, when
    /// the last message has nothing to go on with, and when there are control tokens that are
    /// refused.
    pub fn render(&self, chat: &Chat) -> Result<String, TemplateError> {
        let mut chat = Cow::Borrowed(chat);
        if chat.tools_in_text && !self.reads_tools {
            chat = Cow::Owned(in_text::with_tools_in_text(&chat));
        }
        if let Some(guarded) = control::guarded(&self.source, &chat)? {
            chat = Cow::Owned(guarded);
        }
        let chat = chat.as_ref();
        match &chat.continue_final_message {
            None => {
                let messages: Vec<_> = chat.messages.iter().map(message::normal).collect();
                self.print(chat, &messages)
            }
            Some(member) => {
                let (last, open) = going_on::left_open(&self.source, chat, member)?;
                let mut messages: Vec<_> = chat.messages.iter().map(message::normal).collect();
                messages.pop();
                messages.push(Object::Whole(&last));
                let printed = self.print(chat, &messages)?;
                open.cut(printed)
            }
        }
    }

    fn print(&self, chat: &Chat, messages: &[Object<'_>]) -> Result<String, TemplateError> {
        let now = chat.now.unwrap_or(EPOCH);
        let clock = |format: &str| formatted(format, now);
        let printed = self.template.render(&|name| {
            // There are few, which are found faster so than by their hashes.
            let mut variables = chat.variables.iter();
            if let Some((_, variable)) = variables.find(|(known, _)| *known == name) {
                return Some(Global::Json(variable));
            }
            Some(match name {
                "messages" => Global::Objects(messages),
                "tools" => list(&chat.tools),
                "documents" => list(&chat.documents),
                "add_generation_prompt" => Global::Bool(chat.add_generation_prompt),
                "strftime_now" => Global::Function(&clock),
                "raise_exception" => Global::Function(&raise),
                _ => return None,
            })
        });
        Ok(printed?)
    }
}

fn list(items: &Option<Vec<Value>>) -> Global<'_> {
    items.as_deref().map_or(Global::None, Global::List)
}

fn raise(message: &str) -> Result<String, Error> {
    Err(Error::Raised(message.to_owned()))
}

fn formatted(format: &str, now: DateTime) -> Result<String, Error> {
    let written = jiff::fmt::strtime::format(format, now);
    written.map_err(|error| Error::failed(error.to_string()))
}

#[cfg(test)]
mod tests;
