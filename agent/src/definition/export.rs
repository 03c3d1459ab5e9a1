//! Writes tool definitions for OpenAI, Anthropic, MCP or Transformers, and reports what is lost.

mod anthropic;
mod deferred;
mod hf;
mod mcp;
mod object;
mod openai;
mod responses;
mod restore;
mod strict;

use serde_json::Value;
use tool_hub_manifest::FunctionSpec;

use crate::definition::dialect::Dialect;
use crate::definition::loss::Loss;
use crate::definition::report::Report;
pub use restore::from_strict;

/// Tool definitions and what was lost on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// An array with one definition for each function, in the order of the functions: the
    /// value of the request's member `tools`.
    pub tools: Value,
    /// The parts that the dialect loses or limits, in the order of the functions.
    pub losses: Vec<Loss>,
}

/// Writes the definitions of `specs` in `dialect`.
///
/// Nothing is dropped silently: what the dialect has no place for, shortens, weakens or
/// will refuse is in the report. Names are never changed, so a call always leads back to
/// its function.
pub fn export(specs: &[FunctionSpec], dialect: Dialect) -> Export {
    let write = match dialect {
        Dialect::OpenAi => openai::definition,
        Dialect::OpenAiStrict => openai::strict,
        Dialect::Responses => responses::definition,
        Dialect::ResponsesStrict => responses::strict,
        Dialect::Anthropic => anthropic::definition,
        Dialect::Mcp => mcp::definition,
        Dialect::HuggingFace => hf::definition,
    };
    let mut losses = Vec::new();
    let tools = specs
        .iter()
        .map(|spec| {
            let mut report = Report {
                function: &spec.name,
                losses: &mut losses,
            };
            Value::Object(write(spec, &mut report))
        })
        .collect();
    Export { tools, losses }
}

#[cfg(test)]
mod tests;
