//! The `Authorship` of a package: who signed it, and who attests to it, as far as was verified.

use std::path::Path;
use std::time::SystemTime;

use tool_hub_manifest::{Verified, package_file};
use tool_hub_registry_client::{
    ATTESTATIONS_BYTES_MAX, CARD_BYTES_MAX, SIGNATURE_BYTES_MAX, SIGNER_BYTES_MAX, SignatureFiles,
};

use crate::error::Error;
use crate::evidence::Evidence;
use crate::files;
use crate::package_attestations::PackageAttestations;
use crate::package_signature::PackageSignature;
use crate::signing_keys::SigningKeys;

/// The signature and the attestations of a package.
#[derive(Debug, Clone)]
pub struct Authorship {
    /// The signature.
    pub signature: PackageSignature,
    /// The attestations.
    pub attestations: PackageAttestations,
}

impl Authorship {
    /// The authorship of a package of which nobody says anything.
    pub fn none() -> Self {
        Self {
            signature: PackageSignature::none(),
            attestations: PackageAttestations::default(),
        }
    }

    /// Verifies what is in `files` about `package`, which its user calls `subject`. A certificate
    /// without proof of its time has to be valid `at` that time.
    ///
    /// # Errors
    /// [`Error::WrongSignature`].
    pub fn verify(
        files: Option<&SignatureFiles>,
        package: &Verified,
        keys: &SigningKeys,
        at: SystemTime,
        subject: &str,
    ) -> Result<Self, Error> {
        let wrong = |evidence| {
            let subject = subject.to_owned();
            move |source| Error::WrongSignature {
                evidence,
                subject,
                source,
            }
        };
        let signature = PackageSignature::verify(files, package, keys, at);
        let attestations = PackageAttestations::verify(files, package, keys, at);
        Ok(Self {
            signature: signature.map_err(wrong(Evidence::Signature))?,
            attestations: attestations.map_err(wrong(Evidence::Attestation))?,
        })
    }

    /// Verifies what is in the directory of `package`, and returns the files with it.
    ///
    /// # Errors
    /// The errors of [`verify`](Self::verify), and if a file cannot be read.
    pub fn verify_in(
        directory: &Path,
        package: &Verified,
        keys: &SigningKeys,
    ) -> Result<(SignatureFiles, Self), Error> {
        let files = files_in(directory)?;
        let subject = directory.display().to_string();
        let verified = Self::verify(Some(&files), package, keys, SystemTime::now(), &subject)?;
        Ok((files, verified))
    }
}

/// The signature and the attestations in the directory of a package, with the files that they
/// cover. Without `model.sig` a key that lies there is none of the package.
///
/// # Errors
/// If a file cannot be read.
pub fn files_in(directory: &Path) -> Result<SignatureFiles, Error> {
    let read = |name, bytes_max| {
        let path = directory.join(name);
        match path.symlink_metadata() {
            Err(_) => Ok(None),
            Ok(_) => files::read_regular(&path, bytes_max)
                .map(Some)
                .map_err(files::unreadable(&path)),
        }
    };
    let mut found = SignatureFiles {
        bundle: read(package_file::SIGNATURE, SIGNATURE_BYTES_MAX)?,
        attestations: read(package_file::ATTESTATIONS, ATTESTATIONS_BYTES_MAX)?,
        card: read(package_file::CARD, CARD_BYTES_MAX)?,
        ..SignatureFiles::default()
    };
    if found.bundle.is_some() {
        found.signer = read(package_file::SIGNER, SIGNER_BYTES_MAX)?;
        found.rotation = read(package_file::ROTATION, SIGNATURE_BYTES_MAX)?;
    }
    Ok(found)
}
