//! Downloads the signature of a package, and the files that it covers and a pull leaves out.

use tool_hub_manifest::package_file;

use crate::download;
use crate::error::ClientError;
use crate::files;
use crate::limits::{CARD_BYTES_MAX, SIGNATURE_BYTES_MAX, SIGNER_BYTES_MAX};
use crate::progress::Silent;
use crate::registry::Registry;
use crate::resolved::Resolved;

/// The signature of a package as a registry has it. Nothing of it was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureFiles {
    /// The bytes of `model.sig`.
    pub bundle: Vec<u8>,
    /// The bytes of `signer.pem`, where there is one.
    pub signer: Option<Vec<u8>>,
    /// The bytes of `signer-rotation.sig`, where there is one.
    pub rotation: Option<Vec<u8>>,
    /// The bytes of `README.md`, where there is one.
    pub card: Option<Vec<u8>>,
}

/// The signature at a commit; none where there is no `model.sig`.
pub(crate) async fn download(
    registry: &Registry,
    at: &Resolved,
) -> Result<Option<SignatureFiles>, ClientError> {
    let names = [
        package_file::SIGNATURE,
        package_file::SIGNER,
        package_file::ROTATION,
        package_file::CARD,
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
    let Some(bundle) = fetch(package_file::SIGNATURE, SIGNATURE_BYTES_MAX).await? else {
        return Ok(None);
    };
    Ok(Some(SignatureFiles {
        bundle,
        signer: fetch(package_file::SIGNER, SIGNER_BYTES_MAX).await?,
        rotation: fetch(package_file::ROTATION, SIGNATURE_BYTES_MAX).await?,
        card: fetch(package_file::CARD, CARD_BYTES_MAX).await?,
    }))
}
