//! The types of the lint: a `Finding` about a function, and the `Rule` that it breaks.

use std::fmt;

use serde::Serialize;

/// Something that a model may stumble over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The function.
    pub function: String,
    /// The argument, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// The rule.
    pub rule: Rule,
    /// The problem.
    pub message: String,
    /// The suggestion.
    pub instead: String,
}

/// A rule of the lint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// The description only repeats the name.
    Purpose,
    /// The description does not say what comes back.
    Returns,
    /// An argument with a form of its own has no example.
    Example,
    /// The first sentence, by which a model chooses a function, is too long.
    Long,
    /// Two descriptions say nearly the same.
    Overlap,
    /// Two names are nearly the same.
    Confusable,
    /// The name of an argument is meaningless.
    ArgumentName,
    /// A call needs many arguments.
    ManyRequired,
    /// The schema does not describe a value's shape, or uses keywords that consumers refuse.
    Shapeless,
}

impl Rule {
    /// The rule's name, as it is written for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Purpose => "purpose",
            Self::Returns => "returns",
            Self::Example => "example",
            Self::Long => "long",
            Self::Overlap => "overlap",
            Self::Confusable => "confusable",
            Self::ArgumentName => "argument-name",
            Self::ManyRequired => "many-required",
            Self::Shapeless => "shapeless",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
