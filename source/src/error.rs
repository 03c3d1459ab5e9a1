//! Why a file, or one function of it, gives no definition.

use crate::{FUNCTIONS_MAX, Language, Position, SOURCE_BYTES_MAX};

/// A file cannot be read as source code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// It is longer than is read.
    #[error("it has {bytes} bytes, at most {SOURCE_BYTES_MAX} are read")]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// It offers more functions than are read.
    #[error("it has {count} functions, at most {FUNCTIONS_MAX} are read")]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// It is not written in the language.
    #[error("{position}: this is no {language} that can be read")]
    Syntax {
        /// The language.
        language: Language,
        /// Where reading ended.
        position: Position,
    },
    /// Reading it takes too many steps.
    #[error("reading it as {language} takes too long; make it shorter or less nested")]
    TooSlow {
        /// The language.
        language: Language,
    },
}

/// What is missing of one function, where, and what to write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{function}` {kind}")]
pub struct Fault {
    /// The function.
    pub function: String,
    /// Where.
    pub position: Position,
    /// What is missing.
    pub kind: FaultKind,
}

/// What is missing of a function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// Nothing says what it does.
    #[error("has no description")]
    NoDescription,
    /// Nothing says what to write for a parameter.
    #[error("does not describe its parameter `{parameter}`")]
    NoParameterDescription {
        /// The parameter.
        parameter: String,
    },
    /// A parameter has no type.
    #[error("does not say which type its parameter `{parameter}` has")]
    NoType {
        /// The parameter.
        parameter: String,
    },
    /// A type has no schema.
    #[error("uses the type `{name}`, which {reason}")]
    UnsupportedType {
        /// The type as it is written.
        name: String,
        /// Why it has no schema.
        reason: &'static str,
    },
    /// A name in a type means nothing in the file.
    #[error("names `{name}` in a type, which the file does not define")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// The values that a comment lists cannot be read.
    #[error("lists choices for `{parameter}` that are no JSON array")]
    Choices {
        /// The parameter.
        parameter: String,
    },
    /// A description is written in a way that says nothing without running the file.
    #[error("has a description with an escape that is not read")]
    UnreadableDescription,
}

impl FaultKind {
    /// What to write instead.
    pub fn hint(&self) -> String {
        match self {
            Self::NoDescription => {
                "write what it does, what it returns and what each argument is in a comment that documents it".to_owned()
            }
            Self::NoParameterDescription { parameter } => format!(
                "describe it in the function's documentation, as `{parameter}: what to write there` below `Args:` in Python, `@param {parameter} - …` in JavaScript, or `* `{parameter}` - …` below `# Arguments` in Rust"
            ),
            Self::NoType { parameter } => format!(
                "write the type beside it, such as `{parameter}: str` in Python or `@param {{string}} {parameter}` in JavaScript"
            ),
            Self::UnsupportedType { .. } => {
                "use text, numbers, booleans, lists, dictionaries, enumerations of this file, or unions of them".to_owned()
            }
            Self::UnknownName { .. } => {
                "define it in this file: other files are not read, and what only checkers import is not there".to_owned()
            }
            Self::Choices { .. } => {
                "write them as JSON: (choices: [\"one\", \"two\"])".to_owned()
            }
            Self::UnreadableDescription => {
                "write the character itself instead of `\\N{…}` or half a surrogate pair".to_owned()
            }
        }
    }
}
