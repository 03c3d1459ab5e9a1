//! A `TrustedRoot`, which vouches for identities: a root certificate, or a root of Sigstore.

use std::fmt;
use std::time::{Duration, SystemTime};

use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, TrustAnchor, UnixTime};
use sigstore_verify::Verifier;
use sigstore_verify::trust_root::TrustedRoot as SigstoreRoot;
use tool_hub_manifest::{KeyFingerprint, SignerIdentity};
use x509_cert::Certificate;
use x509_cert::der::{Decode as _, Encode as _};
use x509_cert::ext::pkix::BasicConstraints;

use crate::certificate::{PathError, SigningCertificate};
use crate::error::{SigningError, escaped};
use crate::trust_config::TrustConfig;

/// The most bytes of a file that holds a root.
pub const TRUSTED_ROOT_BYTES_MAX: usize = 256 << 10;

/// A root that the user trusts to say who has which key.
pub struct TrustedRoot {
    kind: Kind,
    text: String,
    /// One of a certificate, and one for each certificate authority of a Sigstore.
    authorities: Vec<Authority>,
}

enum Kind {
    Certificate,
    Sigstore(Box<Verifier>),
}

/// A certificate authority: the certificates that may vouch for others, and the key of its root.
struct Authority {
    anchors: Vec<TrustAnchor<'static>>,
    root: KeyFingerprint,
}

impl TrustedRoot {
    /// Reads the certificate of a certificate authority as PEM, or the JSON of a Sigstore: its
    /// `trusted_root.json`, or the configuration of a client that holds it.
    ///
    /// # Errors
    /// [`SigningError::NotACertificate`].
    pub fn read(text: &[u8]) -> Result<Self, SigningError> {
        let refused = |reason: &str| SigningError::NotACertificate {
            expected: "a root of trust",
            reason: escaped(reason, 200),
        };
        if text.len() > TRUSTED_ROOT_BYTES_MAX {
            return Err(refused("it is too long"));
        }
        let text = str::from_utf8(text).map_err(|_| refused("it is not text"))?;
        match text.trim_start().starts_with('{') {
            true => Self::of_sigstore(text),
            false => Self::of_certificate(text),
        }
        .map_err(|reason| refused(&reason))
    }

    fn of_certificate(text: &str) -> Result<Self, String> {
        let mut certificates = CertificateDer::pem_slice_iter(text.as_bytes());
        let (Some(Ok(der)), None) = (certificates.next(), certificates.next()) else {
            return Err("it holds not exactly one BEGIN CERTIFICATE".to_owned());
        };
        let certificate = Certificate::from_der(&der).map_err(|error| error.to_string())?;
        let constraints = certificate.tbs_certificate.get::<BasicConstraints>();
        if !matches!(constraints, Ok(Some((_, constraints))) if constraints.ca) {
            return Err("its certificate is not of a certificate authority".to_owned());
        }
        Ok(Self {
            kind: Kind::Certificate,
            text: text.to_owned(),
            authorities: vec![Authority::of(&[der])?],
        })
    }

    fn of_sigstore(text: &str) -> Result<Self, String> {
        let root = TrustConfig::read(text)?.trusted_root().unwrap_or(text);
        let root = SigstoreRoot::from_json(root).map_err(|error| error.to_string())?;
        let verifier = Verifier::new(&root).map_err(|error| error.to_string())?;
        let authorities = root.certificate_authorities.iter().map(|authority| {
            let chain = authority.cert_chain.certificates.iter();
            let chain = chain.map(|it| CertificateDer::from(it.raw_bytes.as_bytes().to_vec()));
            Authority::of(&chain.collect::<Vec<_>>())
        });
        let authorities = authorities.collect::<Result<Vec<_>, _>>()?;
        if authorities.is_empty() {
            return Err("it has no certificate authority".to_owned());
        }
        Ok(Self {
            kind: Kind::Sigstore(Box::new(verifier)),
            text: text.to_owned(),
            authorities,
        })
    }

    /// The file that it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True for a root of keyless signatures.
    pub fn is_sigstore(&self) -> bool {
        matches!(self.kind, Kind::Sigstore(_))
    }

    /// The keys of its root certificates, by which identities name it.
    pub fn fingerprints(&self) -> impl Iterator<Item = KeyFingerprint> {
        self.authorities.iter().map(|authority| authority.root)
    }

    /// The verifier of keyless signatures, if `certificate` is of an authority of this Sigstore,
    /// with the key of that authority's root.
    pub(crate) fn verifier_of(
        &self,
        certificate: &SigningCertificate<'_>,
    ) -> Option<(&Verifier, KeyFingerprint)> {
        let Kind::Sigstore(verifier) = &self.kind else {
            return None;
        };
        // When it signed is what the verifier finds out; a certificate of minutes was valid once.
        let at = certificate.valid_from();
        let mut authorities = self.authorities.iter();
        let found = authorities.find(|it| certificate.check_path(&it.anchors, at).is_ok())?;
        Some((verifier, found.root))
    }

    /// The identity that `certificate` has under this root certificate at a time.
    fn identity_of(
        &self,
        certificate: &SigningCertificate<'_>,
        at: UnixTime,
    ) -> Result<SignerIdentity, PathError> {
        let (Kind::Certificate, [authority]) = (&self.kind, &self.authorities[..]) else {
            return Err(PathError::NoRoot);
        };
        certificate.check_path(&authority.anchors, at)?;
        SignerIdentity::new(certificate.subject().to_owned(), None, authority.root)
            .map_err(|_| PathError::Name)
    }
}

/// The identity of `certificate` under one of `roots`, at the time of the signature.
pub(crate) fn identity_under(
    roots: &[&TrustedRoot],
    certificate: &SigningCertificate<'_>,
    at: SystemTime,
) -> Result<SignerIdentity, SigningError> {
    let since_epoch = at.duration_since(SystemTime::UNIX_EPOCH);
    let at = UnixTime::since_unix_epoch(since_epoch.unwrap_or(Duration::ZERO));
    let mut reason = PathError::NoRoot;
    for root in roots {
        match root.identity_of(certificate, at) {
            Ok(identity) => return Ok(identity),
            // A fault under the right root says more than that other roots do not vouch.
            Err(PathError::NoRoot) => {}
            Err(error) => reason = error,
        }
    }
    Err(certificate.untrusted(&reason))
}

impl Authority {
    /// The authority whose certificates are `chain`, up to its root.
    fn of(chain: &[CertificateDer<'_>]) -> Result<Self, String> {
        let root = chain.last().ok_or("an authority has no certificate")?;
        let root = Certificate::from_der(root).map_err(|error| error.to_string())?;
        let key = root.tbs_certificate.subject_public_key_info.to_der();
        let anchors = chain.iter().map(|der| {
            let anchor = webpki::anchor_from_trusted_cert(der);
            anchor.map(|it| it.to_owned()).map_err(|it| it.to_string())
        });
        Ok(Self {
            anchors: anchors.collect::<Result<_, _>>()?,
            root: KeyFingerprint::of(&key.map_err(|error| error.to_string())?),
        })
    }
}

impl fmt::Debug for TrustedRoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roots: Vec<KeyFingerprint> = self.fingerprints().collect();
        write!(f, "TrustedRoot({roots:?})")
    }
}
