//! The `AdvisoryId` of a security advisory, such as `MAL-2026-12` or `GHSA-xxxx-xxxx-xxxx`.

use serde::{Deserialize, Serialize};

use crate::name::{NameError, name};

/// The longest id. Those of the databases that OSV lists have less than 40 characters.
const LENGTH_MAX: usize = 100;

name! {
    /// The id of an advisory: 1 to 100 of `[A-Za-z0-9._:-]`, starting with a letter or digit.
    AdvisoryId, "the id of an advisory",
    "use 1 to 100 of A-Z, a-z, 0-9, `.`, `_`, `:` and `-`, starting with a letter or digit",
    |text| (1..=LENGTH_MAX).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._:-".contains(&b))
}
