//! The `ValueType` enum: types of inputs and outputs, by the names that manifests use.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The type of an input or output: the vocabulary of the Hub's tools. It says what an
/// agent should think of the value; the exact JSON Schema is made from the component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueType {
    /// A string.
    Text,
    /// A picture: media type and base64 data.
    Image,
    /// A sound: media type and base64 data.
    Audio,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// A list.
    Array,
    /// An object with named members.
    Object,
    /// Anything.
    Any,
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Array => "array",
            Self::Object => "object",
            Self::Any => "any",
        })
    }
}
