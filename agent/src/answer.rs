//! What a model answered: its text, its reasoning and the calls that it wants made, read out of
//! the one text in which it writes all of them, whole or while it is being written.

mod call;
mod check;
mod engine;
pub(crate) mod families;
mod family;
mod format;
mod literal;
mod problem;
mod scan;
mod sink;
mod template;
#[cfg(test)]
mod tests;
mod typed;
mod unread;
mod xml_arguments;

use tool_hub_manifest::FunctionSpec;

use crate::ToolCall;
pub use check::{CallProblem, CheckedCall, check};
use engine::Engine;
use format::Kind;
pub use format::{AnswerFormat, FormatError};
pub use problem::AnswerProblem;
use template::TemplateReader;
pub use unread::UnreadCall;

/// The longest answer that is read, in bytes. What comes after is left out, and a problem.
pub const ANSWER_BYTES_MAX: usize = 4 << 20;
/// How many calls of an answer are read. The others are left out, and a problem.
pub const CALLS_MAX: usize = 128;

/// An answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// What the model said, without the space around it and without its calls.
    pub text: String,
    /// What it wrote for itself before.
    pub reasoning: Option<String>,
    /// What it wants called, in its order. The names and the arguments are what the model wrote;
    /// nobody has compared them with what there is.
    pub calls: Vec<ToolCall>,
    /// What could not be read.
    pub problems: Vec<AnswerProblem>,
}

/// What a reader found in the text that came last.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AnswerEvent {
    /// More of the text.
    Text(String),
    /// More of the reasoning.
    Reasoning(String),
    /// All the text so far was reasoning, which the prompt had begun.
    TextWasReasoning,
    /// The model has begun to write a call, or several.
    CallBegun {
        /// The function's name, where it stands before the arguments.
        name: Option<String>,
    },
    /// A call is complete. Not every call is told to begin.
    Call(ToolCall),
    /// Something could not be read.
    Problem(AnswerProblem),
}

impl Answer {
    /// Adds what a reader found.
    pub fn add(&mut self, event: AnswerEvent) {
        match event {
            AnswerEvent::Text(text) => self.text.push_str(&text),
            AnswerEvent::Reasoning(text) => {
                self.reasoning.get_or_insert_default().push_str(&text);
            }
            AnswerEvent::TextWasReasoning => {
                self.reasoning = Some(std::mem::take(&mut self.text));
            }
            AnswerEvent::CallBegun { .. } => {}
            AnswerEvent::Call(call) => self.calls.push(call),
            AnswerEvent::Problem(problem) => self.problems.push(problem),
        }
    }
}

/// Reads an answer while it is being written. However the answer is cut into pieces, what is
/// found in all of them together is the same; nothing is told before it is sure what it is.
#[derive(Debug)]
pub struct AnswerReader<'a> {
    reader: Reader<'a>,
    bytes_left: usize,
    is_too_long: bool,
}

#[derive(Debug)]
enum Reader<'a> {
    Family(Box<Engine<'a>>),
    Template(Box<TemplateReader>),
}

impl<'a> AnswerReader<'a> {
    pub(crate) fn new(format: &AnswerFormat, prompt: &str, offered: &'a [FunctionSpec]) -> Self {
        let reader = match &format.0 {
            Kind::Family(family) => Reader::Family(Box::new(Engine::new(family, prompt, offered))),
            Kind::Template(template) => {
                Reader::Template(Box::new(TemplateReader::new(template, prompt, offered)))
            }
        };
        Self {
            reader,
            bytes_left: ANSWER_BYTES_MAX,
            is_too_long: false,
        }
    }

    /// Reads more of the answer.
    pub fn push(&mut self, text: &str) -> Vec<AnswerEvent> {
        if self.is_too_long {
            return Vec::new();
        }
        let end = text.floor_char_boundary(self.bytes_left);
        self.bytes_left -= end;
        self.is_too_long = end < text.len();
        let mut events = match &mut self.reader {
            Reader::Family(engine) => engine.push(&text[..end]),
            Reader::Template(reader) => reader.push(&text[..end]),
        };
        if self.is_too_long {
            let bytes_max = ANSWER_BYTES_MAX;
            events.push(AnswerEvent::Problem(AnswerProblem::TooLong { bytes_max }));
        }
        events
    }

    /// Reads what was kept back, since nothing follows.
    pub fn finish(self) -> Vec<AnswerEvent> {
        match self.reader {
            Reader::Family(mut engine) => engine.finish(),
            Reader::Template(reader) => reader.finish(),
        }
    }
}
