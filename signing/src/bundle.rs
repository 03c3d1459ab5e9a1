//! The Sigstore bundle v0.3 in which a signature is kept: an envelope, and which key it is of.

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};

use crate::envelope::PAYLOAD_TYPE;
use crate::error::SigningError;

/// The most bytes of a signature that are read. One of a tool has about two thousand.
pub const BUNDLE_BYTES_MAX: usize = 64 << 10;

/// The most certificates of a signature.
pub(crate) const CERTIFICATES_MAX: usize = 8;

const MEDIA_TYPE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";

/// A bundle whose form was checked, and nothing else.
pub(crate) struct Bundle {
    /// The key or the certificate.
    pub(crate) material: Material,
    /// True if there are entries of a public log, which only a keyless signature has.
    pub(crate) is_logged: bool,
    /// The statement, as it is signed.
    pub(crate) payload: Vec<u8>,
    /// The signature over the envelope.
    pub(crate) signature: Vec<u8>,
}

/// The key or the certificates that a signature is verified with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Material {
    /// A key, by its name where the bundle says it.
    Key { hint: Option<String> },
    /// A certificate and those between it and its root, as DER.
    Certificates(Vec<Vec<u8>>),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct BundleJson {
    media_type: String,
    verification_material: VerificationMaterial,
    dsse_envelope: Option<EnvelopeJson>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct VerificationMaterial {
    #[serde(skip_serializing_if = "Option::is_none")]
    public_key: Option<KeyIdentifier>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<CertificateJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    x509_certificate_chain: Option<ChainJson>,
    /// Entries of a public log, which `keyless` reads. None are written; `model_signing` wants the
    /// list.
    #[serde(default, serialize_with = "no_entries")]
    tlog_entries: Vec<serde::de::IgnoredAny>,
}

fn no_entries<S: serde::Serializer>(
    _: &[serde::de::IgnoredAny],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    [(); 0].serialize(serializer)
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CertificateJson {
    raw_bytes: String,
}

#[derive(Serialize, Deserialize)]
struct ChainJson {
    certificates: Vec<CertificateJson>,
}

#[derive(Serialize, Deserialize)]
struct KeyIdentifier {
    hint: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EnvelopeJson {
    payload: String,
    payload_type: String,
    signatures: Vec<SignatureJson>,
}

#[derive(Serialize, Deserialize)]
struct SignatureJson {
    sig: String,
    /// Not signed, so nothing is made of it.
    #[serde(default)]
    keyid: String,
}

impl Bundle {
    /// Reads a bundle. Members that it does not name are ignored; one that is there twice is
    /// refused.
    pub(crate) fn from_json(text: &[u8]) -> Result<Self, SigningError> {
        if text.len() > BUNDLE_BYTES_MAX {
            return Err(SigningError::TooLarge {
                bytes_max: BUNDLE_BYTES_MAX,
            });
        }
        let bundle: BundleJson = serde_json::from_slice(text)
            .map_err(|error| SigningError::malformed(format!("its bundle: {error}")))?;
        if bundle.media_type != MEDIA_TYPE {
            let reason = format!("its media type is not `{MEDIA_TYPE}`");
            return Err(SigningError::malformed(reason));
        }
        let is_logged = !bundle.verification_material.tlog_entries.is_empty();
        let material = bundle.verification_material.read()?;
        let Some(envelope) = bundle.dsse_envelope else {
            return Err(SigningError::malformed("it has no DSSE envelope"));
        };
        if envelope.payload_type != PAYLOAD_TYPE {
            let reason = format!("the type of its payload is not `{PAYLOAD_TYPE}`");
            return Err(SigningError::malformed(reason));
        }
        let [signature] = &envelope.signatures[..] else {
            return Err(SigningError::malformed("it has not exactly one signature"));
        };
        Ok(Self {
            material,
            is_logged,
            payload: decoded("payload", &envelope.payload)?,
            signature: decoded("sig", &signature.sig)?,
        })
    }

    /// Writes the bundle as `model_signing` does.
    pub(crate) fn to_json(&self) -> Result<Vec<u8>, SigningError> {
        let bundle = BundleJson {
            media_type: MEDIA_TYPE.to_owned(),
            verification_material: VerificationMaterial::of(&self.material),
            dsse_envelope: Some(EnvelopeJson {
                payload: BASE64.encode(&self.payload),
                payload_type: PAYLOAD_TYPE.to_owned(),
                signatures: vec![SignatureJson {
                    sig: BASE64.encode(&self.signature),
                    keyid: String::new(),
                }],
            }),
        };
        serde_json::to_vec(&bundle).map_err(|error| SigningError::malformed(error.to_string()))
    }
}

impl VerificationMaterial {
    fn of(material: &Material) -> Self {
        let (public_key, x509_certificate_chain) = match material {
            Material::Key { hint } => (Some(KeyIdentifier { hint: hint.clone() }), None),
            Material::Certificates(chain) => {
                let certificates = chain.iter().map(|der| CertificateJson {
                    raw_bytes: BASE64.encode(der),
                });
                let certificates = certificates.collect();
                (None, Some(ChainJson { certificates }))
            }
        };
        Self {
            public_key,
            certificate: None,
            x509_certificate_chain,
            tlog_entries: Vec::new(),
        }
    }

    /// The key or the certificates. A signature is of one kind, never of two.
    fn read(self) -> Result<Material, SigningError> {
        let certificates = match (
            self.public_key,
            self.certificate,
            self.x509_certificate_chain,
        ) {
            (Some(key), None, None) => return Ok(Material::Key { hint: key.hint }),
            (None, Some(only), None) => vec![only],
            (None, None, Some(chain)) => chain.certificates,
            _ => {
                let reason = "it has not exactly one kind of key material";
                return Err(SigningError::malformed(reason));
            }
        };
        if !(1..=CERTIFICATES_MAX).contains(&certificates.len()) {
            let reason = format!("it has not between 1 and {CERTIFICATES_MAX} certificates");
            return Err(SigningError::malformed(reason));
        }
        let certificates = certificates.iter();
        let certificates = certificates.map(|it| decoded("rawBytes", &it.raw_bytes));
        certificates
            .collect::<Result<_, _>>()
            .map(Material::Certificates)
    }
}

fn decoded(member: &str, text: &str) -> Result<Vec<u8>, SigningError> {
    BASE64
        .decode(text.as_bytes())
        .map_err(|_| SigningError::malformed(format!("its `{member}` is not base64")))
}
