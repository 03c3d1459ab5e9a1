//! The dialects in which tool definitions are written.

use std::fmt;
use std::str::FromStr;

/// A consumer's way of writing tool definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI Chat Completions: `{"type": "function", "function": {…}}`. Most
    /// OpenAI-compatible servers (TGI, vLLM, llama.cpp) read the same.
    OpenAi,
    /// OpenAI Chat Completions with `"strict": true`: the model can write nothing but
    /// arguments of the right shape. [`from_strict`](super::export::from_strict) reads them.
    OpenAiStrict,
    /// OpenAI Responses: the members of a function beside `"type": "function"`.
    Responses,
    /// OpenAI Responses with `"strict": true`.
    ResponsesStrict,
    /// Anthropic Messages: `{"name", "description", "input_schema"}`.
    Anthropic,
    /// The tool objects of the Model Context Protocol's `tools/list`.
    Mcp,
    /// Hugging Face Transformers and its chat templates: OpenAI's shape with `return`.
    HuggingFace,
}

/// A text names no dialect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a dialect: use openai, openai-strict, responses, responses-strict, anthropic, mcp or hf", .text.escape_default())]
pub struct UnknownDialect {
    /// The text.
    pub text: String,
}

impl Dialect {
    /// Every dialect, in the order in which to list them.
    pub const ALL: [Self; 7] = [
        Self::OpenAi,
        Self::OpenAiStrict,
        Self::Responses,
        Self::ResponsesStrict,
        Self::Anthropic,
        Self::Mcp,
        Self::HuggingFace,
    ];

    /// The dialect's name on a command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenAiStrict => "openai-strict",
            Self::Responses => "responses",
            Self::ResponsesStrict => "responses-strict",
            Self::Anthropic => "anthropic",
            Self::Mcp => "mcp",
            Self::HuggingFace => "hf",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(text: &str) -> Result<Self, UnknownDialect> {
        Self::ALL
            .into_iter()
            .find(|dialect| dialect.as_str() == text)
            .ok_or_else(|| UnknownDialect {
                text: text.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.as_str().parse(), Ok(dialect));
        }
        assert_eq!(
            "gpt\n".parse::<Dialect>().unwrap_err().to_string(),
            "`gpt\\n` is not a dialect: use openai, openai-strict, responses, responses-strict, \
             anthropic, mcp or hf"
        );
    }
}
