//! Reads OpenAPI documents: their operations, a choice of these, and functions that call them.
//!
//! Versions 3.0 and 3.1 are read, from a value that came as JSON or YAML. A document of a
//! thousand operations is never a thousand functions: a [`Choice`] says which are wanted. An
//! operation that no function can call is left out with its reason.

mod body;
mod choice;
mod credential;
mod document;
mod error;
mod function;
mod listing;
mod name;
mod operation;
mod parameter;
mod place;
mod response;
mod schema;
mod server;
mod text;

pub use body::{ApiBody, BodyKind};
pub use choice::{CHOSEN_MAX, Choice, ChoiceError};
pub use credential::{ApiCredential, CredentialPlace};
pub use document::OpenApiDocument;
pub use error::OpenApiError;
pub use function::{ApiFunction, ApiFunctions};
pub use operation::ApiOperation;
pub use place::{ApiArgument, ApiPlace, ApiStyle};

#[cfg(test)]
mod tests;
