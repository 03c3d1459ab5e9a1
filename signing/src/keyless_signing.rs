//! The steps of a keyless signature, as the messages that a Sigstore's services are sent.
//!
//! [`KeylessSigning`] asks for a certificate, [`CertifiedSignature`] for an entry in the log and
//! for timestamps. Whoever calls them sends the messages. The formats are those of Fulcio v2,
//! Rekor v1 and v2, and RFC 3161.

use std::collections::HashMap;

use data_encoding::BASE64;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use serde::Deserialize;
use serde_json::json;
use sigstore_verify::bundle::BundleV03;
use sigstore_verify::rekor::{DsseEntry, HashedRekordV2, LogEntry, RekorV2KeyDetails};
use sigstore_verify::types::{
    DerCertificate, DsseEnvelope, DsseSignature, KindVersion, PayloadBytes, Sha256Hash,
    SignatureBytes, TimestampToken, TransparencyLogEntry,
};
use tool_hub_manifest::Digest;
use x509_cert::der::asn1::BitString;
use x509_cert::der::oid::ObjectIdentifier;
use x509_cert::der::{self, Decode as _, Encode as _};
use x509_cert::name::Name;
use x509_cert::request::{CertReq, CertReqInfo, Version};
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};

use crate::certificate::SigningCertificate;
use crate::envelope::PAYLOAD_TYPE;
use crate::error::{SigningError, escaped};
use crate::package_files::PackageFiles;
use crate::pem;
use crate::private_key::PrivateKey;
use crate::public_key::KeyKind;
use crate::signing_services::LogVersion;
use crate::statement::Statement;
use crate::trusted_root::TrustedRoot;

const ECDSA_WITH_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2");

/// A request for a timestamp (RFC 3161, 2.4.1) up to the digest: version 1, SHA-256.
const TIMESTAMP_REQUEST: [u8; 24] = [
    0x30, 0x39, 0x02, 0x01, 0x01, 0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65,
    0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20,
];
/// The rest of it: the certificate is wanted. Without a nonce, as the digest is of a signature that
/// was made just now.
const WITH_CERTIFICATE: [u8; 3] = [0x01, 0x01, 0xff];

/// A package that is to be signed keyless, with a key that signs it and nothing else.
#[derive(Debug)]
pub struct KeylessSigning {
    key: PrivateKey,
    payload: Vec<u8>,
}

/// A signature with the certificate of its key, which the log does not have yet.
#[derive(Debug)]
pub struct CertifiedSignature {
    certificate: DerCertificate,
    envelope: DsseEnvelope,
}

/// The answer of a Fulcio. One whose certificate has no registration in itself has another member.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CertificateAnswer {
    signed_certificate_embedded_sct: Option<ChainAnswer>,
}

#[derive(Deserialize)]
struct ChainAnswer {
    chain: Chain,
}

#[derive(Deserialize)]
struct Chain {
    certificates: Vec<String>,
}

impl KeylessSigning {
    /// Begins to sign `files`, with a new key.
    ///
    /// # Errors
    /// [`SigningError::Library`].
    pub fn of(files: &PackageFiles<'_>) -> Result<Self, SigningError> {
        let name = files.package.manifest().name.as_str();
        Ok(Self {
            key: PrivateKey::generate(KeyKind::P256)?,
            payload: Statement::of(name, &files.hashed()).to_payload()?,
        })
    }

    /// The JSON that a certificate authority is sent, with a job's or a person's identity token.
    ///
    /// # Errors
    /// [`SigningError::Library`].
    pub fn certificate_request(&self, identity_token: &str) -> Result<Vec<u8>, SigningError> {
        let request = self.signed_request()?;
        let pem = pem::write("CERTIFICATE REQUEST", &request);
        let body = json!({
            "credentials": { "oidcIdentityToken": identity_token },
            "certificateSigningRequest": BASE64.encode(pem.as_bytes()),
        });
        Ok(body.to_string().into_bytes())
    }

    /// A request (PKCS #10) that names nobody: whom the certificate is for, the token says.
    fn signed_request(&self) -> Result<Vec<u8>, SigningError> {
        let failed = |_: der::Error| SigningError::Library;
        let key = SubjectPublicKeyInfoOwned::from_der(self.key.public().der());
        let info = CertReqInfo {
            version: Version::V1,
            subject: Name::default(),
            public_key: key.map_err(failed)?,
            attributes: Default::default(),
        };
        let signature = self.key.sign(&info.to_der().map_err(failed)?)?;
        let request = CertReq {
            info,
            algorithm: AlgorithmIdentifierOwned {
                oid: ECDSA_WITH_SHA256,
                parameters: None,
            },
            signature: BitString::from_bytes(&signature).map_err(failed)?,
        };
        request.to_der().map_err(failed)
    }

