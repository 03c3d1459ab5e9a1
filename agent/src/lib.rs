//! Text for models and from them: tool definitions, conversations, answers, constraints, prompts.
//!
//! Definitions are in the dialects that agents read, conversations as a model's own chat template
//! prints them. Prompts ask for code, and failures are written so that a model can mend its call.
//!
//! This crate is pure: text and values in, text and values out.
//!
//! ```
//! use serde_json::json;
//! use tool_hub_agent::definition::Dialect;
//! use tool_hub_agent::definition::export::export;
//! use tool_hub_manifest::{Annotations, FunctionSpec};
//!
//! let spec = FunctionSpec {
//!     name: "count_words".into(),
//!     title: None,
//!     description: "Counts the words of `text`.".into(),
//!     input_schema: json!({"type": "object", "properties": {"text": {"type": "string"}}}),
//!     output_schema: Some(json!({"type": "integer"})),
//!     annotations: Annotations::default(),
//! };
//! let export = export(&[spec], Dialect::Anthropic);
//! assert_eq!(export.tools[0]["input_schema"]["type"], "object");
//! assert_eq!(export.losses.len(), 1); // Anthropic has no place for the output schema.
//! ```

/// Characters that text for a terminal or a model must not contain as they are.
pub mod characters;
/// Grammars and schemas that hold a model to an answer, and the requests that carry them.
pub mod constraint;
/// Messages, chat templates, and the answers of models, read and repaired.
pub mod conversation;
/// Tool definitions in the dialects of the APIs, as declarations, examples and lint.
pub mod definition;
/// Prompts for models that answer with code.
pub mod prompt;
mod schema;
mod unknown_name;

pub use unknown_name::UnknownName;
