//! Computes, parses and prints SHA-256 digests, which identify files and packages.

use std::fmt;
use std::str::FromStr;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest (FIPS 180-4). Printed and stored as `sha256:` and 64 lower-case
/// hexadecimal digits; the digits alone are accepted when parsing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// The text is not a SHA-256 digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a digest: expected `sha256:` and 64 lower-case hexadecimal digits")]
pub struct DigestError {
    /// The given text, at most 80 characters of it.
    pub text: String,
}

impl Digest {
    /// Hashes `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The 64 hexadecimal digits, without the algorithm.
    pub fn hex(&self) -> String {
        HEXLOWER.encode(&self.0)
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Hashes bytes as they stream by.
#[derive(Clone, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// A hasher that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of everything taken in.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("sha256:").unwrap_or(text);
        let bytes = HEXLOWER.decode(digits.as_bytes()).ok();
        match bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok()) {
            Some(bytes) => Ok(Self(bytes)),
            None => Err(DigestError {
                text: text.chars().take(80).collect(),
            }),
        }
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

/// For fields whose key already names the algorithm: the digits alone are written.
pub(crate) mod bare_hex {
    use super::Digest;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(digest: &Digest, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&digest.hex())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Digest, D::Error> {
        Digest::deserialize(d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_vector_round_trips() {
        let empty = Digest::of(b"");
        let text = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(empty.to_string(), text);
        assert_eq!(text.parse(), Ok(empty));
        assert_eq!(empty.hex().parse(), Ok(empty));
    }

    #[test]
    fn streaming_is_the_same_as_whole() {
        let mut hasher = Hasher::new();
        hasher.update(b"one ");
        hasher.update(b"two");
        assert_eq!(hasher.finish(), Digest::of(b"one two"));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "sha256:",
            "md5:00",
            "sha256:E3B0",
            "sha256:é",
            &"0".repeat(65),
        ] {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }
}
