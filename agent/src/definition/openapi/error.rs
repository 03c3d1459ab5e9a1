//! The errors of reading an OpenAPI document, and the reasons why an operation is left out.

use thiserror::Error;

/// A document cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OpenApiError {
    /// It is not an OpenAPI document.
    #[error("it is not an OpenAPI document: it has no `openapi` with a version")]
    Foreign,
    /// It is of a version that is not read.
    #[error("it is written in OpenAPI {version}, and versions 3.0 and 3.1 are read")]
    Version {
        /// The version.
        version: String,
    },
    /// It has no operations.
    #[error("it has no operation below `paths`")]
    Empty,
    /// It has more operations than are read.
    #[error("it has more than {count_max} operations")]
    TooMany {
        /// The most that are read.
        count_max: usize,
    },
}

/// A reason why a part of a document is no part of a function.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum PartError {
    /// A reference leads out of the document.
    #[error("`$ref` to `{reference}` at `{pointer}` leads out of the document; bundle it into one")]
    External { reference: String, pointer: String },
    /// A reference leads nowhere, or in a circle.
    #[error("`$ref` to `{reference}` at `{pointer}` leads nowhere")]
    Lost { reference: String, pointer: String },
    /// The body is of media types that are not written.
    #[error("its body is {found}, which is not carried")]
    Body { found: String },
    /// A parameter that the request needs cannot be written.
    #[error("its parameter `{name}` {reason}")]
    Parameter { name: String, reason: String },
    /// It has more arguments than a function may have.
    #[error("it takes {count} arguments, at most {count_max} are read")]
    Arguments { count: usize, count_max: usize },
}
