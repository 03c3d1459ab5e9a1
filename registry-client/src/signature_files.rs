//! Downloads signature and attestations of a package, and what they cover and a pull leaves out.

use tool_hub_manifest::package_file;

use crate::download;
use crate::error::ClientError;
use crate::files;
use crate::limits::{
    ATTESTATIONS_BYTES_MAX, CARD_BYTES_MAX, SIGNATURE_BYTES_MAX, SIGNER_BYTES_MAX,
};
use crate::progress::Silent;
use crate::registry::Registry;
use crate::resolved::Resolved;

/// The signature and the attestations of a package, as a registry has them. Nothing of them was
/// verified.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignatureFiles {
    /// The bytes of `model.sig`, where it is signed.
    pub bundle: Option<Vec<u8>>,
    /// The bytes of `signer.pem`, where there is one.
    pub signer: Option<Vec<u8>>,
    /// The bytes of `signer-rotation.sig`, where there is one.
    pub rotation: Option<Vec<u8>>,
    /// The bytes of `README.md`, where there is one.
    pub card: Option<Vec<u8>>,
    /// The bytes of `attestations.jsonl`, where there is one.
    pub attestations: Option<Vec<u8>>,
}

/// The signature and the attestations at a commit; none where there are neither.
pub(crate) async fn download(
    registry: &Registry,
    at: &Resolved,
) -> Result<Option<SignatureFiles>, ClientError> {
    let names = [
        package_file::SIGNATURE,
        package_file::SIGNER,
        package_file::ROTATION,
        package_file::CARD,
        package_file::ATTESTATIONS,
    ];
    let listed = files::list(registry, at, &names).await?;
    let fetch = async |name: &str, bytes_max| {
        let found = listed.iter().find(|file| file.name == name);
        match found {
            Some(file) => download::file(registry, at, file, bytes_max, &Silent)
                .await
                .map(Some),
            None => Ok(None),
        }
    };
    let bundle = fetch(package_file::SIGNATURE, SIGNATURE_BYTES_MAX).await?;
    let attestations = fetch(package_file::ATTESTATIONS, ATTESTATIONS_BYTES_MAX).await?;
    if bundle.is_none() && attestations.is_none() {
        return Ok(None);
    }
    let mut found = SignatureFiles {
        card: fetch(package_file::CARD, CARD_BYTES_MAX).await?,
        bundle,
        attestations,
        ..SignatureFiles::default()
    };
    // Without a signature they are no files of the package.
    if found.bundle.is_some() {
        found.signer = fetch(package_file::SIGNER, SIGNER_BYTES_MAX).await?;
        found.rotation = fetch(package_file::ROTATION, SIGNATURE_BYTES_MAX).await?;
    }
    Ok(Some(found))
}
