//! Attestations: what a build service says of a package's files, as in-toto statements.
//!
//! Each line of `attestations.jsonl` is a Sigstore bundle v0.3 whose subjects are files of the
//! package, by their names and digests. Its predicate is SLSA's build provenance v1
//! (<https://slsa.dev/provenance/v1>), or the one of PEP 740 that says no more than who published.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use tool_hub_manifest::{Digest, PackageSigner, SignerIdentity, package_file};

use crate::bundle::{Bundle, Material};
use crate::certificate::SigningCertificate;
use crate::error::{SigningError, escaped};
use crate::package_files::PackageFiles;
use crate::signature::Trust;
use crate::statement::{STATEMENT_TYPE, digest_of_hex};

/// The most bytes of all attestations of a package. One of a build service has about 12,000.
pub const ATTESTATIONS_BYTES_MAX: usize = 256 << 10;
/// The most attestations of a package.
const ATTESTATIONS_MAX: usize = 8;
/// The most subjects of an attestation.
const SUBJECTS_MAX: usize = 32;
const PROVENANCE: &str = "https://slsa.dev/provenance/v1";
const PUBLISH: &str = "https://docs.pypi.org/attestations/publish/v1";
/// The files that an attestation has to be about. The manifest names the digests of others.
const REQUIRED: [&str; 2] = [package_file::MANIFEST, package_file::COMPONENT];

/// The statement of an attestation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttestationKind {
    /// The publisher built the files.
    Built,
    /// The publisher published the files.
    Published,
}

/// The files that attestations may be about, by their names.
#[derive(Debug, Clone, Default)]
pub struct AttestedFiles<'a>(pub BTreeMap<&'a str, Digest>);

/// An attestation whose publisher a trusted root vouches for. It exists only where all of it was
/// verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedAttestation {
    publisher: SignerIdentity,
    kind: AttestationKind,
}

/// The attestations of a package, line by line. All are about exactly its files, and none is wrong;
/// one that cannot be verified, for the reason given, is as good as none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedAttestations(pub Vec<Result<VerifiedAttestation, SigningError>>);

/// The lines of `attestations.jsonl` that hold an attestation.
pub fn attestation_lines(text: &[u8]) -> Vec<&[u8]> {
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty()).collect()
}

impl VerifiedAttestation {
    /// Whoever made it, such as a workflow of a repository.
    pub fn publisher(&self) -> PackageSigner {
        PackageSigner::Identity(self.publisher.clone())
    }

    /// The statement.
    pub fn kind(&self) -> AttestationKind {
        self.kind
    }
}

impl<'a> AttestedFiles<'a> {
    /// The files of a package that somebody may have built.
    pub fn of(files: &PackageFiles<'a>) -> Self {
        let own = [
            package_file::SIGNER,
            package_file::ROTATION,
            package_file::ATTESTATIONS,
        ];
        let files = files.hashed().into_iter();
        Self(files.filter(|(name, _)| !own.contains(name)).collect())
    }
}

impl CheckedAttestations {
    /// Checks `text`, the content of `attestations.jsonl`, of a package of `files`: the form of
    /// each, its signature, its subjects, and under a root of `trust` who made it.
    ///
    /// # Errors
    /// One that [is a refusal](SigningError::is_refusal) if any of them is wrong.
    pub fn check(
        text: &[u8],
        files: &AttestedFiles<'_>,
        trust: &Trust<'_>,
    ) -> Result<Self, SigningError> {
        if text.len() > ATTESTATIONS_BYTES_MAX {
            return Err(SigningError::AttestationsTooLarge {
                bytes_max: ATTESTATIONS_BYTES_MAX,
            });
        }
        let lines = attestation_lines(text);
        if !(1..=ATTESTATIONS_MAX).contains(&lines.len()) {
            return Err(SigningError::AttestationCount {
                found: lines.len(),
                most: ATTESTATIONS_MAX,
            });
        }
        let checked = lines.into_iter().zip(1..).map(|(line, number)| {
            match check(line, files, trust).map_err(|error| error.of_attestation(number)) {
                Err(error) if !error.is_unverifiable() => Err(error),
                checked => Ok(checked),
            }
        });
        checked.collect::<Result<_, _>>().map(Self)
    }
}

