//! The rotation of a key: the old key signs a statement that the new one replaces it.
//!
//! It is a Sigstore bundle as the signature of a package is, around an in-toto statement of a
//! type of its own, so that neither passes for the other. Its subject is the new key's PEM file;
//! the predicate holds the old key.

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{Digest, KeyFingerprint, package_file};

use crate::bundle::{Bundle, Material};
use crate::envelope::pre_authentication_encoding;
use crate::error::SigningError;
use crate::private_key::PrivateKey;
use crate::public_key::PublicKey;
use crate::statement::{STATEMENT_TYPE, Subject};

const PREDICATE_TYPE: &str = "urn:tool-hub:key-rotation:v1";

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RotationStatement {
    #[serde(rename = "_type")]
    r#type: String,
    subject: [Subject; 1],
    predicate_type: String,
    predicate: Rotation,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rotation {
    /// The old key as PEM.
    before: String,
}

/// Says with `old` that `new` replaces it. The result is the content of `signer-rotation.sig`,
/// which lies in the packages that `new` signs.
///
/// # Errors
/// [`SigningError::Library`].
pub fn rotate(old: &PrivateKey, new: &PublicKey) -> Result<Vec<u8>, SigningError> {
    let statement = RotationStatement {
        r#type: STATEMENT_TYPE.to_owned(),
        subject: [Subject::of(package_file::SIGNER, digest_of(new))],
        predicate_type: PREDICATE_TYPE.to_owned(),
        predicate: Rotation {
            before: old.public().to_pem(),
        },
    };
    let payload = serde_json::to_vec(&statement).map_err(|_| SigningError::Library)?;
    let signature = old.sign(&pre_authentication_encoding(&payload))?;
    let bundle = Bundle {
        material: Material::Key {
            hint: Some(old.public().hint()),
        },
        is_logged: false,
        payload,
        signature,
    };
    bundle.to_json()
}

/// Verifies the content of `signer-rotation.sig`: returns the key that says of `new` that it
/// replaces it.
pub(crate) fn replaced_by(new: &PublicKey, bundle: &[u8]) -> Result<KeyFingerprint, SigningError> {
    let wrong = |reason: &str| SigningError::WrongRotation {
        reason: reason.to_owned(),
    };
    let bundle = Bundle::from_json(bundle).map_err(|error| wrong(&error.to_string()))?;
    let statement: RotationStatement = serde_json::from_slice(&bundle.payload)
        .map_err(|error| wrong(&format!("its statement: {error}")))?;
    if statement.r#type != STATEMENT_TYPE || statement.predicate_type != PREDICATE_TYPE {
        return Err(wrong("its statement is of another type"));
    }
    let old = PublicKey::from_pem(statement.predicate.before.as_bytes())
        .map_err(|error| wrong(&error.to_string()))?;
    if !old.verifies(
        &pre_authentication_encoding(&bundle.payload),
        &bundle.signature,
    ) {
        return Err(wrong("the old key did not sign it"));
    }
    let [subject] = &statement.subject;
    if !subject.is(package_file::SIGNER, digest_of(new)) {
        return Err(wrong("it names another new key"));
    }
    Ok(old.fingerprint())
}

fn digest_of(key: &PublicKey) -> Digest {
    Digest::of(key.to_pem().as_bytes())
}

#[cfg(test)]
mod tests {
    use data_encoding::BASE64;
    use serde_json::{Value, json};

    use super::*;
    use crate::public_key::KeyKind;

    fn key(kind: KeyKind) -> PrivateKey {
        PrivateKey::generate(kind).unwrap()
    }

    #[track_caller]
    fn refused(new: &PublicKey, bundle: &[u8], expect: &str) {
        let error = replaced_by(new, bundle).unwrap_err();
        assert!(error.is_refusal(), "{error:?}");
        assert!(error.to_string().contains(expect), "{error}");
    }

    #[test]
    fn the_old_key_names_the_new_one() {
        for (one, other) in [
            (KeyKind::P256, KeyKind::Ed25519),
            (KeyKind::Ed25519, KeyKind::P384),
        ] {
            let (old, new, third) = (key(one), key(other), key(other));
            let rotation = rotate(&old, new.public()).unwrap();
            let before = replaced_by(new.public(), &rotation);
            assert_eq!(before, Ok(old.public().fingerprint()));
            refused(third.public(), &rotation, "it names another new key");
            refused(old.public(), &rotation, "it names another new key");
        }
    }

    /// Whoever has the new key alone cannot say that it replaces another.
    #[test]
    fn nobody_else_names_it() {
        let (old, new) = (key(KeyKind::P256), key(KeyKind::P256));
        let honest = rotate(&new, new.public()).unwrap();
        let mut bundle: Value = serde_json::from_slice(&honest).unwrap();
        let payload = bundle["dsseEnvelope"]["payload"].as_str().unwrap();
        let payload = BASE64.decode(payload.as_bytes()).unwrap();
        let mut statement: Value = serde_json::from_slice(&payload).unwrap();
        statement["predicate"]["before"] = json!(old.public().to_pem());
        let payload = serde_json::to_vec(&statement).unwrap();
        let signature = new.sign(&pre_authentication_encoding(&payload)).unwrap();
        bundle["dsseEnvelope"]["payload"] = json!(BASE64.encode(&payload));
        bundle["dsseEnvelope"]["signatures"][0]["sig"] = json!(BASE64.encode(&signature));
        let forged = serde_json::to_vec(&bundle).unwrap();
        refused(new.public(), &forged, "the old key did not sign it");
        refused(new.public(), b"{}", "its bundle");
    }
}
