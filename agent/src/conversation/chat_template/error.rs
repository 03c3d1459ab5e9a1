//! The `TemplateError` of chat templates, and its conversion from and into the engine's errors.

use std::error::Error as _;
use std::io;

use minijinja::{Error, ErrorKind};

use super::limits::{PRINTED_BYTES_MAX, RECURSION_MAX};

/// A template cannot be read, or does not print a conversation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// The template is not Jinja.
    #[error("the chat template cannot be read{}: {message}", at(*line))]
    Syntax {
        /// Counted from one.
        line: Option<usize>,
        /// The engine's message.
        message: String,
    },
    /// The template raised an exception about the conversation.
    #[error("the chat template refuses the conversation: {message}")]
    Refused {
        /// The template's own words.
        message: String,
    },
    /// The template breaks down.
    #[error("the chat template fails{}: {message}", at(*line))]
    Failed {
        /// Counted from one.
        line: Option<usize>,
        /// The engine's message.
        message: String,
    },
    /// The template is too long or too deep, takes too many steps or too much memory, or prints too
    /// much.
    #[error("the chat template exceeds a limit ({limit} = {value})")]
    TooMuch {
        /// The name of the limit.
        limit: &'static str,
        /// The value of the limit.
        value: usize,
    },
    /// A message, a tool or a document has the text of a control token.
    #[error(
        "the conversation contains the control token `{}`", .token.escape_debug()
    )]
    ControlToken {
        /// The token.
        token: String,
    },
    /// The last message cannot be continued.
    #[error("the last message cannot be continued: {why}")]
    NotContinued {
        /// The reason.
        why: &'static str,
    },
}

fn at(line: Option<usize>) -> String {
    line.map(|line| format!(" in line {line}"))
        .unwrap_or_default()
}

/// The error of a template that may take `steps`, for an error of the engine.
pub(super) fn of(error: Error, steps: usize) -> TemplateError {
    let line = error.line();
    let message = error.detail().unwrap_or_default();
    let message = match message.is_empty() {
        true => error.kind().to_string(),
        false => message.to_owned(),
    };
    match error.kind() {
        ErrorKind::SyntaxError => TemplateError::Syntax { line, message },
        _ => cause(&error, steps).unwrap_or(TemplateError::Failed { line, message }),
    }
}

/// The cause of an error, if it is one of this crate's or a limit of the engine.
fn cause(error: &Error, steps: usize) -> Option<TemplateError> {
    let too_much = |limit, value| Some(TemplateError::TooMuch { limit, value });
    if error.kind() == ErrorKind::OutOfFuel {
        return too_much("steps", steps);
    }
    // The engine has no kind for it.
    if error.detail() == Some("recursion limit exceeded") {
        return too_much("depth", RECURSION_MAX);
    }
    let source = error.source()?;
    if source.is::<io::Error>() {
        return too_much("printed_bytes", PRINTED_BYTES_MAX);
    }
    let ours = source.downcast_ref::<TemplateError>().cloned();
    ours.or_else(|| cause(source.downcast_ref()?, steps))
}

/// An error of the engine for something that a template did wrong.
pub(super) fn failed(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, message.into())
}

/// An error of the engine that becomes `why` again when the template has ended.
pub(super) fn stopped(why: TemplateError) -> Error {
    failed("stopped").with_source(why)
}
