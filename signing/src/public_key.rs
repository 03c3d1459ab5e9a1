//! The `PublicKey` that verifies signatures, its `KeyKind`, and its forms as PEM and fingerprint.

use std::fmt;

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P384_SHA384_ASN1, ECDSA_P521_SHA512_ASN1, ED25519,
    UnparsedPublicKey, VerificationAlgorithm,
};
use rustls_pki_types::SubjectPublicKeyInfoDer;
use rustls_pki_types::pem::PemObject as _;
use tool_hub_manifest::{Digest, KeyFingerprint};

use crate::error::SigningError;
use crate::pem;

/// The most bytes of a public key's PEM file.
pub const PUBLIC_KEY_BYTES_MAX: usize = 4096;

/// The kind of a key. It alone decides how a signature is verified; what a bundle says about
/// algorithms is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyKind {
    /// ECDSA on P-256 with SHA-256.
    P256,
    /// ECDSA on P-384 with SHA-384.
    P384,
    /// ECDSA on P-521 with SHA-512.
    P521,
    /// Ed25519 (RFC 8032). `model_signing` does not know it.
    Ed25519,
}

/// A public key of a kind that is known, at a valid point.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    kind: KeyKind,
    /// Its `SubjectPublicKeyInfo`: that of the kind, and then the point.
    der: Vec<u8>,
}

impl KeyKind {
    pub(crate) const ALL: [Self; 4] = [Self::P256, Self::P384, Self::P521, Self::Ed25519];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::P256 => "P-256",
            Self::P384 => "P-384",
            Self::P521 => "P-521",
            Self::Ed25519 => "Ed25519",
        }
    }

    /// The bytes before the point in the `SubjectPublicKeyInfo` of such a key (RFC 5480 and
    /// 8410). DER has one form for each key, so comparing bytes parses all of it.
    fn prefix(self) -> &'static [u8] {
        match self {
            Self::P256 => &[
                0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06,
                0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
            ],
            Self::P384 => &[
                0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06,
                0x05, 0x2b, 0x81, 0x04, 0x00, 0x22, 0x03, 0x62, 0x00,
            ],
            Self::P521 => &[
                0x30, 0x81, 0x9b, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01,
                0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x23, 0x03, 0x81, 0x86, 0x00,
            ],
            Self::Ed25519 => &[
                0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
            ],
        }
    }

    /// The length of the point: uncompressed on the NIST curves.
    fn point_bytes(self) -> usize {
        match self {
            Self::P256 => 65,
            Self::P384 => 97,
            Self::P521 => 133,
            Self::Ed25519 => 32,
        }
    }

    fn algorithm(self) -> &'static dyn VerificationAlgorithm {
        match self {
            Self::P256 => &ECDSA_P256_SHA256_ASN1,
            Self::P384 => &ECDSA_P384_SHA384_ASN1,
            Self::P521 => &ECDSA_P521_SHA512_ASN1,
            Self::Ed25519 => &ED25519,
        }
    }
}

impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PublicKey {
    /// Reads a PEM file that holds one public key (`BEGIN PUBLIC KEY`), and nothing else that PEM
    /// knows.
    ///
    /// # Errors
    /// [`SigningError::NotAPublicKey`].
    pub fn from_pem(text: &[u8]) -> Result<Self, SigningError> {
        let refused = |reason| Err(SigningError::NotAPublicKey { reason });
        if text.len() > PUBLIC_KEY_BYTES_MAX {
            return refused("it is too long");
        }
        let mut sections = SubjectPublicKeyInfoDer::pem_slice_iter(text);
        match (sections.next(), sections.next()) {
            (Some(Ok(only)), None) => Self::from_der(&only),
            (Some(Ok(_)), Some(_)) => refused("it holds more than one key"),
            (None, _) => refused("there is no BEGIN PUBLIC KEY in it"),
            (Some(Err(_)), _) => refused("its PEM cannot be read"),
        }
    }

    pub(crate) fn from_der(der: &[u8]) -> Result<Self, SigningError> {
        let mut kinds = KeyKind::ALL.into_iter();
        let kind = kinds.find(|kind| {
            der.starts_with(kind.prefix()) && der.len() == kind.prefix().len() + kind.point_bytes()
        });
        let Some(kind) = kind else {
            let reason = "its kind is not P-256, P-384, P-521 or Ed25519";
            return Err(SigningError::NotAPublicKey { reason });
        };
        let der = der.to_vec();
        let key = Self { kind, der };
        let is_on_curve = key.unparsed().parse().is_ok();
        is_on_curve
            .then_some(key)
            .ok_or(SigningError::NotAPublicKey {
                reason: "its point is not on the curve",
            })
    }

    /// The key of this kind at `point`, from the library that made it.
    pub(crate) fn at_point(kind: KeyKind, point: &[u8]) -> Result<Self, SigningError> {
        Self::from_der(&[kind.prefix(), point].concat())
    }

    /// Its kind.
    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    /// The key as PEM, as OpenSSL writes it.
    pub fn to_pem(&self) -> String {
        pem::write("PUBLIC KEY", &self.der)
    }

    /// The key as DER, its `SubjectPublicKeyInfo`.
    pub(crate) fn der(&self) -> &[u8] {
        &self.der
    }

    /// The digest by which people know it.
    pub fn fingerprint(&self) -> KeyFingerprint {
        KeyFingerprint::of(&self.der)
    }

    /// The digest of its PEM form by which `model_signing` names it in a bundle, as 64
    /// hexadecimal digits.
    pub(crate) fn hint(&self) -> String {
        Digest::of(self.to_pem().as_bytes()).hex()
    }

    /// True if `signature` is this key's, over exactly `message`.
    pub(crate) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        self.unparsed().verify(message, signature).is_ok()
    }

    fn unparsed(&self) -> UnparsedPublicKey<&[u8]> {
        let point = &self.der[self.kind.prefix().len()..];
        UnparsedPublicKey::new(self.kind.algorithm(), point)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({} {})", self.kind, self.fingerprint())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::private_key::PrivateKey;

    /// A key that OpenSSL 3 made, and the digest of its DER form by `openssl dgst`.
    const BY_OPENSSL: &str = "-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEzgbISp+v2fizV/XOz57IbslboO0s
8fJ9eWLm/ae2Xao4XOQ759wIA5JuP0KBwwEP7ocR/gvdbYRFmtwoidk3+g==
-----END PUBLIC KEY-----
";
    const FINGERPRINT: &str = "SHA256:25J1I8tmqP8YWeulsORmnzH37yTUlHH3kVj9Map60sg";

    #[test]
    fn a_key_is_named_as_others_name_it() {
        let key = PublicKey::from_pem(BY_OPENSSL.as_bytes()).unwrap();
        assert_eq!((key.kind(), &*key.to_pem()), (KeyKind::P256, BY_OPENSSL));
        let hint = "6031ab179e5d2059a76478deaaf9180bf3522c1f1d43b93b186604495b54e0b0";
        assert_eq!(key.hint(), hint);
        assert_eq!(key.fingerprint().to_string(), FINGERPRINT);
    }

    #[test]
    fn every_kind_round_trips() {
        for kind in KeyKind::ALL {
            let key = PrivateKey::generate(kind).unwrap().public().clone();
            let read = PublicKey::from_pem(key.to_pem().as_bytes()).unwrap();
            assert_eq!((read.kind(), &read), (kind, &key));
        }
    }

    #[track_caller]
    fn refused(text: &str, expect: &str) {
        let error = PublicKey::from_pem(text.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(expect), "{error}");
    }

    #[test]
    fn whatever_is_no_key_is_refused() {
        refused("", "there is no BEGIN PUBLIC KEY");
        refused(&BY_OPENSSL.replace("MFkw", "!"), "cannot be read");
        refused(&BY_OPENSSL.repeat(2), "more than one");
        refused(&" ".repeat(PUBLIC_KEY_BYTES_MAX + 1), "too long");
        refused(
            &BY_OPENSSL.replace("PUBLIC KEY", "PRIVATE KEY"),
            "there is no",
        );
        // Another point, one byte fewer, one byte more.
        refused(&BY_OPENSSL.replace("zgbI", "zgbJ"), "not on the curve");
        let key = PublicKey::from_pem(BY_OPENSSL.as_bytes()).unwrap();
        let shorter = &key.der[..key.der.len() - 1];
        refused(&pem::write("PUBLIC KEY", shorter), "its kind is not");
        let longer = [&key.der[..], &[0]].concat();
        refused(&pem::write("PUBLIC KEY", &longer), "its kind is not");
    }
}