    /// Signs with the certificate in a certificate authority's `answer`, which has to be for the
    /// key, and under `root`. The key is gone afterwards.
    ///
    /// # Errors
    /// [`SigningError::WrongAnswer`], [`SigningError::Library`].
    pub fn certified(
        self,
        answer: &[u8],
        root: &TrustedRoot,
    ) -> Result<CertifiedSignature, SigningError> {
        let chain = [leaf(answer)?];
        let certificate = SigningCertificate::read(&chain).map_err(|error| match error {
            SigningError::Malformed { reason } => wrong(&reason),
            error => wrong(&error.to_string()),
        })?;
        if certificate.key() != self.key.public() {
            return Err(wrong("its certificate is for another key"));
        }
        if root.verifier_of(&certificate).is_none() {
            return Err(wrong(
                "its certificate is not of an authority of the trusted root",
            ));
        }
        let [leaf] = chain;
        let payload = PayloadBytes::new(self.payload);
        let unsigned = DsseSignature::new(SignatureBytes::from_bytes(&[]), Default::default());
        let mut envelope = DsseEnvelope::new(PAYLOAD_TYPE, payload, unsigned);
        envelope.signature.sig = SignatureBytes::new(self.key.sign(&envelope.pae())?);
        Ok(CertifiedSignature {
            certificate: DerCertificate::new(leaf),
            envelope,
        })
    }
}

/// The first certificate of the chain in `answer`.
fn leaf(answer: &[u8]) -> Result<Vec<u8>, SigningError> {
    let answer: CertificateAnswer =
        serde_json::from_slice(answer).map_err(|error| wrong(&error.to_string()))?;
    let Some(answer) = answer.signed_certificate_embedded_sct else {
        return Err(wrong(
            "it has no certificate with the proof of its registration (SCT) in it",
        ));
    };
    let pem = answer.chain.certificates.first();
    let pem = pem.ok_or_else(|| wrong("it has no certificate"))?;
    let der = CertificateDer::from_pem_slice(pem.as_bytes());
    let der = der.map_err(|_| wrong("its certificate cannot be read"))?;
    Ok(der.to_vec())
}

impl CertifiedSignature {
    /// The JSON that a log is sent.
    ///
    /// # Errors
    /// [`SigningError::Library`].
    pub fn log_request(&self, version: LogVersion) -> Result<Vec<u8>, SigningError> {
        let request = match version {
            LogVersion::V1 => DsseEntry::new(&self.envelope, &self.certificate)
                .map_err(|_| SigningError::Library)
                .map(|entry| serde_json::to_vec(&entry))?,
            LogVersion::V2 => serde_json::to_vec(&HashedRekordV2::new_with_certificate(
                &Sha256Hash::new(*Digest::of(&self.envelope.pae()).as_bytes()),
                &self.envelope.signature.sig,
                &self.certificate,
                RekorV2KeyDetails::PkixEcdsaP256Sha256,
            )),
        };
        request.map_err(|_| SigningError::Library)
    }

    /// The DER that a timestamp authority is sent.
    pub fn timestamp_request(&self) -> Vec<u8> {
        let digest = Digest::of(self.envelope.signature.sig.as_bytes());
        [&TIMESTAMP_REQUEST[..], digest.as_bytes(), &WITH_CERTIFICATE].concat()
    }

    /// The content of `model.sig`, with a log's `answer` and those of timestamp authorities. It
    /// counts only once it is verified.
    ///
    /// # Errors
    /// [`SigningError::WrongAnswer`].
    pub fn with_proofs(
        self,
        version: LogVersion,
        answer: &[u8],
        timestamps: Vec<Vec<u8>>,
    ) -> Result<Vec<u8>, SigningError> {
        let entry = log_entry(version, answer)?;
        let bundle = BundleV03::with_certificate_and_dsse(self.certificate, self.envelope);
        let bundle = timestamps
            .into_iter()
            .map(TimestampToken::new)
            .fold(bundle.with_tlog_entry(entry), |bundle, token| {
                bundle.with_rfc3161_timestamp(token)
            });
        let json = bundle.into_bundle().to_json();
        Ok(json.map_err(|_| SigningError::Library)?.into_bytes())
    }
}

/// The entry in the answer of a log.
fn log_entry(version: LogVersion, answer: &[u8]) -> Result<TransparencyLogEntry, SigningError> {
    let unreadable = |error: serde_json::Error| wrong(&error.to_string());
    if version == LogVersion::V2 {
        return serde_json::from_slice(answer).map_err(unreadable);
    }
    let entries: HashMap<String, LogEntry> = serde_json::from_slice(answer).map_err(unreadable)?;
    let mut entries = entries.values();
    match (entries.next(), entries.next()) {
        (Some(entry), None) => entry
            .to_bundle_entry(KindVersion::DsseV001)
            .map_err(|error| wrong(&error.to_string())),
        _ => Err(wrong("it has not exactly one entry")),
    }
}

fn wrong(reason: &str) -> SigningError {
    SigningError::WrongAnswer {
        reason: escaped(reason, 200),
    }
}
