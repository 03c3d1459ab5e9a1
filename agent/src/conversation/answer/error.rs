//! The error for an unknown or invalid format of answers.

use super::families;

/// A format of answers is unknown or invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// No family has this name.
    #[error("there is no format `{name}`: expected one of {}", names().join(", "))]
    Unknown {
        /// The requested name.
        name: String,
    },
    /// The model's own template cannot be read, or could take too long.
    #[error("the model's `response_template` cannot be used: {reason}")]
    Template {
        /// The reason.
        reason: String,
    },
}

fn names() -> Vec<&'static str> {
    families::all().map(|family| family.name).collect()
}
