//! The errors of compiling a constraint or rewriting a request.

use super::backend::Backend;
use super::format::Format;
use crate::definition::Loss;
use crate::schema::place_phrase::at;

/// A constraint cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConstraintError {
    /// No grammar can enforce a keyword of the schema.
    #[error(
        "no grammar can enforce `{keyword}`{}: leave it out or express it otherwise", at(.pointer)
    )]
    Unsupported {
        /// The JSON pointer into the schema.
        pointer: String,
        /// The keyword.
        keyword: String,
    },
    /// No value is valid.
    #[error("no value is valid{}", at(.pointer))]
    Nothing {
        /// The JSON pointer into the schema.
        pointer: String,
    },
    /// A regular expression would have to contain itself.
    #[error("`{rule}` is recursive, and no regular expression matches values of any depth")]
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
    #[error(
        "the regular expression cannot be written in {format}: it is invalid or uses look-around"
    )]
    Regex {
        /// The format.
        format: Format,
    },
    /// A kind of constraint has no form in a format.
    #[error("{what} cannot be written in {format}")]
    Format {
        /// The kind.
        what: &'static str,
        /// The format.
        format: Format,
    },
    /// A server does not support this kind of constraint.
    #[error("{backend} does not support {what}: {hint}")]
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
        /// The reason.
        loss: Loss,
    },
    /// A `tool_choice` is of no known form.
    #[error(
        "`tool_choice` must be auto, none, required, a function's name, or an object that names one"
    )]
    ToolChoice,
    /// A `tool_choice` names a function that is not offered.
    #[error("`tool_choice` names `{}`, which is not in `tools`", .name.escape_default())]
    NoSuchFunction {
        /// The name.
        name: String,
    },
    /// A call is required and nothing is offered.
    #[error("`tool_choice` requires a call, but `tools` is empty")]
    NoFunctions,
    /// A member of a request has the wrong type.
    #[error("`{member}` must be {expected}")]
    Request {
        /// The member.
        member: &'static str,
        /// The expected kind of value.
        expected: &'static str,
    },
}
