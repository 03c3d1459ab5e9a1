//! Declares functions for agents that write code: a TypeScript module or a Python stub.

mod comments;
mod identifier;
mod language;
mod python;
mod reserved;
mod typescript;
mod union;

use tool_hub_manifest::FunctionSpec;

pub use language::Language;

use crate::definition::loss::Loss;

/// Declarations and what was lost on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declarations {
    /// The whole file.
    pub text: String,
    /// The parts that the language cannot express, in the order of the functions.
    pub losses: Vec<Loss>,
}

/// Declares `specs` in `language`, in their order.
///
/// Descriptions become comments, which no text can end early; bounds that no type can say
/// are in them too. What is weakened or renamed is in the report.
pub fn declare(specs: &[FunctionSpec], language: Language) -> Declarations {
    let mut losses = Vec::new();
    let text = match language {
        Language::TypeScript => typescript::module(specs, &mut losses),
        Language::Python => python::stub(specs, &mut losses),
    };
    Declarations { text, losses }
}

#[cfg(test)]
mod tests;
