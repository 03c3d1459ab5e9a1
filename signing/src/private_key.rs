//! The `PrivateKey` that signs packages: made, read from PEM and written as PEM.

use std::fmt;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1_SIGNING, ECDSA_P521_SHA512_ASN1_SIGNING,
    EcdsaKeyPair, EcdsaSigningAlgorithm, Ed25519KeyPair, KeyPair as _,
};
use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject as _;

use crate::error::SigningError;
use crate::pem;
use crate::public_key::{KeyKind, PublicKey};

/// The most bytes of a private key's PEM file.
pub const PRIVATE_KEY_BYTES_MAX: usize = 8192;

/// A key that signs. It prints nothing of itself.
pub struct PrivateKey {
    pair: Pair,
    public: PublicKey,
}

enum Pair {
    Ecdsa(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

/// The NIST curves. Ed25519 has a type of its own.
fn curve(kind: KeyKind) -> Option<&'static EcdsaSigningAlgorithm> {
    match kind {
        KeyKind::P256 => Some(&ECDSA_P256_SHA256_ASN1_SIGNING),
        KeyKind::P384 => Some(&ECDSA_P384_SHA384_ASN1_SIGNING),
        KeyKind::P521 => Some(&ECDSA_P521_SHA512_ASN1_SIGNING),
        KeyKind::Ed25519 => None,
    }
}

impl PrivateKey {
    /// A new key, of the system's random numbers.
    ///
    /// # Errors
    /// [`SigningError::Library`].
    pub fn generate(kind: KeyKind) -> Result<Self, SigningError> {
        let pair = match curve(kind) {
            Some(curve) => EcdsaKeyPair::generate(curve).map(Pair::Ecdsa),
            None => Ed25519KeyPair::generate().map(Pair::Ed25519),
        };
        Self::of(kind, pair.map_err(|_| SigningError::Library)?)
    }

    /// Reads a PEM file that holds one private key, not encrypted: PKCS#8 (`BEGIN PRIVATE KEY`),
    /// or SEC 1 (`BEGIN EC PRIVATE KEY`).
    ///
    /// # Errors
    /// [`SigningError::NotAPrivateKey`].
    pub fn from_pem(text: &[u8]) -> Result<Self, SigningError> {
        let refused = |reason| Err(SigningError::NotAPrivateKey { reason });
        if text.len() > PRIVATE_KEY_BYTES_MAX {
            return refused("it is too long");
        }
        let mut sections = PrivateKeyDer::pem_slice_iter(text);
        let der = match (sections.next(), sections.next()) {
            (Some(Ok(only)), None) => only,
            (Some(Ok(_)), Some(_)) => return refused("it holds more than one key"),
            (None, _) => return refused("there is no unencrypted private key in it"),
            (Some(Err(_)), _) => return refused("its PEM cannot be read"),
        };
        let der = der.secret_der();
        let mut pairs = KeyKind::ALL.into_iter().filter_map(|kind| {
            let pair = match curve(kind) {
                Some(curve) => EcdsaKeyPair::from_private_key_der(curve, der).map(Pair::Ecdsa),
                None => Ed25519KeyPair::from_pkcs8(der).map(Pair::Ed25519),
            };
            Some((kind, pair.ok()?))
        });
        match pairs.next() {
            Some((kind, pair)) => Self::of(kind, pair),
            None => refused("its kind is not P-256, P-384, P-521 or Ed25519"),
        }
    }

    fn of(kind: KeyKind, pair: Pair) -> Result<Self, SigningError> {
        let public = match &pair {
            Pair::Ecdsa(pair) => PublicKey::at_point(kind, pair.public_key().as_ref()),
            Pair::Ed25519(pair) => PublicKey::at_point(kind, pair.public_key().as_ref()),
        }?;
        Ok(Self { pair, public })
    }

    /// The key as PEM (PKCS#8, not encrypted), which whoever keeps it has to guard.
    ///
    /// # Errors
    /// [`SigningError::Library`].
    pub fn to_pem(&self) -> Result<String, SigningError> {
        let der = match &self.pair {
            Pair::Ecdsa(pair) => pair.to_pkcs8v1(),
            Pair::Ed25519(pair) => pair.to_pkcs8v1(),
        };
        let der = der.map_err(|_| SigningError::Library)?;
        Ok(pem::write("PRIVATE KEY", der.as_ref()))
    }

    /// The other half.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, SigningError> {
        let signature = match &self.pair {
            Pair::Ecdsa(pair) => pair.sign(&SystemRandom::new(), message),
            Pair::Ed25519(pair) => pair.try_sign(message),
        };
        let signature = signature.map_err(|_| SigningError::Library)?;
        Ok(signature.as_ref().to_vec())
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the secret half.
        write!(f, "PrivateKey(of {:?})", self.public)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_round_trips() {
        for kind in KeyKind::ALL {
            let key = PrivateKey::generate(kind).unwrap();
            let read = PrivateKey::from_pem(key.to_pem().unwrap().as_bytes()).unwrap();
            assert_eq!(read.public(), key.public());
            let signature = read.sign(b"message").unwrap();
            assert!(key.public().verifies(b"message", &signature));
            assert!(!key.public().verifies(b"massage", &signature));
        }
    }

    #[test]
    fn keys_of_openssl_are_read() {
        let sec1 = "-----BEGIN EC PRIVATE KEY-----
MHcCAQEEICOOlRzoTP6Kme0cIW8FtHDRIzT7atzN50PkZly+RVWdoAoGCCqGSM49
AwEHoUQDQgAEt9yWj5rW75G6/z5G8RDkNF4cdgDGiE043PachLvQnsTIt4gpZOsx
K6MKfS3gD8WPDLsDBgqLQgb9HqLgwnBFiA==
-----END EC PRIVATE KEY-----
";
        let ed25519 = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIIpq0fuNk2W8EUTMgRfHvl3jcAJajkt6eppxMXOHSkFY
-----END PRIVATE KEY-----
";
        for (text, kind) in [(sec1, KeyKind::P256), (ed25519, KeyKind::Ed25519)] {
            let key = PrivateKey::from_pem(text.as_bytes()).unwrap();
            assert_eq!(key.public().kind(), kind);
        }
    }

    #[test]
    fn nothing_of_it_is_printed() {
        let key = PrivateKey::generate(KeyKind::P256).unwrap();
        let printed = format!("{key:?}");
        let public = key.public().fingerprint();
        assert_eq!(printed, format!("PrivateKey(of PublicKey(P-256 {public}))"));
    }

    #[test]
    fn whatever_is_no_key_is_refused() {
        let key = PrivateKey::generate(KeyKind::P256).unwrap();
        let text = key.to_pem().unwrap();
        for (text, expect) in [
            (String::new(), "there is no unencrypted private key"),
            (
                text.replace("PRIVATE", "ENCRYPTED PRIVATE"),
                "there is no unencrypted private key",
            ),
            (key.public().to_pem(), "there is no unencrypted"),
            (text.repeat(2), "more than one"),
            (" ".repeat(PRIVATE_KEY_BYTES_MAX + 1), "too long"),
            (pem::write("PRIVATE KEY", b"x"), "its kind is not"),
        ] {
            let error = PrivateKey::from_pem(text.as_bytes()).unwrap_err();
            assert!(error.to_string().contains(expect), "{error}");
        }
    }
}
