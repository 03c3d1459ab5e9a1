//! What a dialect cannot say, told instead of silently dropped.

use std::fmt;

/// Something about one function that a dialect loses or limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The function, by the name agents see.
    pub function: String,
    /// What became of it.
    pub lost: Lost,
}

/// What is lost or limited.
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
        /// How long it was, in characters.
        characters: usize,
        /// How long it may be, in characters.
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
        /// Where, as a JSON pointer into the schema.
        pointer: String,
        /// The keyword that is missing.
        keyword: &'static str,
    },
    /// The consumer refuses a keyword at the root of the arguments' schema.
    RootKeywordRefused {
        /// The keyword.
        keyword: &'static str,
    },
}

impl Lost {
    /// Whether the consumer will refuse the definition as it stands.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::NameRefused { .. } | Self::RootKeywordRefused { .. }
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
            Self::RootKeywordRefused { keyword } => write!(
                f,
                "`{keyword}` at the root of the arguments will be refused"
            ),
        }
    }
}
