//! The enum `Dialect`: formats of tool definitions of OpenAI, Anthropic, MCP and Transformers.

use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

use crate::unknown_name::UnknownName;

/// A consumer's way of writing tool definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[derive(Display, EnumString, IntoStaticStr, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[strum(parse_err_ty = UnknownName, parse_err_fn = UnknownName::of::<Dialect>)]
pub enum Dialect {
    /// OpenAI Chat Completions: `{"type": "function", "function": {…}}`. Most
    /// OpenAI-compatible servers (TGI, vLLM, llama.cpp) read the same.
    #[strum(serialize = "openai")]
    OpenAi,
    /// OpenAI Chat Completions with `"strict": true`: the model can write nothing but
    /// arguments of the right shape. [`from_strict`](super::export::from_strict) reads them.
    #[strum(serialize = "openai-strict")]
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
    #[strum(serialize = "hf")]
    HuggingFace,
}

impl Dialect {
    /// Every dialect, in the order in which to list them.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// The dialect's name on a command line.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for &dialect in Dialect::ALL {
            assert_eq!(dialect.as_str().parse(), Ok(dialect));
        }
        assert_eq!(
            "gpt\n".parse::<Dialect>().unwrap_err().to_string(),
            "expected one of `openai`, `openai-strict`, `responses`, `responses-strict`, \
             `anthropic`, `mcp`, `hf`, found `gpt\\n`"
        );
    }
}
