//! The `IdentityToken` of a job: a JSON Web Token of its build service, and what it says itself.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use data_encoding::BASE64URL_NOPAD;
use serde::Deserialize;

use crate::error::excerpt;

/// Longest identity token.
const IDENTITY_BYTES_MAX: usize = 16 << 10;

/// The identity token of a job: a JSON Web Token of its build service. Printing it prints a mask.
#[derive(Clone, PartialEq, Eq)]
pub struct IdentityToken(String);

/// Claims of an identity token that nobody verified. They tell its user what it is good for;
/// whoever takes the token verifies it. Texts are escaped and bounded for display.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IdentityClaims {
    /// Those whom it is for (`aud`).
    pub audiences: Vec<String>,
    /// The end of its time (`exp`), where it says so.
    pub expires: Option<SystemTime>,
}

#[derive(Deserialize)]
struct Claims {
    aud: Option<Audience>,
    exp: Option<f64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

impl IdentityToken {
    /// The token, for the service that it is for.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The claims that it makes; none if it is not a JSON Web Token.
    pub fn claims(&self) -> Option<IdentityClaims> {
        let (payload, _) = self.0.split_once('.')?.1.split_once('.')?;
        let payload = BASE64URL_NOPAD.decode(payload.as_bytes()).ok()?;
        let claims: Claims = serde_json::from_slice(&payload).ok()?;
        let audiences = match claims.aud {
            None => Vec::new(),
            Some(Audience::One(only)) => vec![only],
            Some(Audience::Several(all)) => all,
        };
        let since_epoch = claims.exp.map(Duration::try_from_secs_f64);
        let since_epoch = since_epoch.transpose().ok()?;
        Some(IdentityClaims {
            audiences: audiences.iter().map(|it| excerpt(it)).collect(),
            expires: since_epoch.and_then(|it| SystemTime::UNIX_EPOCH.checked_add(it)),
        })
    }
}

impl FromStr for IdentityToken {
    type Err = &'static str;

    /// Accepts 1 to 16384 visible ASCII characters.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "" => Err("the identity token is empty"),
            text if text.len() > IDENTITY_BYTES_MAX => {
                Err("the identity token is longer than 16384 bytes")
            }
            text if !text.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Err("the identity token holds a character that is not visible ASCII")
            }
            text => Ok(Self(text.to_owned())),
        }
    }
}

impl fmt::Debug for IdentityToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<identity token>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(payload: &str) -> Option<IdentityClaims> {
        let payload = BASE64URL_NOPAD.encode(payload.as_bytes());
        let token: IdentityToken = format!("e30.{payload}.c2ln").parse().unwrap();
        token.claims()
    }

    #[test]
    fn claims_are_read() {
        let read = claims(r#"{"aud": "sigstore", "exp": 1.5, "sub": "a"}"#).unwrap();
        assert_eq!(read.audiences, ["sigstore"]);
        let expires = SystemTime::UNIX_EPOCH + Duration::from_millis(1500);
        assert_eq!(read.expires, Some(expires));
        let read = claims(r#"{"aud": ["a\u001b", "b"]}"#).unwrap();
        assert_eq!(read.audiences, ["a\\u{1b}", "b"]);
        assert_eq!(claims("{}").unwrap().audiences.len(), 0);
        assert_eq!(claims(r#"{"exp": 1e300}"#), None);
    }

    #[test]
    fn other_texts_have_none() {
        for text in ["a", "a.b", "a.e30", "a.!.c", "..", "a.bm8.c"] {
            let token: IdentityToken = text.parse().unwrap();
            assert_eq!(token.claims(), None, "{text}");
        }
        assert_eq!(claims(r#"{"aud": 1}"#), None);
        assert_eq!(claims(r#"{"exp": -1}"#), None);
    }
}
