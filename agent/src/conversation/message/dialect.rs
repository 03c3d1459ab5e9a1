//! The enum `MessageDialect`: message formats of Transformers, OpenAI's two APIs and Anthropic.

use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

use crate::unknown_name::UnknownName;

/// A consumer's way of writing messages. Definitions of tools have more ways
/// ([`Dialect`](crate::definition::Dialect)): a strict schema changes no message, and MCP has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[derive(Display, EnumString, IntoStaticStr, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[strum(parse_err_ty = UnknownName, parse_err_fn = UnknownName::of::<MessageDialect>)]
pub enum MessageDialect {
    /// Hugging Face Transformers and its chat templates: arguments are objects.
    #[strum(serialize = "hf")]
    HuggingFace,
    /// OpenAI Chat Completions, and the servers that are compatible with it: arguments are the
    /// text of one.
    #[strum(serialize = "openai")]
    OpenAi,
    /// OpenAI Responses: a list of items.
    Responses,
    /// Anthropic Messages: the system's text apart, calls and results in blocks.
    Anthropic,
}

impl MessageDialect {
    /// Every dialect, in the order in which to list them.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// The dialect's name on a command line.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// True if both dialects belong to one provider, so that file ids are valid in both.
    pub(in crate::conversation) fn shares_files_with(self, other: Self) -> bool {
        let is_openai = |dialect| matches!(dialect, Self::OpenAi | Self::Responses);
        self == other || is_openai(self) && is_openai(other)
    }
}
