//! The SHA-256 digest by which contents are named, parsed from and written as hexadecimal.

use std::fmt;

use data_encoding::HEXLOWER;

/// The SHA-256 of a file; it names the file in the content store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Sha256Digest([u8; 32]);

impl Sha256Digest {
    pub(crate) fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub(crate) fn from_hex(hex: &str) -> Option<Self> {
        HEXLOWER
            .decode(hex.as_bytes())
            .ok()?
            .try_into()
            .ok()
            .map(Self)
    }
}

impl fmt::Display for Sha256Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for Sha256Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
