//! Reads a JSON Web Key Set, and finds the key that a token names.

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde_json::Value;

/// Most keys of one issuer; further ones are passed over.
const KEYS_MAX: usize = 100;

/// The keys of an issuer that tokens may be signed with.
#[derive(Clone, Default)]
pub(super) struct KeySet(Vec<IssuerKey>);

/// A public key, with the one algorithm that it is for.
#[derive(Clone)]
pub(super) struct IssuerKey {
    id: String,
    pub(super) algorithm: Algorithm,
    pub(super) key: DecodingKey,
}

#[derive(Deserialize)]
struct Document {
    keys: Vec<Value>,
}

impl KeySet {
    /// Reads a document. Keys for other algorithms, and for encryption, are passed over, so that a
    /// new kind of key does not stop an issuer's others.
    pub(super) fn read(document: &[u8]) -> Result<Self, serde_json::Error> {
        let document: Document = serde_json::from_slice(document)?;
        let keys = document.keys.into_iter().take(KEYS_MAX);
        Ok(Self(keys.filter_map(IssuerKey::read).collect()))
    }

    pub(super) fn find(&self, id: &str) -> Option<&IssuerKey> {
        self.0.iter().find(|key| key.id == id)
    }
}

impl IssuerKey {
    /// The kind of key decides the algorithm, never a token. A secret is no public key: whoever
    /// reads the document could sign with it.
    fn read(value: Value) -> Option<Self> {
        let jwk: Jwk = serde_json::from_value(value).ok()?;
        let (algorithm, named) = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => (Algorithm::RS256, KeyAlgorithm::RS256),
            AlgorithmParameters::EllipticCurve(curve) if curve.curve == EllipticCurve::P256 => {
                (Algorithm::ES256, KeyAlgorithm::ES256)
            }
            _ => return None,
        };
        let is_for_it = jwk.common.key_algorithm.is_none_or(|it| it == named);
        let signs = match &jwk.common.public_key_use {
            None => true,
            Some(purpose) => *purpose == PublicKeyUse::Signature,
        };
        if !is_for_it || !signs {
            return None;
        }
        Some(Self {
            key: DecodingKey::from_jwk(&jwk).ok()?,
            id: jwk.common.key_id?,
            algorithm,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The public key of RFC 7517, appendix A.1.
    fn curve() -> Value {
        json!({
            "kty": "EC", "crv": "P-256", "use": "sig", "kid": "1",
            "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
            "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
        })
    }

    #[track_caller]
    fn check(change: Value, is_taken: bool) {
        let mut key = curve();
        for (name, value) in change.as_object().unwrap() {
            key[name] = value.clone();
        }
        let document = json!({ "keys": [key, { "kty": "new" }] }).to_string();
        let keys = KeySet::read(document.as_bytes()).unwrap();
        assert_eq!(keys.find("1").is_some(), is_taken, "{change}");
    }

    #[test]
    fn only_public_keys_for_signatures_are_taken() {
        check(json!({}), true);
        check(json!({ "alg": "ES256" }), true);
        check(json!({ "use": "enc" }), false);
        check(json!({ "alg": "ES384" }), false);
        check(json!({ "kid": "2" }), false);
        check(json!({ "kid": null }), false);
        check(json!({ "crv": "P-384" }), false);
        check(
            json!({ "kty": "oct", "k": "c2VjcmV0", "alg": "HS256" }),
            false,
        );
    }

    #[test]
    fn what_is_no_set_of_keys_is_refused() {
        for document in ["", "[]", "{}", r#"{"keys":{}}"#] {
            assert!(KeySet::read(document.as_bytes()).is_err(), "{document}");
        }
    }
}
