//! The `SigningError`: a key, a signature or a signed statement is not what it has to be.

use tool_hub_manifest::KeyFingerprint;

/// A package cannot be signed, or its signature does not count. Texts of a stranger are in it
/// only escaped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SigningError {
    /// The text holds no public key of a kind that is known.
    #[error("this is not a public key: {reason}")]
    NotAPublicKey {
        /// The rule that it breaks.
        reason: &'static str,
    },
    /// The text holds no private key of a kind that is known.
    #[error("this is not a private key: {reason}")]
    NotAPrivateKey {
        /// The rule that it breaks.
        reason: &'static str,
    },
    /// No key could be made, or nothing signed with it.
    #[error("the cryptographic library failed")]
    Library,
    /// The signature has more bytes than any that is read.
    #[error("model.sig has more than {bytes_max} bytes")]
    TooLarge {
        /// The most that are read.
        bytes_max: usize,
    },
    /// The signature is not written as the format wants it.
    #[error("model.sig is not a signature of a package: {reason}")]
    Malformed {
        /// The rule that it breaks.
        reason: String,
    },
    /// The signature is of a kind that is not verified, such as one with a certificate for a key
    /// of another kind.
    #[error("model.sig is signed with {what}, which is not verified here")]
    Unsupported {
        /// The kind.
        what: &'static str,
    },
    /// No trusted root vouches for the certificate that the package is signed with.
    #[error("model.sig is signed with a certificate of {subject}, which does not count: {reason}")]
    UntrustedCertificate {
        /// The name in the certificate, escaped.
        subject: String,
        /// The rule that it breaks, escaped.
        reason: String,
    },
    /// The certificate is a trusted root's, and what the signature has of the public log, of the
    /// time or of its certificate's registration is wrong.
    #[error("model.sig is not proved by the log and the times in it: {reason}")]
    WrongProof {
        /// The rule that it breaks, escaped.
        reason: String,
    },
    /// A file holds no certificate, or no root of trust.
    #[error("this is not {expected}: {reason}")]
    NotACertificate {
        /// The content that was expected.
        expected: &'static str,
        /// The rule that it breaks, escaped.
        reason: String,
    },
    /// A file is not the trust configuration of a client that signs with a Sigstore.
    #[error("this is not a trust configuration with which a client can sign: {reason}")]
    NotATrustConfig {
        /// The rule that it breaks, escaped.
        reason: String,
    },
    /// A service of a Sigstore answered something from which no signature can be made.
    #[error("the answer cannot be used: {reason}")]
    WrongAnswer {
        /// The rule that it breaks, escaped.
        reason: String,
    },
    /// The signature is of a key that is neither in the package nor known to the user.
    #[error("model.sig is of a key that is neither in the package nor known here")]
    UnknownKey,
    /// The signature names another key than the one in the package.
    #[error("model.sig is not of {fingerprint}, the key in signer.pem")]
    OtherKey {
        /// The key in the package.
        fingerprint: KeyFingerprint,
    },
    /// The signature was not made with the key.
    #[error("model.sig was not made with the key {fingerprint}, or was changed since")]
    Forged {
        /// The key.
        fingerprint: KeyFingerprint,
    },
    /// The statement that the key replaces another one is wrong.
    #[error("signer-rotation.sig does not count: {reason}")]
    WrongRotation {
        /// The rule that it breaks.
        reason: String,
    },
    /// The signature is over another file than the package has.
    #[error("model.sig signs another {file} than the package has")]
    FileDiffers {
        /// The file.
        file: &'static str,
    },
    /// The signature does not cover a file of the package.
    #[error("model.sig does not sign {file}")]
    FileNotSigned {
        /// The file.
        file: &'static str,
    },
    /// The attestations have more bytes than any that are read.
    #[error("attestations.jsonl has more than {bytes_max} bytes")]
    AttestationsTooLarge {
        /// The most that are read.
        bytes_max: usize,
    },
    /// There are more attestations than are read, or none.
    #[error("attestations.jsonl has {found} attestations, expected 1 to {most}")]
    AttestationCount {
        /// The number of lines.
        found: usize,
        /// The most that are read.
        most: usize,
    },
    /// An attestation is wrong, or about something else than this package.
    #[error("attestation {number} is wrong: {reason}")]
    WrongAttestation {
        /// Its number, counted from 1.
        number: usize,
        /// The rule that it breaks, escaped.
        reason: String,
    },
    /// Nobody here can tell who made an attestation.
    #[error("attestation {number} cannot be verified here: {reason}")]
    UnverifiedAttestation {
        /// Its number, counted from 1.
        number: usize,
        /// The rule that it breaks, escaped.
        reason: String,
    },
    /// The signature covers a file that the package does not have.
    #[error("model.sig signs `{file}`, which the package does not have")]
    FileMissing {
        /// The file, escaped, at most 80 characters of it.
        file: String,
    },
}

impl SigningError {
    /// True if nothing speaks against the signature but that it cannot be verified here: the
    /// package is as good as one that is not signed.
    pub fn is_unverifiable(&self) -> bool {
        matches!(
            self,
            Self::Unsupported { .. }
                | Self::UnknownKey
                | Self::UntrustedCertificate { .. }
                | Self::UnverifiedAttestation { .. }
        )
    }

    /// True if a signature is wrong, and with it the package.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::TooLarge { .. }
                | Self::Malformed { .. }
                | Self::OtherKey { .. }
                | Self::Forged { .. }
                | Self::WrongProof { .. }
                | Self::WrongRotation { .. }
                | Self::FileDiffers { .. }
                | Self::FileNotSigned { .. }
                | Self::FileMissing { .. }
                | Self::AttestationsTooLarge { .. }
                | Self::AttestationCount { .. }
                | Self::WrongAttestation { .. }
        )
    }

    /// The same of the attestation with this number, whose texts are those of a signature
    /// otherwise.
    pub(crate) fn of_attestation(self, number: usize) -> Self {
        let is_unverifiable = self.is_unverifiable();
        let reason = match self {
            Self::Malformed { reason } => reason,
            Self::TooLarge { bytes_max } => format!("it has more than {bytes_max} bytes"),
            Self::Unsupported { what } => format!("it is signed with {what}"),
            Self::UntrustedCertificate { subject, reason } => {
                format!("the certificate of {subject} does not count: {reason}")
            }
            Self::WrongProof { reason } => {
                format!("it is not proved by the log and the times in it: {reason}")
            }
            Self::Forged { .. } => {
                "it was not made with the key of its certificate, or was changed since".to_owned()
            }
            other => other.to_string(),
        };
        match is_unverifiable {
            true => Self::UnverifiedAttestation { number, reason },
            false => Self::WrongAttestation { number, reason },
        }
    }

    pub(crate) fn malformed(reason: impl Into<String>) -> Self {
        Self::Malformed {
            reason: reason.into(),
        }
    }

    pub(crate) fn missing(file: &str) -> Self {
        Self::FileMissing {
            file: escaped(file, 80),
        }
    }
}

/// A text of a stranger, escaped, at most `characters` of it.
pub(crate) fn escaped(text: &str, characters: usize) -> String {
    let shown = text.chars().take(characters);
    shown.flat_map(char::escape_default).collect()
}
