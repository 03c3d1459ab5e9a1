//! Chat templates: how a model's own template prints a conversation and the tools that are
//! offered in it, byte for byte as Transformers prints them.
//!
//! Templates come from strangers: they read nothing but what they are given, and are stopped
//! when they take too long or print too much.

mod environment;
mod error;
mod generator;
mod going_on;
mod json;
mod model;
mod output;
mod source;
mod values;

use std::collections::HashSet;

use indexmap::IndexMap;
use jiff::civil::DateTime;
use minijinja::{Environment, Value as Read};
use serde_json::{Map, Value};

pub use error::TemplateError;
pub use model::{ModelError, ModelTemplates};
use output::Output;

/// The longest template, in bytes. The longest of real models have 30,000.
pub const TEMPLATE_BYTES_MAX: usize = 1 << 20;
/// What a template may print, in bytes.
pub const PRINTED_BYTES_MAX: usize = 64 << 20;

/// What the engine calls the one template it has.
const NAME: &str = "chat template";

/// A template that is ready to print conversations.
#[derive(Debug)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    source: String,
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
        if source.len() > TEMPLATE_BYTES_MAX {
            return Err(TemplateError::TooMuch {
                limit: "template_bytes",
                value: TEMPLATE_BYTES_MAX,
            });
        }
        let mut environment = environment::new();
        environment.add_template_owned(NAME, source::adapted(source))?;
        Ok(Self {
            environment,
            source: source.to_owned(),
        })
    }

    /// Prints `chat`.
    ///
    /// # Errors
    /// When the template refuses the conversation, breaks down, or goes beyond a limit, and when
    /// the last message has nothing to go on with.
    pub fn render(&self, chat: &Chat) -> Result<String, TemplateError> {
        match &chat.continue_final_message {
            None => self.print(chat, chat.messages.iter().map(values::message)),
            Some(member) => {
                let (messages, open) = going_on::left_open(&self.source, chat, member)?;
                let printed = self.print(chat, messages.iter().map(values::json))?;
                open.cut(printed)
            }
        }
    }

    /// The variables that the template reads.
    pub fn variables(&self) -> HashSet<String> {
        let template = self.environment.get_template(NAME);
        template.map_or_else(|_| HashSet::new(), |it| it.undeclared_variables(false))
    }

    fn print(
        &self,
        chat: &Chat,
        messages: impl Iterator<Item = Read>,
    ) -> Result<String, TemplateError> {
        let list = |list: &Option<Vec<Value>>| match list {
            Some(items) => items.iter().map(values::json).collect(),
            None => Read::from(()),
        };
        let mut known: IndexMap<Read, Read> = IndexMap::from([
            ("messages".into(), messages.collect()),
            ("tools".into(), list(&chat.tools)),
            ("documents".into(), list(&chat.documents)),
            (
                "add_generation_prompt".into(),
                chat.add_generation_prompt.into(),
            ),
            (
                "strftime_now".into(),
                environment::clock(chat.now.unwrap_or(environment::EPOCH)),
            ),
        ]);
        let variables = chat.variables.iter();
        known.extend(variables.map(|(name, value)| (name.as_str().into(), values::json(value))));
        let template = self.environment.get_template(NAME)?;
        let mut output = Output::new(PRINTED_BYTES_MAX);
        let rendered = template.render_captured_to(Read::from(known), &mut output);
        match rendered {
            Ok(_) => output.into_text(),
            Err(_) if output.is_full() => Err(output.too_much()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests;
