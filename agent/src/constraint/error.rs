//! Why a constraint cannot be compiled, or a request not be rewritten.

use super::backend::Backend;
use super::format::Format;
use crate::definition::Loss;

/// A constraint cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConstraintError {
    /// A schema says what no grammar here can hold.
    #[error(
        "`{keyword}` at `{pointer}` cannot be held by a grammar: leave it out, or say it otherwise"
    )]
    Unsupported {
        /// The JSON pointer into the schema.
        pointer: String,
        /// The keyword.
        keyword: String,
    },
    /// No value is valid.
    #[error("no value is valid at `{pointer}`")]
    Nothing {
        /// The JSON pointer into the schema.
        pointer: String,
    },
    /// A regular expression would have to contain itself.
    #[error("`{rule}` contains values of any depth, which no regular expression can say")]
    Recursive {
        /// The rule that contains itself.
        rule: String,
    },
    /// There is too much of something.
    #[error("there are more than {max} {what}")]
    TooLarge {
        /// The things that were counted.
        what: &'static str,
        /// The most that are allowed.
        max: usize,
    },
    /// A regular expression looks around, or cannot be read.
    #[error("the regular expression cannot be said in {format}: it has to match by reading once")]
    Regex {
        /// The format.
        format: Format,
    },
    /// A kind of constraint has no form in a format.
    #[error("{what} cannot be said in {format}")]
    Format {
        /// The kind.
        what: &'static str,
        /// The format.
        format: Format,
    },
    /// A server has no place for a kind of constraint.
    #[error("{backend} has no place for {what}: {hint}")]
    Backend {
        /// The server.
        backend: Backend,
        /// The kind.
        what: &'static str,
        /// The advice.
        hint: &'static str,
    },
    /// A server would refuse the schema.
    #[error("{backend} would refuse the schema: {loss}")]
    Refused {
        /// The server.
        backend: Backend,
        /// Why.
        loss: Loss,
    },
    /// A `tool_choice` is of no known form.
    #[error(
        "`tool_choice` is none of auto, none, required, a function's name, or an object that names one"
    )]
    ToolChoice,
    /// A `tool_choice` names a function that is not offered.
    #[error("`tool_choice` wants `{}`, which is not offered", .name.escape_default())]
    NoSuchFunction {
        /// The name.
        name: String,
    },
    /// A call is required and nothing is offered.
    #[error("`tool_choice` wants a call, and no function is offered")]
    NoFunctions,
    /// A member of a request is not what it has to be.
    #[error("`{member}` of the request has to be {expected}")]
    Request {
        /// The member.
        member: &'static str,
        /// The expected kind of value.
        expected: &'static str,
    },
}
