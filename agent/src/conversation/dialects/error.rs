//! The errors of reading a conversation.

/// A conversation is not valid in its dialect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// A value is missing or of the wrong kind.
    #[error("{path}: expected {expected}, found {found}")]
    Unexpected {
        /// The path, such as `messages[3].tool_calls[0].function.name`.
        path: String,
        /// The expected value.
        expected: &'static str,
        /// The kind of the value, and the beginning of it if it is a string.
        found: String,
    },
    /// Arguments are not valid JSON.
    #[error(
        "{path}: the arguments cannot be read: {message}; write the JSON text of an object, {{}} where there are none"
    )]
    Arguments {
        /// The path.
        path: String,
        /// The parser's message.
        message: String,
    },
    /// There is more than a conversation may have.
    #[error("the conversation exceeds a limit ({limit} = {value}): leave older messages out")]
    TooMuch {
        /// The name of the limit.
        limit: &'static str,
        /// The value of the limit.
        value: usize,
    },
}
