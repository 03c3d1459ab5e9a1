//! Signs a package, and verifies its signature, which gives a `VerifiedSigner`.

use tool_hub_manifest::{KeyFingerprint, Pin};

use crate::bundle::Bundle;
use crate::envelope::pre_authentication_encoding;
use crate::error::SigningError;
use crate::package_files::PackageFiles;
use crate::private_key::PrivateKey;
use crate::public_key::PublicKey;
use crate::rotation::replaced_by;
use crate::statement::Statement;

/// Signs `files` with `key`. The result is the content of `model.sig`, with which
/// `model_signing verify key` accepts a directory of these files, for keys on the NIST curves.
///
/// # Errors
/// [`SigningError::Library`].
pub fn sign(files: &PackageFiles<'_>, key: &PrivateKey) -> Result<Vec<u8>, SigningError> {
    let name = files.package.manifest().name.as_str();
    let payload = Statement::of(name, &files.hashed()).to_payload()?;
    let signature = key.sign(&pre_authentication_encoding(&payload))?;
    let bundle = Bundle {
        hint: Some(key.public().hint()),
        payload,
        signature,
    };
    bundle.to_json()
}

/// The key that signed a package. It exists only where the signature over exactly that package
/// was verified:
///
/// ```compile_fail,E0451
/// # use tool_hub_signing::{PublicKey, VerifiedSigner};
/// # fn forge(key: PublicKey, package: tool_hub_manifest::Pin) -> VerifiedSigner {
/// // The fields are private: no literal, and no constructor that does not verify.
/// VerifiedSigner { key, package, replaces: None }
/// # }
/// ```
///
/// It says that whoever has the key meant this package, and no other version of it. Whose key it
/// is, the user knows or does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedSigner {
    key: PublicKey,
    package: Pin,
    replaces: Option<KeyFingerprint>,
}

impl VerifiedSigner {
    /// Verifies `bundle`, the content of `model.sig`, over all of `files`, with the key in
    /// `signer.pem` or else that of `known` which the bundle names.
    ///
    /// # Errors
    /// One that [is a refusal](SigningError::is_refusal) if the signature is wrong, and one that
    /// [is unverifiable](SigningError::is_unverifiable) if it cannot be told.
    pub fn check(
        bundle: &[u8],
        files: &PackageFiles<'_>,
        known: &[PublicKey],
    ) -> Result<Self, SigningError> {
        let bundle = Bundle::from_json(bundle)?;
        let key = bundle.key(files.signer, known)?;
        let fingerprint = key.fingerprint();
        let message = pre_authentication_encoding(&bundle.payload);
        if !key.verifies(&message, &bundle.signature) {
            return Err(SigningError::Forged { fingerprint });
        }
        // Read only once it is known whose it is.
        Statement::from_payload(&bundle.payload)?.check(&files.hashed())?;
        let rotation = files.rotation;
        Ok(Self {
            replaces: rotation
                .map(|bundle| replaced_by(&key, bundle))
                .transpose()?,
            key,
            package: *files.package.pin(),
        })
    }

    /// The key.
    pub fn key(&self) -> &PublicKey {
        &self.key
    }

    /// The digest by which people know the key.
    pub fn fingerprint(&self) -> KeyFingerprint {
        self.key.fingerprint()
    }

    /// The key that says of this one that it replaces it, where the package has such a statement.
    pub fn replaces(&self) -> Option<KeyFingerprint> {
        self.replaces
    }

    /// The digests of the package that is signed.
    pub fn package(&self) -> &Pin {
        &self.package
    }
}

impl Bundle {
    /// The key in the package, or the one of `known` that the bundle names.
    fn key(
        &self,
        in_package: Option<&[u8]>,
        known: &[PublicKey],
    ) -> Result<PublicKey, SigningError> {
        let is_meant = |key: &PublicKey| self.hint.as_ref().is_none_or(|it| *it == key.hint());
        if let Some(pem) = in_package {
            let key = PublicKey::from_pem(pem)
                .map_err(|error| SigningError::malformed(format!("its signer.pem: {error}")))?;
            return match is_meant(&key) {
                true => Ok(key),
                false => Err(SigningError::OtherKey {
                    fingerprint: key.fingerprint(),
                }),
            };
        }
        // A bundle that names no key could be of any.
        let mut known = known.iter().filter(|_| self.hint.is_some());
        let found = known.find(|key| is_meant(key));
        found.cloned().ok_or(SigningError::UnknownKey)
    }
}

#[cfg(test)]
mod tests;
