//! The name of a caller, checked when it is parsed, as the audit log records it.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::access_error::AccessError;

/// The longest name of a caller.
const NAME_CHARACTERS_MAX: usize = 64;

/// The name of a caller in the audit log: 1 to 64 of `A-Z`, `a-z`, `0-9`, `.`, `_`, `@` and `-`.
/// Cloning is cheap.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallerName(Arc<str>);

impl CallerName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CallerName {
    type Err = AccessError;

    fn from_str(text: &str) -> Result<Self, AccessError> {
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"._@-".contains(&byte);
        if !(1..=NAME_CHARACTERS_MAX).contains(&text.len()) || !text.bytes().all(is_known) {
            return Err(AccessError::CallerName {
                name: text.chars().take(NAME_CHARACTERS_MAX).collect(),
            });
        }
        Ok(Self(text.into()))
    }
}

impl fmt::Display for CallerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_a_log_cannot_show_is_refused() {
        for name in ["", "a b", "a\n", "é", &"a".repeat(65)] {
            assert!(name.parse::<CallerName>().is_err(), "{name}");
        }
    }
}
