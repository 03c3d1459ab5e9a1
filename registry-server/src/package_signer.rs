//! The signer of a version for the log: the one whom its `model.sig` names, checked by its files.
//!
//! A signature by a key is verified wholly, with the key in the commit. A name in a certificate is
//! taken as it stands there, unless a root that the operator named for attestations vouches for it:
//! which roots count is for whoever loads the tool. A wrong signature keeps nobody from publishing,
//! and names nobody.

use std::time::SystemTime;

use tool_hub_manifest::{ClaimedSigner, Digest, package_file};
use tool_hub_signing::{BUNDLE_BYTES_MAX, HashedFile, PUBLIC_KEY_BYTES_MAX, Trust, claimed_signer};

use crate::database::git_objects::Blob;
use crate::error::RegistryError;
use crate::history::PackageBlobs;
use crate::registry::Registry;

/// The signer of a package of these files; none without a signature.
pub(crate) async fn read(
    registry: &Registry,
    blobs: &PackageBlobs,
) -> Result<Option<ClaimedSigner>, RegistryError> {
    let Some(signature) = blobs.get(package_file::SIGNATURE) else {
        return Ok(None);
    };
    // With a byte more than there may be, it is refused as too long.
    let head = |blob: &Blob, bytes_max: usize| {
        let (content, blob) = (registry.content(), *blob);
        async move {
            content
                .head(&blob.sha256, blob.size_bytes, bytes_max + 1)
                .await
        }
    };
    let bundle = head(signature, BUNDLE_BYTES_MAX).await?;
    let signer = match blobs.get(package_file::SIGNER) {
        Some(blob) => Some(head(blob, PUBLIC_KEY_BYTES_MAX).await?),
        None => None,
    };
    let signed = blobs
        .iter()
        .filter(|(name, _)| **name != package_file::SIGNATURE);
    let signed = signed.filter_map(|(name, blob)| {
        let digest: Digest = blob.sha256.to_string().parse().ok()?;
        Some((*name, digest))
    });
    let signed: Vec<HashedFile> = signed.collect();
    let roots = registry.attestation_roots();
    // Signatures keep a processor busy for a while, which other requests must not wait for.
    let checking = tokio::task::spawn_blocking(move || {
        let trust = Trust {
            roots: &roots.iter().map(|root| &**root).collect::<Vec<_>>(),
            at: SystemTime::now(),
            ..Trust::none()
        };
        claimed_signer(&bundle, &signed, signer.as_deref(), &trust)
    });
    let signer = checking.await;
    let panicked = |_| RegistryError::Damaged("checking a signature panicked".to_owned());
    signer.map(Some).map_err(panicked)
}
