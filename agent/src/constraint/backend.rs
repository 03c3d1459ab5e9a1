//! The servers that hold models to constraints.

use std::fmt;
use std::str::FromStr;

/// A server that holds a model to a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// Text Generation Inference: `grammar`, of `parameters` of `/generate`.
    Tgi,
    /// vLLM: `structured_outputs`.
    Vllm,
    /// The server of llama.cpp: `json_schema` or `grammar`.
    LlamaCpp,
    /// SGLang: `response_format`, `regex` or `ebnf`.
    Sglang,
    /// OpenAI: `response_format` with a strict schema, which
    /// [`from_strict`](crate::definition::export::from_strict) leads back from.
    OpenAi,
}

/// A text names no server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is no backend: use tgi, vllm, llama.cpp, sglang or openai", .text.escape_default())]
pub struct UnknownBackend {
    /// The text.
    pub text: String,
}

impl Backend {
    /// Every server, in the order in which to list them.
    pub const ALL: [Self; 5] = [
        Self::Tgi,
        Self::Vllm,
        Self::LlamaCpp,
        Self::Sglang,
        Self::OpenAi,
    ];

    /// The server's name on a command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tgi => "tgi",
            Self::Vllm => "vllm",
            Self::LlamaCpp => "llama.cpp",
            Self::Sglang => "sglang",
            Self::OpenAi => "openai",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Backend {
    type Err = UnknownBackend;

    fn from_str(text: &str) -> Result<Self, UnknownBackend> {
        Self::ALL
            .into_iter()
            .find(|backend| backend.as_str() == text)
            .ok_or_else(|| UnknownBackend {
                text: text.to_owned(),
            })
    }
}
