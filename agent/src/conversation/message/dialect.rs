//! The dialects in which conversations are written.

use std::fmt;
use std::str::FromStr;

/// A consumer's way of writing messages. Definitions of tools have more ways
/// ([`Dialect`](crate::definition::Dialect)): a strict schema changes no message, and MCP has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MessageDialect {
    /// Hugging Face Transformers and its chat templates: arguments are objects.
    HuggingFace,
    /// OpenAI Chat Completions, and the servers that are compatible with it: arguments are the
    /// text of one.
    OpenAi,
    /// OpenAI Responses: a list of items.
    Responses,
    /// Anthropic Messages: the system's text apart, calls and results in blocks.
    Anthropic,
}

/// A text names no dialect of messages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a dialect of messages: use hf, openai, responses or anthropic", .text.escape_default())]
pub struct UnknownMessageDialect {
    /// The text.
    pub text: String,
}

impl MessageDialect {
    /// Every dialect, in the order in which to list them.
    pub const ALL: [Self; 4] = [
        Self::HuggingFace,
        Self::OpenAi,
        Self::Responses,
        Self::Anthropic,
    ];

    /// The dialect's name on a command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::HuggingFace => "hf",
            Self::OpenAi => "openai",
            Self::Responses => "responses",
            Self::Anthropic => "anthropic",
        }
    }

    /// Whether the two are of one provider, who knows the same files in both.
    pub(in crate::conversation) fn shares_files_with(self, other: Self) -> bool {
        let is_openai = |dialect| matches!(dialect, Self::OpenAi | Self::Responses);
        self == other || is_openai(self) && is_openai(other)
    }
}

impl fmt::Display for MessageDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for MessageDialect {
    type Err = UnknownMessageDialect;

    fn from_str(text: &str) -> Result<Self, UnknownMessageDialect> {
        let found = Self::ALL.into_iter().find(|it| it.as_str() == text);
        found.ok_or_else(|| UnknownMessageDialect {
            text: text.to_owned(),
        })
    }
}
