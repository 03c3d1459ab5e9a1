//! The `KeyFingerprint` by which the public key of a package's signer is named.

use std::fmt;
use std::str::FromStr;

use data_encoding::BASE64_NOPAD;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::string_conversions::string_conversions;

const PREFIX: &str = "SHA256:";

/// The SHA-256 digest of a public key's DER form (`SubjectPublicKeyInfo`, RFC 5280). Printed as
/// SSH prints fingerprints: `SHA256:` and 43 characters of unpadded base64.
///
/// `openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64` prints the same, with
/// `=` at the end. A fingerprint alone says nothing about who signed what: it may stand in a lock
/// that somebody else wrote.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct KeyFingerprint([u8; 32]);

/// The text is not a fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the fingerprint of a key: expected `SHA256:` and 43 characters of base64")]
pub struct FingerprintError {
    /// The given text, escaped, at most 80 characters of it.
    pub text: String,
}

impl KeyFingerprint {
    /// The fingerprint of the key whose `SubjectPublicKeyInfo` is `der`.
    pub fn of(der: &[u8]) -> Self {
        Self(*Digest::of(der).as_bytes())
    }
}

impl fmt::Display for KeyFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", BASE64_NOPAD.encode(&self.0))
    }
}

impl fmt::Debug for KeyFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for KeyFingerprint {
    type Err = FingerprintError;

    fn from_str(text: &str) -> Result<Self, FingerprintError> {
        let encoded = text.strip_prefix(PREFIX);
        let bytes = encoded.and_then(|encoded| BASE64_NOPAD.decode(encoded.as_bytes()).ok());
        let bytes = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        bytes.map(Self).ok_or_else(|| FingerprintError {
            text: text
                .chars()
                .take(80)
                .flat_map(char::escape_default)
                .collect(),
        })
    }
}

string_conversions!(KeyFingerprint, FingerprintError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_round_trips() {
        let text = "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU";
        assert_eq!(KeyFingerprint::of(b"").to_string(), text);
        assert_eq!(text.parse(), Ok(KeyFingerprint::of(b"")));
    }

    #[test]
    fn nonsense_is_refused() {
        let text = KeyFingerprint::of(b"").to_string();
        // The last character has two bits too many: only one spelling is accepted.
        let other_spelling = format!("{}V", &text[..text.len() - 1]);
        for text in [
            "",
            "SHA256:",
            "sha256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU",
            &format!("{text}="),
            &format!("{text}A"),
            &other_spelling,
            &text[..text.len() - 1],
            "ada\u{202e}",
        ] {
            assert!(text.parse::<KeyFingerprint>().is_err(), "{text}");
        }
    }
}
