//! An OpenAPI document, its version, and the places that its references name.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::error::{OpenApiError, PartError};

/// References that may follow one another without a value in between.
const HOPS_MAX: usize = 16;
/// The longest reference, path or name of a document that is repeated in a message.
const SHOWN_CHARACTERS_MAX: usize = 120;

/// An OpenAPI document of version 3.0 or 3.1.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenApiDocument {
    root: Value,
}

impl OpenApiDocument {
    /// The document whose JSON or YAML has this value.
    ///
    /// # Errors
    /// When it is not an OpenAPI document, or one of another version.
    pub fn new(root: Value) -> Result<Self, OpenApiError> {
        let version = |name: &str| match root.get(name)? {
            Value::String(text) => Some(text.chars().take(SHOWN_CHARACTERS_MAX).collect()),
            // YAML reads an unquoted version as a number.
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let found: String = match (version("openapi"), version("swagger")) {
            (Some(version), _) | (None, Some(version)) => version,
            (None, None) => return Err(OpenApiError::Foreign),
        };
        match found.starts_with("3.0") || found.starts_with("3.1") {
            true => Ok(Self { root }),
            false => Err(OpenApiError::Version { version: found }),
        }
    }

    /// The name of the API, where the document has one.
    pub fn title(&self) -> Option<&str> {
        let title = self.root.get("info")?.get("title")?.as_str()?.trim();
        (!title.is_empty()).then_some(title)
    }

    pub(super) fn root(&self) -> &Value {
        &self.root
    }

    /// The value itself, or what its `$ref` leads to; `pointer` is its place, for the error.
    pub(super) fn resolve<'a>(
        &'a self,
        value: &'a Value,
        pointer: &str,
    ) -> Result<&'a Value, PartError> {
        let mut value = value;
        for _ in 0..HOPS_MAX {
            match value.get("$ref").and_then(Value::as_str) {
                None => return Ok(value),
                Some(reference) => value = self.target(reference, pointer)?,
            }
        }
        Err(lost(value["$ref"].as_str().unwrap_or_default(), pointer))
    }

    /// The value that a reference names.
    pub(super) fn target(&self, reference: &str, pointer: &str) -> Result<&Value, PartError> {
        let Some(fragment) = reference.strip_prefix('#') else {
            return Err(PartError::External {
                reference: shown(reference),
                pointer: shown(pointer),
            });
        };
        let decoded = percent_decode_str(fragment).decode_utf8();
        self.root
            .pointer(&decoded.unwrap_or(Cow::Borrowed(fragment)))
            .ok_or_else(|| lost(reference, pointer))
    }
}

fn lost(reference: &str, pointer: &str) -> PartError {
    PartError::Lost {
        reference: shown(reference),
        pointer: shown(pointer),
    }
}

/// A stranger's name as messages repeat it.
pub(super) fn shown(text: &str) -> String {
    let escaped = text.chars().take(SHOWN_CHARACTERS_MAX);
    escaped.flat_map(char::escape_debug).collect()
}
