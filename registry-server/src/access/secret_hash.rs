//! Hashes the secrets of tokens and upload tickets to the form in which they are stored.

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

/// The form in which a secret is stored.
pub(crate) fn hash(secret: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(secret.as_bytes()))
}
