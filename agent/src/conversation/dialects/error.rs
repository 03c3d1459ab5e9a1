//! Why a conversation is not read.

/// A conversation is not what its dialect says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// Something else stands there.
    #[error("{path}: expected {expected}, found {found}")]
    Unexpected {
        /// Where, as `messages[3].tool_calls[0].function.name`.
        path: String,
        /// What should stand there.
        expected: &'static str,
        /// What stands there: its kind, and the beginning of a text.
        found: String,
    },
    /// Arguments are no JSON.
    #[error(
        "{path}: the arguments cannot be read: {message}; write the JSON text of an object, {{}} where there are none"
    )]
    Arguments {
        /// Where.
        path: String,
        /// What is wrong with it, in the parser's words.
        message: String,
    },
    /// There is more than a conversation may have.
    #[error("the conversation goes beyond a limit ({limit} = {value}): leave older messages out")]
    TooMuch {
        /// Which limit.
        limit: &'static str,
        /// What it allows.
        value: usize,
    },
}
