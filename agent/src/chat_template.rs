//! Chat templates: how a model's own template prints a conversation and the tools that are
//! offered in it, byte for byte as Transformers prints them.
//!
//! Templates come from strangers: they read nothing but what they are given, and are stopped
//! when they take too long or print too much.
//!
//! A template can put lists into lists as often as it takes steps, and whatever walks such a value,
//! be it only to drop it, takes a piece of stack for each. So on the caller's thread a template has
//! few steps, which are plenty for most conversations, and when they are not enough it begins anew
//! on a thread whose stack is deep enough for all that it may do. There it is read in the first
//! place: a long chain of operators is as deep.

mod control;
mod environment;
mod error;
mod generator;
mod going_on;
mod in_text;
mod json;
mod model;
mod output;
mod source;
mod values;

use std::borrow::Cow;
use std::panic::resume_unwind;
use std::thread;

use indexmap::IndexMap;
use jiff::civil::DateTime;
use minijinja::{Environment, Value as Read};
use serde_json::{Map, Value};

pub use control::{ControlTokens, without_control_tokens};
pub use error::TemplateError;
pub use model::{ModelError, ModelTemplates};
use output::Output;

/// The longest template, in bytes. Real models have up to 30,000.
pub const TEMPLATE_BYTES_MAX: usize = 128 << 10;
/// What a template may print, in bytes.
pub const PRINTED_BYTES_MAX: usize = 64 << 20;

/// Steps that a template may take. A message takes some hundred; 64 bytes of a text that is put
/// together take one.
const STEPS_MAX: usize = 5_000_000;
/// How many of them on the caller's thread, which may have 2 MiB of stack.
const STEPS_HERE_MAX: usize = 5_000;
/// Three times what lists in lists take that are made in [`STEPS_MAX`] steps. It is memory only
/// as far as it is used.
const STACK_BYTES: usize = 1 << 30;
/// The limit on them.
const STEPS: &str = "steps";

/// What the engine calls the one template it has.
const NAME: &str = "chat template";

/// A template that is ready to print conversations.
#[derive(Debug)]
pub struct ChatTemplate {
    /// With few steps.
    here: Environment<'static>,
    /// With as many as a template may take.
    elsewhere: Environment<'static>,
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
        if source.len() > TEMPLATE_BYTES_MAX {
            return Err(TemplateError::TooMuch {
                limit: "template_bytes",
                value: TEMPLATE_BYTES_MAX,
            });
        }
        let mut here = environment::new();
        here.set_fuel(Some(STEPS_HERE_MAX as u64));
        let adapted = source::adapted(source)?;
        let reads_tools = on_a_deep_stack(|| {
            here.add_template_owned(NAME, adapted)?;
            let read = here.get_template(NAME)?.undeclared_variables(false);
            Ok(read.contains("tools"))
        })?;
        let mut elsewhere = here.clone();
        elsewhere.set_fuel(Some(STEPS_MAX as u64));
        Ok(Self {
            here,
            elsewhere,
            source: source.to_owned(),
            reads_tools,
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
            None => self.print(chat, chat.messages.iter().map(values::message)),
            Some(member) => {
                let (messages, open) = going_on::left_open(&self.source, chat, member)?;
                let printed = self.print(chat, messages.iter().map(values::json))?;
                open.cut(printed)
            }
        }
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
        let known = Read::from(known);
        match attempt(&self.here, known.clone()) {
            Err(TemplateError::TooMuch { limit: STEPS, .. }) => {
                on_a_deep_stack(|| attempt(&self.elsewhere, known))
            }
            done => done,
        }
    }
}

fn attempt(environment: &Environment<'static>, known: Read) -> Result<String, TemplateError> {
    let template = environment.get_template(NAME)?;
    let mut output = Output::new(PRINTED_BYTES_MAX);
    match template.render_captured_to(known, &mut output) {
        Ok(_) => output.into_text(),
        Err(_) if output.is_full() => Err(output.too_much()),
        Err(error) => Err(error.into()),
    }
}

/// Does `work` on a thread of its own, and waits for it.
fn on_a_deep_stack<T: Send>(
    work: impl FnOnce() -> Result<T, TemplateError> + Send,
) -> Result<T, TemplateError> {
    thread::scope(|scope| {
        let deep = thread::Builder::new().stack_size(STACK_BYTES);
        let spawned = deep.spawn_scoped(scope, work);
        let spawned = spawned.map_err(|error| TemplateError::Failed {
            line: None,
            message: format!("no thread for it: {error}"),
        })?;
        spawned.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests;
