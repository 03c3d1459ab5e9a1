//! The formats that a constraint is written in.

use std::fmt;
use std::str::FromStr;

/// A way of writing a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// JSON Schema (2020-12).
    JsonSchema,
    /// A regular expression that is meant to match all of a text.
    Regex,
    /// The grammars of llama.cpp, which XGrammar reads as well.
    Gbnf,
    /// The grammars of llguidance.
    Lark,
}

/// A text names no format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is no format: use json-schema, regex, gbnf or lark", .text.escape_default())]
pub struct UnknownFormat {
    /// The text.
    pub text: String,
}

impl Format {
    /// Every format, in the order in which to list them.
    pub const ALL: [Self; 4] = [Self::JsonSchema, Self::Regex, Self::Gbnf, Self::Lark];

    /// The format's name on a command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::JsonSchema => "json-schema",
            Self::Regex => "regex",
            Self::Gbnf => "gbnf",
            Self::Lark => "lark",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.as_str() == text)
            .ok_or_else(|| UnknownFormat {
                text: text.to_owned(),
            })
    }
}

/// A character by its number, as GBNF and the regular expressions of Rust and Python read it.
pub(super) fn code(character: char) -> String {
    match u32::from(character) {
        number @ 0..=0xff => format!("\\x{number:02X}"),
        number @ 0x100..=0xffff => format!("\\u{number:04X}"),
        number => format!("\\U{number:08X}"),
    }
}
