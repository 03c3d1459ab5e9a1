//! The error for a text that is not the name of an enum's variant.

use strum::VariantNames;

/// The text is not one of the names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected one of `{}`, found `{}`", .expected.join("`, `"), .found.escape_default())]
pub struct UnknownName {
    /// The names.
    pub expected: &'static [&'static str],
    /// The text.
    pub found: String,
}

impl UnknownName {
    pub(crate) fn of<T: VariantNames>(found: &str) -> Self {
        Self {
            expected: T::VARIANTS,
            found: found.to_owned(),
        }
    }
}
