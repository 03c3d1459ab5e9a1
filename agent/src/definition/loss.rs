//! The losses when a definition is written in another dialect, a language, a grammar or WIT.

use std::fmt;

use crate::schema::place_phrase::at;

/// A part of a function's definition that a dialect loses or limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The function, by the name agents see.
    pub function: String,
    /// The loss.
    pub kind: LossKind,
}

/// A kind of loss or limit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LossKind {
    /// The title is left out.
    Title,
    /// The output schema is left out.
    OutputSchema,
    /// The behaviour hints are left out.
    Annotations,
    /// The description was cut at a word.
    DescriptionCut {
        /// The length, in characters.
        characters: usize,
        /// The longest length allowed, in characters.
        characters_max: usize,
    },
    /// The consumer will refuse the name. It is left as it is, since a changed name could
    /// not be traced back to the function.
    NameRefused {
        /// The rule it breaks.
        rule: &'static str,
    },
    /// The schema of the arguments was made weaker where the dialect lacks a keyword.
    SchemaWeakened {
        /// The JSON pointer into the schema.
        pointer: String,
        /// The keyword that is missing.
        keyword: String,
    },
    /// A grammar allows less than the schema.
    Narrowed {
        /// The JSON pointer into the schema.
        pointer: String,
        /// The keyword that allows more.
        keyword: String,
    },
    /// The schema allows no value here, so this part can never be written.
    Impossible {
        /// The place, as a JSON pointer into the schema.
        pointer: String,
    },
    /// A keyword that the dialect lacks is described in words.
    ToldInWords {
        /// The JSON pointer into the schema.
        pointer: String,
        /// The keyword.
        keyword: String,
    },
    /// Arguments are written in another shape, which [`from_strict`](super::export::from_strict)
    /// converts back.
    Reshaped {
        /// The JSON pointer into the schema.
        pointer: String,
        /// The form that is written instead.
        into: &'static str,
    },
    /// A member may be left out, which is not the same as `null`, and only `null` can be written.
    AbsentIsNull {
        /// The JSON pointer into the schema.
        pointer: String,
    },
    /// The name is not allowed in the target and is replaced.
    Renamed {
        /// The JSON pointer into the schema; empty for the function itself.
        pointer: String,
        /// The replacement.
        to: String,
    },
    /// The schema is larger than the consumer takes.
    TooLarge {
        /// The things that were counted.
        what: &'static str,
        /// The count.
        count: usize,
        /// The most that are allowed.
        count_max: usize,
    },
    /// The consumer refuses a keyword at the root of the arguments' schema.
    RootKeywordRefused {
        /// The keyword.
        keyword: &'static str,
    },
}

impl LossKind {
    /// True if the consumer will refuse the definition.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::NameRefused { .. } | Self::RootKeywordRefused { .. } | Self::TooLarge { .. }
        )
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.function, self.kind)
    }
}

impl fmt::Display for LossKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Title => f.write_str("the title is left out"),
            Self::OutputSchema => f.write_str("the output schema is left out"),
            Self::Annotations => f.write_str("the behaviour hints are left out"),
            Self::DescriptionCut {
                characters,
                characters_max,
            } => write!(
                f,
                "the description has {characters} characters and is cut to {characters_max}"
            ),
            Self::NameRefused { rule } => write!(f, "the name will be refused: {rule}"),
            Self::SchemaWeakened { pointer, keyword } => {
                write!(f, "`{keyword}`{} is weakened", at(pointer))
            }
            Self::Narrowed { pointer, keyword } => {
                write!(
                    f,
                    "less may be written{} than `{keyword}` allows",
                    at(pointer)
                )
            }
            Self::Impossible { pointer } => {
                write!(f, "no value is valid{}, so it is left out", at(pointer))
            }
            Self::ToldInWords { pointer, keyword } => {
                write!(f, "`{keyword}`{} is described in words", at(pointer))
            }
            Self::Reshaped { pointer, into } if pointer.is_empty() => {
                write!(f, "the arguments as a whole are written as {into}")
            }
            Self::Reshaped { pointer, into } => {
                write!(f, "the value{} is written as {into}", at(pointer))
            }
            Self::AbsentIsNull { pointer } => {
                write!(f, "leaving out `{pointer}` is the same as null")
            }
            Self::Renamed { pointer, to } if pointer.is_empty() => {
                write!(f, "the name becomes `{to}`")
            }
            Self::Renamed { pointer, to } => write!(f, "the name at `{pointer}` becomes `{to}`"),
            Self::TooLarge {
                what,
                count,
                count_max,
            } => write!(f, "{count} {what} will be refused: at most {count_max}"),
            Self::RootKeywordRefused { keyword } => write!(
                f,
                "`{keyword}` at the root of the arguments will be refused"
            ),
        }
    }
}
