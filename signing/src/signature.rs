//! Signs a package, and verifies its signature, which gives a `VerifiedSigner`.

use std::time::SystemTime;

use tool_hub_manifest::{Digest, KeyFingerprint, PackageSigner, Pin, SignerIdentity, package_file};

use crate::bundle::{Bundle, Material};
use crate::certificate::{CertificateChain, SigningCertificate};
use crate::envelope::pre_authentication_encoding;
use crate::error::SigningError;
use crate::keyless;
use crate::package_files::{HashedFile, PackageFiles};
use crate::private_key::PrivateKey;
use crate::public_key::PublicKey;
use crate::rotation::replaced_by;
use crate::statement::Statement;
use crate::trusted_root::{self, TrustedRoot};

/// Signs `files` with `key`. The result is the content of `model.sig`, with which
/// `model_signing verify key` accepts a directory of these files, for keys on the NIST curves.
///
/// # Errors
/// [`SigningError::Library`].
pub fn sign(files: &PackageFiles<'_>, key: &PrivateKey) -> Result<Vec<u8>, SigningError> {
    let hint = Some(key.public().hint());
    signed(files, key, Material::Key { hint })
}

/// Signs `files` with `key`, which the first certificate of `chain` has to be for. The result is
/// what `model_signing verify certificate` accepts.
///
/// # Errors
/// [`SigningError::NotACertificate`] if it is for another key, and as [`sign`].
pub fn sign_with_certificate(
    files: &PackageFiles<'_>,
    key: &PrivateKey,
    chain: &CertificateChain,
) -> Result<Vec<u8>, SigningError> {
    if SigningCertificate::read(&chain.0)?.key() != key.public() {
        return Err(SigningError::NotACertificate {
            expected: "the chain of the key's certificate",
            reason: "its first certificate is for another key".to_owned(),
        });
    }
    signed(files, key, Material::Certificates(chain.0.clone()))
}

fn signed(
    files: &PackageFiles<'_>,
    key: &PrivateKey,
    material: Material,
) -> Result<Vec<u8>, SigningError> {
    let name = files.package.manifest().name.as_str();
    let payload = Statement::of(name, &files.hashed()).to_payload()?;
    let signature = key.sign(&pre_authentication_encoding(&payload))?;
    let bundle = Bundle {
        material,
        is_logged: false,
        payload,
        signature,
    };
    bundle.to_json()
}

/// The keys and roots that signatures are verified with.
#[derive(Debug, Clone, Copy)]
pub struct Trust<'a> {
    /// Keys that need not be in the package. They say nothing about whom to believe.
    pub keys: &'a [PublicKey],
    /// The roots that vouch for certificates.
    pub roots: &'a [&'a TrustedRoot],
    /// The time at which a certificate has to be valid where the signature does not prove one.
    pub at: SystemTime,
}

impl Trust<'_> {
    /// Trust in no root, and no other key than the one in the package.
    pub fn none() -> Self {
        Self {
            keys: &[],
            roots: &[],
            at: SystemTime::UNIX_EPOCH,
        }
    }
}

/// The signer of a package. It exists only where the signature over exactly that package was
/// verified, by a key, or by a certificate under a trusted root:
///
/// ```compile_fail,E0451
/// # use tool_hub_manifest::PackageSigner;
/// # use tool_hub_signing::VerifiedSigner;
/// # fn forge(signer: PackageSigner, package: tool_hub_manifest::Pin) -> VerifiedSigner {
/// // The fields are private: no literal, and no constructor that does not verify.
/// VerifiedSigner { signer, package, replaces: None }
/// # }
/// ```
///
/// It says that whoever has the key, or the identity, meant this package, and no other version of
/// it. Whose key it is, the user knows or does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedSigner {
    signer: PackageSigner,
    package: Pin,
    replaces: Option<KeyFingerprint>,
}

