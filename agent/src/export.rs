//! Tool definitions in a dialect, with a report of what the dialect loses.

mod anthropic;
mod deferred;
mod hf;
mod mcp;
mod openai;
mod responses;
pub(crate) mod strict;

use serde_json::{Map, Value};
use tool_hub_manifest::{Annotations, FunctionSpec};

use crate::{Dialect, Loss, Lost};

/// Tool definitions and what was lost on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// An array with one definition for each function, in the order of the functions: the
    /// value of the request's member `tools`.
    pub tools: Value,
    /// What the dialect loses or limits, in the order of the functions.
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

/// Collects what one function loses.
pub(crate) struct Report<'a> {
    pub(crate) function: &'a str,
    pub(crate) losses: &'a mut Vec<Loss>,
}

impl Report<'_> {
    pub(crate) fn add(&mut self, lost: Lost) {
        self.losses.push(Loss {
            function: self.function.to_owned(),
            lost,
        });
    }

    pub(crate) fn told_in_words(&mut self, pointer: &str, keyword: &str) {
        self.add(Lost::ToldInWords {
            pointer: pointer.to_owned(),
            keyword: keyword.to_owned(),
        });
    }

    pub(crate) fn weakened(&mut self, pointer: &str, keyword: &str) {
        self.add(Lost::SchemaWeakened {
            pointer: pointer.to_owned(),
            keyword: keyword.to_owned(),
        });
    }

    /// The members of a spec that only MCP has a place for.
    fn add_title_and_annotations(&mut self, spec: &FunctionSpec) {
        if spec.title.is_some() {
            self.add(Lost::Title);
        }
        if spec.annotations != Annotations::default() {
            self.add(Lost::Annotations);
        }
    }

    fn check_name(&mut self, length_max: usize, extra: &[u8], rule: &'static str) {
        let valid = (1..=length_max).contains(&self.function.len())
            && self
                .function
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || extra.contains(&byte));
        if !valid {
            self.add(Lost::NameRefused { rule });
        }
    }

    fn check_root(&mut self, schema: &Value, refused: &[&'static str]) {
        for keyword in refused {
            if schema.get(keyword).is_some() {
                self.add(Lost::RootKeywordRefused { keyword });
            }
        }
    }
}

/// An object of `members`, in their order.
pub(crate) fn object<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

#[cfg(test)]
mod tests;
