//! Function definitions for models: export, import, declarations, interfaces, examples, lint.
//! Also wrapped and stored results.
//!
//! They are written in the dialects of model APIs, declared for agents that write code, checked by
//! a lint, shortened, and read from other sources. A [`Loss`](crate::definition::Loss) is a part
//! that a dialect cannot express.

mod comment;
pub mod condense;
pub mod declare;
mod dialect;
pub mod example;
pub mod export;
pub mod gradio;
pub mod import;
pub mod interface;
mod keyword_text;
pub mod lint;
mod loss;
mod media_schema;
pub mod openapi;
pub mod random_arguments;
mod report;
pub mod result;
pub mod stored_result;
pub mod stored_result_schema;

pub use dialect::Dialect;
pub use loss::{Loss, LossKind};
