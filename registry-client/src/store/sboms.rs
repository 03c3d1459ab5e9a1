//! Reads and writes the bills of materials of packages.

use tool_hub_manifest::{Digest, Manifest, Verified};

use super::{Store, StoreError, blob};
use crate::limits::SBOM_BYTES_MAX;

impl Store {
    /// The bill of materials with `digest`, whose bytes are hashed; `None` when it is not there.
    /// One that is damaged is set aside.
    pub(crate) fn sbom(&self, digest: Digest) -> Result<Option<Vec<u8>>, StoreError> {
        let bytes = match blob::read(&self.layout, digest, SBOM_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(StoreError::Missing { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        match Digest::of(&bytes) {
            actual if actual == digest => Ok(Some(bytes)),
            actual => blob::set_aside(&self.layout, digest, actual).and_then(Err),
        }
    }

    /// The bill of materials that a manifest names. Of what is no manifest, whoever verifies it
    /// tells.
    pub(super) fn sbom_named_by(&self, manifest: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let claim = Manifest::from_bytes(manifest).ok().and_then(|it| it.sbom);
        let Some(digest) = claim.map(|claim| claim.sha256) else {
            return Ok(None);
        };
        match self.sbom(digest)? {
            Some(sbom) => Ok(Some(sbom)),
            None => Err(StoreError::Missing { digest }),
        }
    }

    pub(super) fn put_sbom(&self, verified: &Verified) -> Result<(), StoreError> {
        match (verified.manifest().sbom, verified.sbom()) {
            (Some(claim), Some(sbom)) => blob::write(&self.layout, claim.sha256, sbom),
            _ => Ok(()),
        }
    }
}
