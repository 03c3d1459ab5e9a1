//! Access tokens of a registry, checked when parsed.
//! Their `Debug` form does not show them.

use std::fmt;
use std::str::FromStr;

use crate::limits::TOKEN_BYTES_MAX;

/// An access token for one endpoint. Printing it, also with `{:?}`, prints a mask.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// A text cannot be a token. The text itself is not repeated: it may be a secret with a
/// typing error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// Nothing was given.
    #[error("the token is empty")]
    Empty,
    /// More was given than any registry issues.
    #[error("the token has {bytes} bytes, at most {TOKEN_BYTES_MAX} are accepted")]
    TooLong {
        /// The number of bytes that were given.
        bytes: usize,
    },
    /// A character that no token has: a space, a line break, a control or non-ASCII character.
    #[error("character {position} of the token is not a visible ASCII character")]
    Character {
        /// The number of the character, counted from 1.
        position: usize,
    },
}

impl Token {
    /// The secret itself, for a header or a token file. Never print it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl FromStr for Token {
    type Err = TokenError;

    /// Accepts 1 to [`TOKEN_BYTES_MAX`] visible ASCII characters.
    fn from_str(text: &str) -> Result<Self, TokenError> {
        if text.is_empty() {
            return Err(TokenError::Empty);
        }
        if text.len() > TOKEN_BYTES_MAX {
            return Err(TokenError::TooLong { bytes: text.len() });
        }
        match text.chars().position(|c| !c.is_ascii_graphic()) {
            Some(index) => Err(TokenError::Character {
                position: index + 1,
            }),
            None => Ok(Self(text.to_owned())),
        }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<token>")
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Result<(), TokenError>) {
        assert_eq!(text.parse::<Token>().map(|_| ()), expect);
    }

    #[test]
    fn only_visible_ascii_is_a_token() {
        check("hf_abcDEF123", Ok(()));
        check(&"x".repeat(TOKEN_BYTES_MAX), Ok(()));
        check("", Err(TokenError::Empty));
        check("hf_a\n", Err(TokenError::Character { position: 5 }));
        check("hf a", Err(TokenError::Character { position: 3 }));
        check("hf_é", Err(TokenError::Character { position: 4 }));
        check("a\r\nHost: b", Err(TokenError::Character { position: 2 }));
        check(&"x".repeat(1025), Err(TokenError::TooLong { bytes: 1025 }));
    }

    #[test]
    fn a_token_never_prints_itself() {
        let token: Token = "hf_secret".parse().unwrap();
        let shown = format!("{token} {token:?} {:?}", Some(&token));
        assert!(!shown.contains("secret"), "{shown}");
        assert_eq!(token.expose(), "hf_secret");
    }
}
