//! Attestations of a commit: holds `attestations.jsonl` against the commit's files and publishers.
//!
//! Forms, signatures and subjects are always checked. Who made an attestation is checked where the
//! operator named roots that vouch for publishers: it has to be one of the repository's trusted
//! publishers then. Nothing of it is stored: what is told of a version is checked at that moment.

use std::sync::Arc;
use std::time::SystemTime;

use tool_hub_manifest::{Digest, PackageSigner, package_file};
use tool_hub_signing::{
    ATTESTATIONS_BYTES_MAX, AttestedFiles, CheckedAttestations, SigningError, Trust, TrustedRoot,
    attestation_lines,
};

use crate::content::Batch;
use crate::database::publishers::Publisher;
use crate::database::repositories::Repository;
use crate::error::RegistryError;
use crate::history::PackageBlobs;
use crate::registry::Registry;
use crate::trusted_publishing::publisher_attested;

/// The file with the attestations, beside the manifest.
pub(crate) const ATTESTATIONS: &str = package_file::ATTESTATIONS;
/// The files that attestations are, or may be about.
pub(crate) const ATTESTED: [&str; 6] = [
    ATTESTATIONS,
    package_file::MANIFEST,
    package_file::COMPONENT,
    package_file::INTERPRETER,
    package_file::SBOM,
    package_file::CARD,
];

/// An attestation about the files of a commit.
pub(crate) struct Attestation {
    /// The Sigstore bundle, as it was uploaded.
    pub(crate) bundle: Vec<u8>,
    /// The trusted publisher who made it, where that was checked.
    pub(crate) publisher: Option<Publisher>,
}

/// The reason why attestations are refused, or could not be read.
#[derive(Debug)]
pub(crate) enum AttestationError {
    /// They break a rule, which is the text.
    Refused(String),
    Registry(RegistryError),
}

impl From<RegistryError> for AttestationError {
    fn from(error: RegistryError) -> Self {
        Self::Registry(error)
    }
}

impl From<SigningError> for AttestationError {
    fn from(error: SigningError) -> Self {
        Self::Refused(error.to_string())
    }
}

/// Reads and checks the attestations among `blobs`, whose bytes are in `files` or in the store. Of
/// other files than [`ATTESTED`] they may say nothing.
pub(crate) async fn check(
    registry: &Registry,
    repository: &Repository,
    blobs: &PackageBlobs,
    files: &Batch,
) -> Result<Vec<Attestation>, AttestationError> {
    let Some(blob) = blobs.get(ATTESTATIONS) else {
        return Ok(Vec::new());
    };
    if blob.size_bytes > ATTESTATIONS_BYTES_MAX as u64 {
        let bytes_max = ATTESTATIONS_BYTES_MAX;
        return Err(SigningError::AttestationsTooLarge { bytes_max }.into());
    }
    let text = files.head(&blob.sha256, blob.size_bytes, ATTESTATIONS_BYTES_MAX);
    let text = text.await?;
    let files = ATTESTED.iter().filter(|name| **name != ATTESTATIONS);
    let digests = files.filter_map(|name| Some((name, blobs.get(name)?)));
    let digests = digests.filter_map(|(name, blob)| {
        let digest: Digest = blob.sha256.to_string().parse().ok()?;
        Some((*name, digest))
    });
    let about = AttestedFiles(digests.collect());
    let roots = registry.attestation_roots();
    // Signatures keep a processor busy for a while, which other requests must not wait for.
    let checking = tokio::task::spawn_blocking(move || {
        let checked = checked(&text, &about, &roots);
        (text, checked)
    });
    let (text, checked) = checking
        .await
        .map_err(|_| RegistryError::Damaged("checking attestations panicked".to_owned()))?;
    let publishers = registry.database().publishers(&repository.id).await?;
    let is_checked = !registry.attestation_roots().is_empty();
    let pairs = attestation_lines(&text).into_iter().zip(checked?.0);
    let attestations = pairs.map(|(line, verified)| {
        let publisher = match (is_checked, verified) {
            (false, _) => None,
            (true, Ok(attestation)) => Some(publisher(attestation.publisher(), &publishers)?),
            (true, Err(error)) => return Err(error.into()),
        };
        Ok(Attestation {
            bundle: line.to_vec(),
            publisher,
        })
    });
    attestations.collect()
}

fn checked(
    text: &[u8],
    about: &AttestedFiles<'_>,
    roots: &[Arc<TrustedRoot>],
) -> Result<CheckedAttestations, SigningError> {
    let trust = Trust {
        roots: &roots.iter().map(|root| &**root).collect::<Vec<_>>(),
        at: SystemTime::now(),
        ..Trust::none()
    };
    CheckedAttestations::check(text, about, &trust)
}

/// The trusted publisher whose name an attestation has.
fn publisher(name: PackageSigner, publishers: &[Publisher]) -> Result<Publisher, AttestationError> {
    let found = match &name {
        PackageSigner::Identity(identity) => publisher_attested(publishers, identity),
        PackageSigner::Key(_) => None,
    };
    found.cloned().ok_or_else(|| {
        AttestationError::Refused(format!(
            "an attestation is by {name}, which is no trusted publisher of this repository; its \
             owner adds one with `tool registry publisher add`"
        ))
    })
}
