//! The claim of a manifest on `sbom.cdx.json`, the list of what a package is made of.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::digest::bare_hex;

/// The bill of materials that a manifest names. Packages of before there was one name none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SbomClaim {
    /// The digest of the file's bytes.
    #[serde(with = "bare_hex")]
    pub sha256: Digest,
}

impl SbomClaim {
    /// The claim that fits the file with these bytes.
    pub fn of(sbom: &[u8]) -> Self {
        Self {
            sha256: Digest::of(sbom),
        }
    }
}