fn check(
    line: &[u8],
    files: &AttestedFiles<'_>,
    trust: &Trust<'_>,
) -> Result<VerifiedAttestation, SigningError> {
    let bundle = Bundle::from_json(line)?;
    let certificate = match &bundle.material {
        Material::Certificates(chain) => SigningCertificate::read(chain),
        Material::Key { .. } => Err(SigningError::Unsupported {
            what: "a key, for which no root vouches",
        }),
    };
    if let Ok(certificate) = &certificate {
        bundle.check_key(certificate.key())?;
    }
    let kind = Statement::read(&bundle.payload)?.check(files)?;
    // Every one is about the manifest, so that is what the proof is looked up by.
    let subject = files.0.get(package_file::MANIFEST).copied();
    let subject = subject.ok_or_else(|| missing(package_file::MANIFEST))?;
    let publisher = bundle.identity(&certificate?, line, subject, trust)?;
    Ok(VerifiedAttestation { publisher, kind })
}

/// The statement of an attestation. Members that it does not name are ignored, as in-toto wants
/// it; one that is there twice is refused.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Statement {
    #[serde(rename = "_type")]
    r#type: String,
    subject: Vec<Subject>,
    predicate_type: String,
    #[serde(default)]
    predicate: Value,
}

#[derive(Deserialize)]
struct Subject {
    name: String,
    digest: BTreeMap<String, String>,
}

impl Statement {
    fn read(payload: &[u8]) -> Result<Self, SigningError> {
        let statement: Self = serde_json::from_slice(payload).map_err(|error| {
            SigningError::malformed(escaped(&format!("its statement: {error}"), 200))
        })?;
        if statement.r#type != STATEMENT_TYPE {
            let reason = format!("the `_type` of its statement is not `{STATEMENT_TYPE}`");
            return Err(SigningError::malformed(reason));
        }
        Ok(statement)
    }

    /// Holds it against `files`: it has to name manifest and component, and no file that is
    /// another one, or none.
    fn check(&self, files: &AttestedFiles<'_>) -> Result<AttestationKind, SigningError> {
        if self.subject.len() > SUBJECTS_MAX {
            let reason = format!("it has more than {SUBJECTS_MAX} subjects");
            return Err(SigningError::malformed(reason));
        }
        for Subject { name, digest } in &self.subject {
            let shown = escaped(name, 80);
            let Some(expected) = files.0.get(name.as_str()) else {
                let reason = format!("it is about `{shown}`, which the package does not have");
                return Err(SigningError::malformed(reason));
            };
            let actual = digest.get("sha256").map(|hex| digest_of_hex(hex));
            let actual = actual.transpose()?.ok_or_else(|| {
                SigningError::malformed(format!("it does not say the SHA-256 of {shown}"))
            })?;
            if actual != *expected {
                let reason = format!(
                    "it is about another {shown}, with {actual}; the package has {expected}"
                );
                return Err(SigningError::malformed(reason));
            }
        }
        for name in REQUIRED {
            if !self.subject.iter().any(|subject| subject.name == name) {
                return Err(missing(name));
            }
        }
        self.kind()
    }

    fn kind(&self) -> Result<AttestationKind, SigningError> {
        let text = |pointer| {
            self.predicate
                .pointer(pointer)
                .is_some_and(Value::is_string)
        };
        match self.predicate_type.as_str() {
            PROVENANCE => {
                let external = "/buildDefinition/externalParameters";
                let external = self.predicate.pointer(external);
                let is_whole = text("/buildDefinition/buildType")
                    && text("/runDetails/builder/id")
                    && external.is_some_and(Value::is_object);
                match is_whole {
                    true => Ok(AttestationKind::Built),
                    false => Err(SigningError::malformed(
                        "its predicate has no `buildType`, `externalParameters` or `builder`, as \
                         SLSA's provenance has them",
                    )),
                }
            }
            PUBLISH => Ok(AttestationKind::Published),
            other => {
                let other = escaped(other, 120);
                Err(SigningError::malformed(format!(
                    "its predicate is `{other}`, expected `{PROVENANCE}` or `{PUBLISH}`"
                )))
            }
        }
    }
}

fn missing(name: &str) -> SigningError {
    SigningError::malformed(format!("it is not about {name}"))
}

#[cfg(test)]
mod tests;
