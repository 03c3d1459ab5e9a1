//! Reads tool definitions from functions in files of Python, JavaScript, TypeScript and Rust.
//! They have the name, the description and the JSON Schemas that signatures and comments say. The
//! code is parsed and never run.
//!
//! For Python it says what `transformers.utils.get_json_schema` says of the same function.
//! This crate is pure: text in, definitions out.
//!
//! ```
//! use tool_hub_source::{Language, read};
//!
//! let text = r#"
//! def add(a: int, b: int = 1) -> int:
//!     """Adds two numbers.
//!
//!     Args:
//!         a: The first number.
//!         b: The second one.
//!     """
//!     return a + b
//! "#;
//! let functions = read(text, Language::Python)?;
//! let add = functions[0].definition.as_ref().expect("it is documented");
//! assert_eq!(add.description, "Adds two numbers.");
//! assert_eq!(add.parameters["properties"]["a"]["type"], "integer");
//! assert_eq!(add.parameters["required"], serde_json::json!(["a"]));
//! # Ok::<(), tool_hub_source::SourceError>(())
//! ```

mod definition;
mod description;
mod error;
mod framework;
mod function_count;
mod globals;
mod javascript;
mod language;
mod limits;
mod position;
mod python;
mod rust;
mod syntax;
mod uses;
mod withheld;

pub use definition::{Definition, Function, Signature};
pub use error::{Fault, FaultKind, SourceError};
pub use framework::{Framework, FrameworkTool, Setting};
pub use globals::uses_of_global;
pub use javascript::imports::module_imports;
pub use language::Language;
pub use limits::{FUNCTIONS_MAX, SOURCE_BYTES_MAX};
pub use position::Position;
pub use python::imports::{Import, ImportTime, imports};
pub use python::methods::{Method, methods};
pub use rust::signature::{RustSignature, RustType};
pub use uses::{Use, UseKind, uses};
pub use withheld::{Withheld, withheld};

/// The functions that `text` offers to others, in its order: in Python those at the top whose names
/// do not begin with `_`, in JavaScript and TypeScript those that are exported by such names, in
/// Rust those that are `pub`. A function that cannot be a tool as it stands says why and leaves the
/// others alone.
///
/// # Errors
/// When the text is too long, has too many functions, or is not written in `language`.
pub fn read(text: &str, language: Language) -> Result<Vec<Function>, SourceError> {
    if text.len() > SOURCE_BYTES_MAX {
        return Err(SourceError::TooLong { bytes: text.len() });
    }
    match language {
        Language::Python => python::read(text),
        Language::JavaScript | Language::TypeScript => javascript::read(text, language),
        Language::Rust => rust::read(text),
    }
}
