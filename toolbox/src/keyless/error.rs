//! The `KeylessError`: no keyless signature could be made.

use std::fmt;
use std::path::PathBuf;

use tool_hub_signing::SigningError;

use crate::bounded_http::HttpError;

/// Reasons why a Sigstore signs nothing. Its own words are escaped and bounded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeylessError {
    /// A file is not the trust configuration of a Sigstore's client.
    #[error("{} cannot be used to sign", path.display())]
    NotAConfig {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: SigningError,
    },
    /// A service has no address, or one to which the identity token would go unencrypted.
    #[error("{service} is at `{url}`, expected {expected}")]
    Address {
        /// The service.
        service: SigstoreService,
        /// The address, escaped.
        url: String,
        /// The form of an address that can be used.
        expected: &'static str,
    },
    /// A service did not answer.
    #[error("{service} at {url} gave no answer")]
    NoAnswer {
        /// The service.
        service: SigstoreService,
        /// Its address, escaped.
        url: String,
        /// The reason.
        source: HttpError,
    },
    /// A service refused.
    #[error("{service} at {url} refused with status {status}: {answer}")]
    Refused {
        /// The service.
        service: SigstoreService,
        /// Its address, escaped.
        url: String,
        /// The status of its answer.
        status: u16,
        /// Its words, escaped.
        answer: String,
    },
    /// A service answered something from which no signature can be made.
    #[error("{service} at {url} answered something else than it was asked for")]
    WrongAnswer {
        /// The service.
        service: SigstoreService,
        /// Its address, escaped.
        url: String,
        /// The reason.
        source: SigningError,
    },
    /// The answers of all services do not make a signature that counts.
    #[error("the signature that this Sigstore made does not count")]
    NotProved(#[source] SigningError),
    /// The package cannot be signed, whatever the services say.
    #[error("the package cannot be signed")]
    NotSigned(#[source] SigningError),
}

/// A service of a Sigstore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SigstoreService {
    /// It certifies the key for the identity: a Fulcio.
    CertificateAuthority,
    /// It enters the signature: a Rekor.
    Log,
    /// It says the time.
    TimestampAuthority,
}

impl fmt::Display for SigstoreService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CertificateAuthority => "the certificate authority",
            Self::Log => "the log of signatures",
            Self::TimestampAuthority => "the timestamp authority",
        })
    }
}