impl VerifiedSigner {
    /// Verifies `bundle`, the content of `model.sig`, over all of `files`: with the key in
    /// `signer.pem` or else that of `trust` which the bundle names, or with the certificate in the
    /// bundle, for which a root of `trust` has to vouch.
    ///
    /// # Errors
    /// One that [is a refusal](SigningError::is_refusal) if the signature is wrong, and one that
    /// [is unverifiable](SigningError::is_unverifiable) if it cannot be told.
    pub fn check(
        bundle: &[u8],
        files: &PackageFiles<'_>,
        trust: &Trust<'_>,
    ) -> Result<Self, SigningError> {
        let read = Bundle::from_json(bundle)?;
        let (signer, replaces) = match &read.material {
            Material::Key { hint } => {
                let key = key_of(hint.as_ref(), files.signer, trust.keys)?;
                read.check(&key, &files.hashed())?;
                let rotation = files.rotation;
                let replaces = rotation.map(|bundle| replaced_by(&key, bundle));
                (key.fingerprint().into(), replaces.transpose()?)
            }
            Material::Certificates(chain) => {
                let files = files.hashed();
                check_no_key_in(&files)?;
                let certificate = SigningCertificate::read(chain)?;
                read.check(certificate.key(), &files)?;
                let subject = Statement::digest_of(&files);
                let identity = read.identity(&certificate, bundle, subject, trust)?;
                (PackageSigner::Identity(identity), None)
            }
        };
        Ok(Self {
            signer,
            package: *files.package.pin(),
            replaces,
        })
    }

    /// The signer.
    pub fn signer(&self) -> &PackageSigner {
        &self.signer
    }

    /// The key that says of the signer's that it replaces it, where the package has such a
    /// statement.
    pub fn replaces(&self) -> Option<KeyFingerprint> {
        self.replaces
    }

    /// The digests of the package that is signed.
    pub fn package(&self) -> &Pin {
        &self.package
    }
}

impl Bundle {
    /// Checks that `key` signed the statement, and that it is on exactly `files`.
    pub(crate) fn check(&self, key: &PublicKey, files: &[HashedFile]) -> Result<(), SigningError> {
        self.check_key(key)?;
        // Read only once it is known whose it is.
        Statement::from_payload(&self.payload)?.check(files)
    }

    /// Checks that `key` signed the statement.
    pub(crate) fn check_key(&self, key: &PublicKey) -> Result<(), SigningError> {
        let message = pre_authentication_encoding(&self.payload);
        match key.verifies(&message, &self.signature) {
            true => Ok(()),
            false => Err(SigningError::Forged {
                fingerprint: key.fingerprint(),
            }),
        }
    }

    /// The identity of `certificate`, which signed this bundle with the JSON `text`, under a root
    /// of `trust`. `subject` is the digest of a subject of the statement.
    pub(crate) fn identity(
        &self,
        certificate: &SigningCertificate<'_>,
        text: &[u8],
        subject: Digest,
        trust: &Trust<'_>,
    ) -> Result<SignerIdentity, SigningError> {
        match self.is_logged {
            true => keyless::identity_under(trust.roots, certificate, text, subject),
            false => trusted_root::identity_under(trust.roots, certificate, trust.at),
        }
    }
}

/// Refuses a key among `files`, beside a certificate: nobody could say which of the two signs.
pub(crate) fn check_no_key_in(files: &[HashedFile]) -> Result<(), SigningError> {
    let beside = [package_file::SIGNER, package_file::ROTATION];
    match files.iter().any(|(name, _)| beside.contains(name)) {
        false => Ok(()),
        true => Err(SigningError::malformed(
            "it has a certificate, and the package a key beside it",
        )),
    }
}

/// The key in the package, or the one of `known` that the bundle names.
pub(crate) fn key_of(
    hint: Option<&String>,
    in_package: Option<&[u8]>,
    known: &[PublicKey],
) -> Result<PublicKey, SigningError> {
    let is_meant = |key: &PublicKey| hint.is_none_or(|it| *it == key.hint());
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
    let mut known = known.iter().filter(|_| hint.is_some());
    let found = known.find(|key| is_meant(key));
    found.cloned().ok_or(SigningError::UnknownKey)
}

#[cfg(test)]
mod tests;
