//! The languages of declarations, and the identifiers that stand for names in them.

use std::fmt;
use std::str::FromStr;

use super::{identifier, reserved};

/// A programming language that agents write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// A `.d.ts` module of functions that take one object and return a promise.
    TypeScript,
    /// A `.pyi` stub of functions with keyword arguments, for Python 3.11 and later.
    Python,
}

/// A text names no language.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a language of declarations: use typescript or python", .text.escape_default())]
pub struct UnknownLanguage {
    /// The text.
    pub text: String,
}

impl Language {
    /// Every language, in the order in which to list them.
    pub const ALL: [Self; 2] = [Self::TypeScript, Self::Python];

    /// The language's name on a command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TypeScript => "typescript",
            Self::Python => "python",
        }
    }

    /// The identifier that stands for the function `name` in declarations: the name itself
    /// wherever the language allows it. No two names share an identifier, and
    /// [`name`](Self::name) leads back.
    pub fn identifier(self, name: &str) -> String {
        identifier::of(name, self.reserved())
    }

    /// The name that `identifier` stands for.
    pub fn name(self, identifier: &str) -> String {
        identifier::name_of(identifier, self.reserved())
    }

    /// What stands for the argument `name` in declarations: in TypeScript the name, because a
    /// member of an object may have any, else an identifier.
    pub fn argument(self, name: &str) -> String {
        match self {
            Self::TypeScript => name.to_owned(),
            Self::Python => self.identifier(name),
        }
    }

    /// The name of the argument that is written as `argument`.
    pub fn argument_name(self, argument: &str) -> String {
        match self {
            Self::TypeScript => argument.to_owned(),
            Self::Python => self.name(argument),
        }
    }

    fn reserved(self) -> &'static [&'static str] {
        match self {
            Self::TypeScript => &reserved::TYPESCRIPT,
            Self::Python => &reserved::PYTHON,
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(text: &str) -> Result<Self, UnknownLanguage> {
        let mut all = Self::ALL.into_iter();
        all.find(|language| language.as_str() == text)
            .ok_or_else(|| UnknownLanguage {
                text: text.to_owned(),
            })
    }
}
