//! The Sigstore bundle v0.3 in which a signature is kept: an envelope, and which key it is of.

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};

use crate::envelope::PAYLOAD_TYPE;
use crate::error::SigningError;

/// The most bytes of a signature that are read. One of a tool has about two thousand.
pub const BUNDLE_BYTES_MAX: usize = 64 << 10;

const MEDIA_TYPE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";

/// A bundle whose form was checked, and nothing else.
pub(crate) struct Bundle {
    /// The key's name, where the bundle says it.
    pub(crate) hint: Option<String>,
    /// The statement, as it is signed.
    pub(crate) payload: Vec<u8>,
    /// The signature over the envelope.
    pub(crate) signature: Vec<u8>,
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
    #[serde(skip_serializing)]
    certificate: Option<serde::de::IgnoredAny>,
    #[serde(skip_serializing)]
    x509_certificate_chain: Option<serde::de::IgnoredAny>,
    /// Entries of a public log, which are not looked at; `model_signing` wants the list.
    #[serde(default, skip_deserializing)]
    tlog_entries: [(); 0],
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
        let hint = bundle.verification_material.hint()?;
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
            hint,
            payload: decoded("payload", &envelope.payload)?,
            signature: decoded("sig", &signature.sig)?,
        })
    }

    /// Writes the bundle as `model_signing` does.
    pub(crate) fn to_json(&self) -> Result<Vec<u8>, SigningError> {
        let bundle = BundleJson {
            media_type: MEDIA_TYPE.to_owned(),
            verification_material: VerificationMaterial {
                public_key: Some(KeyIdentifier {
                    hint: self.hint.clone(),
                }),
                certificate: None,
                x509_certificate_chain: None,
                tlog_entries: [],
            },
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
    /// The key's name. A signature is of a key or of a certificate, never of both.
    fn hint(self) -> Result<Option<String>, SigningError> {
        let has_certificate = self.certificate.is_some() || self.x509_certificate_chain.is_some();
        match self.public_key {
            Some(key) if !has_certificate => Ok(key.hint),
            None if has_certificate => Err(SigningError::Unsupported {
                what: "a certificate",
            }),
            _ => Err(SigningError::malformed(
                "it has not exactly one kind of key material",
            )),
        }
    }
}

fn decoded(member: &str, text: &str) -> Result<Vec<u8>, SigningError> {
    BASE64
        .decode(text.as_bytes())
        .map_err(|_| SigningError::malformed(format!("its `{member}` is not base64")))
}
