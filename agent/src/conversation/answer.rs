//! Modules that read a model's answer, whole or while it comes, and check the calls in it.

mod bare_argument;
mod call;
mod check;
mod engine;
mod error;
mod event;
pub(crate) mod families;
mod family;
mod format;
mod literal;
mod problem;
mod reader;
mod scan;
mod template;
#[cfg(test)]
mod tests;
mod trimmed_text;
mod unread;
mod xml_arguments;

pub use check::{CallProblem, CheckedCall, check, nearest};
pub use error::FormatError;
pub use event::{ANSWER_BYTES_MAX, Answer, AnswerEvent, CALLS_MAX};
pub use format::AnswerFormat;
pub use problem::AnswerProblem;
pub use reader::AnswerReader;
pub use unread::UnreadCall;
