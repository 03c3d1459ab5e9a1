//! Parses JSON arguments straight into component values.
//!
//! One visitor serves every type: what JSON holds decides which method is called, and the type
//! decides whether that is acceptable. The first error is noted with its path by the innermost
//! value that meets it.

mod base64;
pub(crate) mod error;
mod scalar;
mod value;

use serde::de::DeserializeSeed as _;
use serde_json::error::Category;
use wasmtime::component::Val;

use crate::values::json::read::error::{ArgumentError, Context, Path};
use crate::values::json::read::value::{Members, Value};
use crate::values::types::{Field, Type};

/// Returns `text`, the arguments for a function that takes JSON, once it is known to be an object.
pub(crate) fn object(text: &str) -> Result<String, ArgumentError> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    let refused = |message: String| ArgumentError {
        path: String::new(),
        message,
        fix: Some("send one JSON object with an entry for each argument".into()),
    };
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Err(error) => Err(refused(format!(
            "the arguments are not valid JSON: {error}"
        ))),
        Ok(_) if text.trim_start().starts_with('{') => Ok(text.to_owned()),
        Ok(_) => Err(refused("the arguments should be a JSON object".to_owned())),
    }
}

/// Parses `text`, a JSON object, into the values of `parameters`.
pub(crate) fn arguments(parameters: &[Field], text: &str) -> Result<Vec<Val>, ArgumentError> {
    // Agents send nothing at all to functions that take nothing.
    let text = if text.trim().is_empty() { "{}" } else { text };
    // The text is bounded, and only for calls that were admitted is it read.
    let context = Context::with_room(u64::MAX);
    let seed = Members {
        fields: parameters,
        context: &context,
        path: &Path::Root,
    };
    let mut json = serde_json::Deserializer::from_str(text);
    let parsed = seed
        .deserialize(&mut json)
        .and_then(|members| json.end().map(|()| members));
    match parsed {
        Ok(members) => Ok(members.into_iter().map(|(_, value)| value).collect()),
        Err(error) => Err(context.into_error().unwrap_or_else(|| ArgumentError {
            path: String::new(),
            message: match error.classify() {
                Category::Data => "the arguments should be a JSON object".to_owned(),
                _ => format!("the arguments are not valid JSON: {error}"),
            },
            fix: Some("send one JSON object with an entry for each argument".into()),
        })),
    }
}

/// Parses `text` into a value of type `ty` that takes at most `bytes_max` in memory. The error is
/// in words.
pub(crate) fn value(ty: &Type, text: &str, bytes_max: u64) -> Result<Val, String> {
    let context = Context::with_room(bytes_max);
    let seed = Value {
        ty,
        context: &context,
        path: &Path::Root,
    };
    let mut json = serde_json::Deserializer::from_str(text);
    let parsed = seed
        .deserialize(&mut json)
        .and_then(|value| json.end().map(|()| value));
    parsed.map_err(|error| match context.into_error() {
        Some(noted) if noted.path.is_empty() => noted.message,
        Some(noted) => format!("`{}` {}", noted.path, noted.message),
        None => error.to_string(),
    })
}
