//! The enum `Backend`: servers (TGI, vLLM and others) that can enforce constraints on a model.

use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

use crate::unknown_name::UnknownName;

/// A server that can enforce a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[derive(Display, EnumString, IntoStaticStr, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[strum(parse_err_ty = UnknownName, parse_err_fn = UnknownName::of::<Backend>)]
pub enum Backend {
    /// Text Generation Inference: `grammar`, of `parameters` of `/generate`.
    Tgi,
    /// vLLM: `structured_outputs`.
    Vllm,
    /// The server of llama.cpp: `json_schema` or `grammar`.
    #[strum(serialize = "llama.cpp")]
    LlamaCpp,
    /// SGLang: `response_format`, `regex` or `ebnf`.
    Sglang,
    /// OpenAI: `response_format` with a strict schema, which
    /// [`from_strict`](crate::definition::export::from_strict) leads back from.
    #[strum(serialize = "openai")]
    OpenAi,
}

impl Backend {
    /// Every server, in the order in which to list them.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// The server's name on a command line.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
