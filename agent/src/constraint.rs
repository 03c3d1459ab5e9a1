//! Constraints on the texts that a model may write, compiled for the server that enforces them.
//!
//! A [`Constraint`](crate::constraint::Constraint) becomes a grammar, which is written as a regular
//! expression, GBNF, lark or the member of a request. Answers are checked again, whatever the
//! server promises. With constraints, tool calling is emulated on servers that lack it.

mod answer;
mod backend;
mod cache;
mod calls;
mod check;
mod code_point;
mod compile;
mod emulation;
mod error;
mod expression;
mod format;
mod json;
mod notation;
mod numbers;
mod printing;
mod regex;
mod request;
mod strings;
#[cfg(test)]
mod tests;
mod tool_choice;

pub use answer::WrongAnswer;
pub use backend::Backend;
pub use cache::ConstraintCache;
pub use calls::CallOrAnswer;
pub use compile::{CompiledConstraint, Constraint};
pub use emulation::{EmulatedTools, emulate_tools};
pub use error::ConstraintError;
pub use format::Format;
pub use request::RequestMembers;
pub use tool_choice::ToolChoice;
