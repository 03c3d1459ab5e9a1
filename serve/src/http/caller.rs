//! A caller of the HTTP server (name, toolset, digest of its token), and the `BearerToken` type.
//! Tokens are made and parsed here, and compared in `guard.rs`.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD;
use tool_hub_manifest::Digest;

use super::access_error::AccessError;
use super::caller_name::CallerName;
use crate::toolset::Toolset;

/// The shortest token; a shorter one could be guessed.
const TOKEN_CHARACTERS_MIN: usize = 16;
const TOKEN_CHARACTERS_MAX: usize = 4_096;
/// The number of random bytes in a token.
const TOKEN_BYTES: usize = 32;

/// The token that a client sends in the header `Authorization`, after `Bearer`.
#[derive(Clone)]
pub struct BearerToken(String);

impl BearerToken {
    /// A new one, of 256 random bits.
    ///
    /// # Errors
    /// When the system has no random bytes.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// The token itself, for the one who starts the server.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The digest, which is all that a server keeps of it.
    pub fn digest(&self) -> Digest {
        Digest::of(self.0.as_bytes())
    }
}

impl FromStr for BearerToken {
    type Err = AccessError;

    /// Reads a token of 16 to 4,096 visible ASCII characters.
    fn from_str(text: &str) -> Result<Self, AccessError> {
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(AccessError::TokenCharacters);
        }
        if !(TOKEN_CHARACTERS_MIN..=TOKEN_CHARACTERS_MAX).contains(&text.len()) {
            return Err(AccessError::TokenLength { length: text.len() });
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerToken(…)")
    }
}

/// A caller and its tools. Callers share nothing but the listener: one never sees the tools, the
/// sessions or the sealed state of another.
#[derive(Clone)]
pub struct Caller {
    pub(super) name: CallerName,
    /// The digest of the token, so that comparing tells nothing about the token itself.
    pub(super) token: Digest,
    pub(super) toolset: Toolset,
}

impl Caller {
    /// Whoever shows the token of which `token` is the SHA-256 calls the functions of `toolset`.
    pub fn new(name: CallerName, token: Digest, toolset: Toolset) -> Self {
        Self {
            name,
            token,
            toolset,
        }
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    /// Somebody with a token and no tools.
    pub(in crate::http) fn caller(name: &str, token: &str) -> Caller {
        let token: BearerToken = token.parse().unwrap();
        let toolset = Toolset::new(Catalogue::new([]).unwrap());
        Caller::new(name.parse().unwrap(), token.digest(), toolset)
    }

    #[test]
    fn a_token_that_grants_nothing_is_refused() {
        assert!(matches!(
            "short".parse::<BearerToken>(),
            Err(AccessError::TokenLength { length: 5 })
        ));
        assert!(matches!(
            "0123456789 abcdef".parse::<BearerToken>(),
            Err(AccessError::TokenCharacters)
        ));
    }

    #[test]
    fn a_new_token_is_unlike_others_and_is_not_shown() {
        let (one, other) = (
            BearerToken::random().unwrap(),
            BearerToken::random().unwrap(),
        );
        assert_ne!(one.expose(), other.expose());
        assert_eq!(one.expose().len(), 43);
        assert!(!format!("{one:?}").contains(one.expose()));
    }
}
