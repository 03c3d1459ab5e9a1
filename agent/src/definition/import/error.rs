//! Limits and errors of reading definitions.

/// The longest text that is read.
pub const IMPORT_BYTES_MAX: usize = 4 << 20;

/// The most functions that one text may define.
pub const IMPORT_FUNCTIONS_MAX: usize = 1_000;

/// A text defines no functions that can be read. Places are JSON pointers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// It is longer than is read.
    #[error("it has {bytes} bytes, at most {IMPORT_BYTES_MAX} are read")]
    TooLong {
        /// The length of the text.
        bytes: usize,
    },
    /// It defines more functions than are read.
    #[error("it defines {count} functions, at most {IMPORT_FUNCTIONS_MAX} are read")]
    TooMany {
        /// The number of definitions.
        count: usize,
    },
    /// It is not valid JSON.
    #[error("it is not valid JSON: {reason}")]
    NotJson {
        /// The reason, with line and column.
        reason: String,
    },
    /// It is an MCP server's error.
    #[error("it is the error of an MCP server: {}", .message.escape_debug())]
    ServerError {
        /// The server's message.
        message: String,
    },
    /// It contains no definition.
    #[error("it defines no function")]
    Empty,
    /// A value is not a definition in a known dialect.
    #[error("{} is not the definition of a function: it has {found}", place(.pointer))]
    Unknown {
        /// The JSON pointer into the text.
        pointer: String,
        /// The members or the kind of the value.
        found: String,
    },
    /// A member is missing or of the wrong type.
    #[error("`{pointer}`: expected {expected}, found {found}")]
    Member {
        /// The JSON pointer into the text.
        pointer: String,
        /// The expected kind of value.
        expected: &'static str,
        /// The kind of value that was found.
        found: &'static str,
    },
    /// Two definitions have the same name.
    #[error("two functions are called `{}`", .name.escape_debug())]
    Duplicate {
        /// The name.
        name: String,
    },
}

/// The words for a place in a sentence; a text that is one definition has no pointer.
fn place(pointer: &str) -> String {
    match pointer {
        "" => "it".to_owned(),
        pointer => format!("the value at `{pointer}`"),
    }
}
