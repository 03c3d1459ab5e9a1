//! Prints a conversation and its tools with a model's own chat template, as Transformers does.
//! The texts are the same byte for byte.
//!
//! Templates are untrusted: they read nothing but their input, and are stopped when they take too
//! long or print too much.

mod chat;
mod continuation;
mod control;
mod environment;
mod error;
mod generator;
mod json;
mod limits;
mod message;
mod methods;
mod model;
mod output;
mod source;
mod tools_in_text;
mod value_limits;

use std::borrow::Cow;

use indexmap::IndexMap;
use jiff::civil::{DateTime, date};
use minijinja::{Environment, Value as Read};
use serde_json::{Map, Value};

pub use chat::{Chat, ControlTokens};
pub use control::without_control_tokens;
pub use error::TemplateError;
pub use limits::TEMPLATE_BYTES_MAX;
pub use model::{ModelError, ModelTemplates};

use message::Reader;
use output::Output;

/// The name of the template in the engine.
const NAME: &str = "chat template";

/// The time that templates see by default.
const EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

/// A template that is ready to print conversations.
#[derive(Debug)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    source: String,
    reads_tools: bool,
}

impl ChatTemplate {
    /// Reads a template in Jinja.
    ///
    /// # Errors
    /// When it is not valid Jinja, or too long.
    pub fn new(source: &str) -> Result<Self, TemplateError> {
        if source.len() > TEMPLATE_BYTES_MAX {
            return Err(TemplateError::TooMuch {
                limit: "template_bytes",
                value: TEMPLATE_BYTES_MAX,
            });
        }
        let mut environment = environment::new();
        let prepared = source::prepared(source)?;
        let template = environment.add_template_owned(NAME, prepared);
        let template = template.and_then(|()| environment.get_template(NAME));
        let template = template.map_err(|error| error::of(error, 0))?;
        let read = template.undeclared_variables(false);
        Ok(Self {
            reads_tools: read.contains("tools"),
            environment,
            source: source.to_owned(),
        })
    }

    /// True if the template refers to tools at all.
    /// [`explain`](crate::conversation::explain::explain) shows what it prints of them.
    pub fn reads_tools(&self) -> bool {
        self.reads_tools
    }

    /// Prints `chat`.
    ///
    /// # Errors
    /// When the template refuses the conversation, fails or exceeds a limit, when the last message
    /// cannot be continued, and when the conversation contains control tokens that are refused.
    pub fn render(&self, chat: &Chat) -> Result<String, TemplateError> {
        let mut chat = Cow::Borrowed(chat);
        if chat.tools_in_text && !self.reads_tools {
            chat = Cow::Owned(tools_in_text::with_tools_in_text(&chat));
        }
        if let Some(guarded) = control::guarded(&self.source, &chat)? {
            chat = Cow::Owned(guarded);
        }
        let chat = chat.as_ref();
        match &chat.continue_final_message {
            None => self.print(chat, &chat.messages),
            Some(member) => {
                let (last, open) = continuation::left_open(&self.source, chat, member)?;
                let (_, before) = chat.messages.split_last().unzip();
                let messages = [before.unwrap_or_default(), &[last]].concat();
                open.cut(self.print(chat, &messages)?)
            }
        }
    }

    fn print(&self, chat: &Chat, messages: &[Map<String, Value>]) -> Result<String, TemplateError> {
        let mut reader = Reader::default();
        let mut known = known(chat, messages, &mut reader)?;
        known.insert(
            value_limits::SIZE.into(),
            value_limits::value_bytes_max(reader.bytes).into(),
        );
        let steps = value_limits::steps_max(reader.bytes);
        let mut environment = self.environment.clone();
        environment.set_fuel(Some(steps as u64));
        let refused = |error| error::of(error, steps);
        let template = environment.get_template(NAME).map_err(refused)?;
        let mut output = Output::default();
        let printed = template.render_captured_to(Read::from_object(known), &mut output);
        printed.map_err(refused)?;
        output.into_text()
    }
}

/// The variables of a template.
fn known(
    chat: &Chat,
    messages: &[Map<String, Value>],
    reader: &mut Reader,
) -> Result<IndexMap<Read, Read>, TemplateError> {
    let messages = messages.iter();
    let messages = messages.map(|it| reader.object(message::members(it).into_iter()));
    let messages = messages.collect::<Result<Vec<_>, _>>()?;
    let mut known: IndexMap<Read, Read> = IndexMap::from([
        ("messages".into(), messages.into()),
        ("tools".into(), reader.list(chat.tools.as_deref())?),
        ("documents".into(), reader.list(chat.documents.as_deref())?),
        (
            "add_generation_prompt".into(),
            chat.add_generation_prompt.into(),
        ),
        (
            "strftime_now".into(),
            environment::clock(chat.now.unwrap_or(EPOCH)),
        ),
    ]);
    for (name, value) in &chat.variables {
        known.insert(name.as_str().into(), reader.value(value)?);
    }
    Ok(known)
}

#[cfg(test)]
mod tests;
