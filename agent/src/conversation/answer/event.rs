//! The `Answer`, the events that a reader emits on the way to it, and limits on bytes and calls.

use super::problem::AnswerProblem;
use crate::conversation::message::ToolCall;

/// The longest answer that is read, in bytes. Text beyond it is left out and reported as a
/// problem.
pub const ANSWER_BYTES_MAX: usize = 4 << 20;

/// The most calls that are read from an answer. Further ones are left out and reported as a
/// problem.
pub const CALLS_MAX: usize = 128;

/// An answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The text for the user, trimmed and without the calls.
    pub text: String,
    /// The reasoning before the text.
    pub reasoning: Option<String>,
    /// The calls, in order. Names and arguments are what the model wrote; they are not checked
    /// against the offered functions.
    pub calls: Vec<ToolCall>,
    /// The parts that could not be read.
    pub problems: Vec<AnswerProblem>,
}

/// A piece of an answer.
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
        /// The function's name, if it comes before the arguments.
        name: Option<String>,
    },
    /// A complete call. Not every call has a `CallBegun` before it.
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
