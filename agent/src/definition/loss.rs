//! What a dialect cannot say, told instead of silently dropped.

use std::fmt;

/// Something about one function that a dialect loses or limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The function, by the name agents see.
    pub function: String,
    /// The loss.
    pub lost: Lost,
}

/// A kind of loss or limit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lost {
    /// The dialect has no place for a name for people.
    Title,
    /// The dialect has no place for the shape of the result.
    OutputSchema,
    /// The dialect has no place for hints such as "changes nothing".
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
    /// Less may be written than the schema allows, where a grammar cannot hold all of it.
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
    /// A keyword that the dialect lacks is told in the description instead.
    ToldInWords {
        /// The JSON pointer into the schema.
        pointer: String,
        /// The keyword.
        keyword: String,
    },
    /// Arguments are written in another shape, from which
    /// [`from_strict`](super::export::from_strict)
    /// leads back.
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
    /// The name cannot be used where the definition goes, and another one stands for it.
    Renamed {
        /// The JSON pointer into the schema; empty for the function itself.
        pointer: String,
        /// The name that stands for it.
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

impl Lost {
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
        write!(f, "{}: {}", self.function, self.lost)
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Title => f.write_str("the title has no place"),
            Self::OutputSchema => f.write_str("the output schema has no place"),
            Self::Annotations => f.write_str("the behaviour hints have no place"),
            Self::DescriptionCut {
                characters,
                characters_max,
            } => write!(
                f,
                "the description has {characters} characters and is cut to {characters_max}"
            ),
            Self::NameRefused { rule } => write!(f, "the name will be refused: {rule}"),
            Self::SchemaWeakened { pointer, keyword } => {
                write!(f, "`{keyword}` at `{pointer}` is weakened")
            }
            Self::Narrowed { pointer, keyword } => {
                write!(
                    f,
                    "less may be written at `{pointer}` than `{keyword}` allows"
                )
            }
            Self::Impossible { pointer } => {
                write!(f, "no value is valid at `{pointer}`, so it is left out")
            }
            Self::ToldInWords { pointer, keyword } => {
                write!(f, "`{keyword}` at `{pointer}` is told in words")
            }
            Self::Reshaped { pointer, into } if pointer.is_empty() => {
                write!(f, "the arguments as a whole are written as {into}")
            }
            Self::Reshaped { pointer, into } => {
                write!(f, "the value at `{pointer}` is written as {into}")
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
