//! The `SigningCertificate` of a signature: its key, its subject, and the path to a root.

use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, TrustAnchor, UnixTime};
use webpki::{ALL_VERIFICATION_ALGS, EndEntityCert, KeyUsage as UsagePolicy};
use x509_cert::Certificate;
use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::der::{Decode as _, Encode as _};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{ExtendedKeyUsage, KeyUsage, SubjectAltName};

use crate::bundle::CERTIFICATES_MAX;
use crate::error::{SigningError, escaped};
use crate::public_key::PublicKey;

const CODE_SIGNING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.3");
/// The bytes of the same identifier, without tag and length.
const CODE_SIGNING_OID: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x03];

/// The most bytes of a chain of certificates as PEM.
pub const CERTIFICATE_CHAIN_BYTES_MAX: usize = 64 << 10;

/// A certificate that may sign a package, and those between it and its root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateChain(pub(crate) Vec<Vec<u8>>);

impl CertificateChain {
    /// Reads a PEM file with the certificate of a key, and then those between it and its root. The
    /// root itself may be there or not.
    ///
    /// # Errors
    /// [`SigningError::NotACertificate`].
    pub fn from_pem(text: &[u8]) -> Result<Self, SigningError> {
        let refused = |reason: &str| SigningError::NotACertificate {
            expected: "a chain of certificates",
            reason: reason.to_owned(),
        };
        if text.len() > CERTIFICATE_CHAIN_BYTES_MAX {
            return Err(refused("it is too long"));
        }
        let certificates = CertificateDer::pem_slice_iter(text);
        let certificates = certificates.collect::<Result<Vec<_>, _>>();
        let certificates = certificates.map_err(|_| refused("its PEM cannot be read"))?;
        if !(1..=CERTIFICATES_MAX).contains(&certificates.len()) {
            let reason = format!("it has not between 1 and {CERTIFICATES_MAX} certificates");
            return Err(refused(&reason));
        }
        let certificates = certificates.iter().map(|der| der.to_vec());
        Ok(Self(certificates.collect()))
    }
}

/// The certificate whose key made a signature. Nothing vouches for it until a path to a trusted
/// root is found.
pub(crate) struct SigningCertificate<'a> {
    chain: &'a [Vec<u8>],
    certificate: Certificate,
    key: PublicKey,
    subject: String,
}

impl<'a> SigningCertificate<'a> {
    /// Reads the first certificate of `chain`.
    pub(crate) fn read(chain: &'a [Vec<u8>]) -> Result<Self, SigningError> {
        let malformed = || SigningError::malformed("its certificate cannot be read");
        let leaf = chain.first().ok_or_else(malformed)?;
        let certificate = Certificate::from_der(leaf).map_err(|_| malformed())?;
        let key = &certificate.tbs_certificate.subject_public_key_info;
        let key = key.to_der().map_err(|_| malformed())?;
        let key = PublicKey::from_der(&key).map_err(|_| SigningError::Unsupported {
            what: "a certificate for a key that is not P-256, P-384, P-521 or Ed25519",
        })?;
        Ok(Self {
            chain,
            subject: subject(&certificate)?,
            certificate,
            key,
        })
    }

    /// The key that it certifies.
    pub(crate) fn key(&self) -> &PublicKey {
        &self.key
    }

    /// Its DER form.
    pub(crate) fn der(&self) -> &[u8] {
        self.chain.first().map_or(&[], Vec::as_slice)
    }

    /// The name that it certifies: its only alternative name, or else its subject.
    pub(crate) fn subject(&self) -> &str {
        &self.subject
    }

    /// The first moment of its validity.
    pub(crate) fn valid_from(&self) -> UnixTime {
        let from = self.certificate.tbs_certificate.validity.not_before;
        UnixTime::since_unix_epoch(from.to_unix_duration())
    }

    /// Finds a path to one of `anchors` that is valid `at` that time, for a certificate that may
    /// sign.
    pub(crate) fn check_path(
        &self,
        anchors: &[TrustAnchor<'static>],
        at: UnixTime,
    ) -> Result<(), PathError> {
        if !self.may_sign() {
            return Err(PathError::MayNotSign);
        }
        let mut chain = self.chain.iter().map(|der| CertificateDer::from(&der[..]));
        let leaf = chain.next().ok_or(PathError::NoRoot)?;
        let between: Vec<CertificateDer<'_>> = chain.collect();
        let leaf = EndEntityCert::try_from(&leaf)?;
        let usage = UsagePolicy::required_if_present(CODE_SIGNING_OID);
        let algorithms = ALL_VERIFICATION_ALGS;
        leaf.verify_for_usage(algorithms, anchors, &between, at, usage, None, None)?;
        Ok(())
    }

    /// True if it says that its key signs, and nothing else of what it says forbids it.
    fn may_sign(&self) -> bool {
        let certificate = &self.certificate.tbs_certificate;
        let (Ok(usage), Ok(extended)) = (
            certificate.get::<KeyUsage>(),
            certificate.get::<ExtendedKeyUsage>(),
        ) else {
            return false;
        };
        let usage = usage.map(|(_, usage)| usage.digital_signature());
        let extended = extended.map(|(_, extended)| extended.0.contains(&CODE_SIGNING));
        let says = [usage, extended];
        says.contains(&Some(true)) && !says.contains(&Some(false))
    }

    /// The error for a certificate that does not count.
    pub(crate) fn untrusted(&self, reason: &PathError) -> SigningError {
        SigningError::UntrustedCertificate {
            subject: escaped(&self.subject, 200),
            reason: escaped(&reason.to_string(), 200),
        }
    }
}

/// There is no path from a certificate to a trusted root.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PathError {
    #[error("no root that is trusted here vouches for it (see `tool key trust`)")]
    NoRoot,
    #[error("it does not say that its key may sign")]
    MayNotSign,
    #[error("it, or one between it and its root, was not valid when it signed this")]
    NotValidThen,
    #[error("its name is not one by which a signer can be known")]
    Name,
    #[error("the path to its root is wrong: {0}")]
    Wrong(webpki::Error),
}

impl From<webpki::Error> for PathError {
    fn from(error: webpki::Error) -> Self {
        match error {
            webpki::Error::UnknownIssuer => Self::NoRoot,
            webpki::Error::CertExpired { .. } | webpki::Error::CertNotValidYet { .. } => {
                Self::NotValidThen
            }
            error => Self::Wrong(error),
        }
    }
}

/// The name that `certificate` certifies. Of several names nobody knows which one is meant.
fn subject(certificate: &Certificate) -> Result<String, SigningError> {
    let malformed = |_| SigningError::malformed("the name in its certificate cannot be read");
    let certificate = &certificate.tbs_certificate;
    let names = certificate.get::<SubjectAltName>().map_err(malformed)?;
    let name = match names.as_ref().map(|(_, names)| &names.0[..]) {
        None | Some([]) => certificate.subject.to_string(),
        Some([GeneralName::Rfc822Name(name)]) => name.to_string(),
        Some([GeneralName::UniformResourceIdentifier(name)]) => name.to_string(),
        Some([GeneralName::DnsName(name)]) => name.to_string(),
        Some(_) => {
            let what = "a certificate that has several names, or one of an unknown kind";
            return Err(SigningError::Unsupported { what });
        }
    };
    match name.is_empty() {
        true => Err(SigningError::Unsupported {
            what: "a certificate without a name",
        }),
        false => Ok(name),
    }
}
