//! The errors of a source file or of one function in it, with hints at how to correct them.

use std::fmt;

use crate::language::Language;
use crate::limits::{FUNCTIONS_MAX, SOURCE_BYTES_MAX};
use crate::position::Position;

/// The most characters of a name or a type that an error repeats.
const NAME_SHOWN_MAX: usize = 200;

/// The beginning of a name or a type: a file may have one as long as itself.
struct ShortName<'a>(&'a str);

impl fmt::Display for ShortName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(NAME_SHOWN_MAX) {
            Some((end, _)) => write!(f, "{}…", &self.0[..end]),
            None => f.write_str(self.0),
        }
    }
}

/// The phrase after a colon, if there is one.
fn after_colon(phrase: Option<&str>) -> String {
    phrase.map_or_else(String::new, |phrase| format!(": {}", ShortName(phrase)))
}

/// A file cannot be read as source code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// It is longer than is read.
    #[error("it has {bytes} bytes, at most {SOURCE_BYTES_MAX} are read")]
    TooLong {
        /// The length.
        bytes: usize,
    },
    /// It offers more functions than are read.
    #[error("it has {count} functions, at most {FUNCTIONS_MAX} are read")]
    TooMany {
        /// The number of functions.
        count: usize,
    },
    /// It is not written in the language.
    #[error(
        "{position}: this is no {language} that can be read{}",
        after_colon(.expected.as_deref())
    )]
    Syntax {
        /// The language.
        language: Language,
        /// The position of the mistake.
        position: Position,
        /// What the parser expected there, where it knows: a phrase such as "expected `:`".
        expected: Option<String>,
    },
    /// Reading it takes too many steps.
    #[error("reading it as {language} takes too long; make it shorter or less nested")]
    TooSlow {
        /// The language.
        language: Language,
    },
}

/// The error of one function: its place, and what to write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` {kind}", ShortName(.function))]
pub struct Fault {
    /// The function.
    pub function: String,
    /// The position.
    pub position: Position,
    /// The kind of error.
    pub kind: FaultKind,
}

/// The kinds of errors of a function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// Nothing says what it does.
    #[error("has no description")]
    NoDescription,
    /// Nothing says what to write for a parameter.
    #[error("does not describe its parameter `{}`", ShortName(.parameter))]
    NoParameterDescription {
        /// The parameter.
        parameter: String,
    },
    /// A parameter has no type.
    #[error("does not say which type its parameter `{}` has", ShortName(.parameter))]
    NoType {
        /// The parameter.
        parameter: String,
    },
    /// A type has no schema.
    #[error("uses the type `{}`, which {reason}", ShortName(.name))]
    UnsupportedType {
        /// The type as it is written.
        name: String,
        /// The reason why it has no schema.
        reason: &'static str,
    },
    /// A name in a type means nothing in the file.
    #[error("names `{}` in a type, which the file does not define", ShortName(.name))]
    UnknownName {
        /// The name.
        name: String,
    },
    /// The values that a comment lists cannot be read.
    #[error("lists choices for `{}` that are no JSON array", ShortName(.parameter))]
    Choices {
        /// The parameter.
        parameter: String,
    },
    /// It belongs to a framework that is not taken over.
    #[error("{reason}")]
    LeftOut {
        /// The reason, which follows its name in a sentence.
        reason: &'static str,
    },
    /// A description is written in a way that says nothing without running the file.
    #[error("has a description with an escape that is not read")]
    UnreadableDescription,
    /// Something that an agent reads is computed by code, which is not run here.
    #[error("has a `{}` that is only known when the file runs", ShortName(.argument))]
    Computed {
        /// The argument or attribute that has the value.
        argument: String,
    },
}

impl FaultKind {
    /// The correction, in a file in `language`.
    pub fn hint(&self, language: Language) -> String {
        match self {
            Self::NoDescription => {
                "write what it does, what it returns and what each argument is in a comment that documents it".to_owned()
            }
            Self::NoParameterDescription { parameter } => {
                let parameter = ShortName(parameter);
                match language {
                    Language::Python => format!(
                        "describe it in the docstring, below `Args:`, as `{parameter}: what to write there`"
                    ),
                    Language::Rust => format!(
                        "describe it in the doc comment, below `# Arguments`, as `* `{parameter}` - what to write there`"
                    ),
                    Language::JavaScript | Language::TypeScript => format!(
                        "describe it in the comment before the function: `@param {parameter} What to write there.`"
                    ),
                }
            }
            Self::NoType { parameter } => {
                let parameter = ShortName(parameter);
                match language {
                    Language::Python => {
                        format!("write the type beside it, such as `{parameter}: str`")
                    }
                    Language::JavaScript => format!(
                        "write the type in the comment before the function, such as `@param {{string}} {parameter} …`"
                    ),
                    Language::Rust | Language::TypeScript => {
                        format!("write the type beside it, such as `{parameter}: string`")
                    }
                }
            }
            Self::UnsupportedType { .. } => {
                "use text, numbers, booleans, lists, dictionaries, enumerations of this file, or unions of them".to_owned()
            }
            Self::UnknownName { .. } => {
                "define it in this file: other files are not read, and what only checkers import is not there".to_owned()
            }
            Self::Choices { .. } => {
                "write them as JSON: (choices: [\"one\", \"two\"])".to_owned()
            }
            Self::LeftOut { .. } => {
                "write it as a plain function, with types and documentation".to_owned()
            }
            Self::UnreadableDescription => {
                "write the character itself instead of `\\N{…}` or half a surrogate pair".to_owned()
            }
            Self::Computed { .. } => {
                "write it as a literal, or as a constant of this file; or name the package instead of the file, whose tools are listed by running it".to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;

    #[test]
    fn what_is_long_is_told_in_brief() {
        let deep = format!("{}int{}", "list[".repeat(50_000), "]".repeat(50_000));
        let long = "X".repeat(100_000);
        for (language, text) in [
            (
                Language::TypeScript,
                format!(
                    "/** F. */\nexport function f(a: {}string{}) {{}}",
                    "Array<".repeat(100_000),
                    ">".repeat(100_000)
                ),
            ),
            (
                Language::TypeScript,
                format!("/** F. */\nexport function {long}(a: {long}) {{}}"),
            ),
            (Language::Python, format!("def f(a: {deep}): 'F.'\n")),
            (Language::Python, format!("def f({long}): 'F.'\n")),
            (Language::Rust, format!("/// F.\npub fn f({long}: u8) {{}}")),
            (Language::Rust, format!("/// F.\npub fn f(a: {long}) {{}}")),
        ] {
            let functions = read(&text, language).expect("source code");
            let fault = functions[0].definition.clone().expect_err("a fault");
            let (message, hint) = (fault.to_string(), fault.kind.hint(language));
            assert!(message.len() < 1_000 && hint.len() < 1_000, "{message}");
        }
    }
}
