//! The `PackageSignature` of a fetched package: who signed it, as far as that was verified.

use std::path::Path;
use std::time::SystemTime;

use tool_hub_manifest::{
    KeyFingerprint, KeyName, LockedTool, PackageSigner, Verified, package_file,
};
use tool_hub_registry_client::{
    CARD_BYTES_MAX, SIGNATURE_BYTES_MAX, SIGNER_BYTES_MAX, SignatureFiles,
};
use tool_hub_signing::{
    CertificateChain, PackageFiles, PrivateKey, SigningError, Trust, VerifiedSigner,
};

use crate::error::Error;
use crate::files;
use crate::settings::Settings;
use crate::signing_keys::SigningKeys;

/// The signature of a package, as far as it was verified. One that names a signer is made by
/// verifying it, or of a record that the user approved.
#[derive(Debug, Clone)]
pub struct PackageSignature {
    state: State,
    /// The user's name for the key, or for the root that vouches for the identity.
    name: Option<KeyName>,
}

#[derive(Debug, Clone)]
enum State {
    Unsigned,
    Unverifiable(SigningError),
    Verified(VerifiedSigner),
    Recorded(PackageSigner),
}

impl PackageSignature {
    /// The signature of an unsigned package.
    pub fn none() -> Self {
        Self {
            state: State::Unsigned,
            name: None,
        }
    }

    /// Verifies the signature in `files`, if there is one, over `package` and the files beside
    /// it. A certificate without proof of its time has to be valid `at` that time.
    ///
    /// # Errors
    /// The errors of [`VerifiedSigner::check`], where the signature is wrong. One that cannot be
    /// verified is as good as none.
    pub(crate) fn verify(
        files: Option<&SignatureFiles>,
        package: &Verified,
        keys: &SigningKeys,
        at: SystemTime,
    ) -> Result<Self, SigningError> {
        let Some(files) = files else {
            return Ok(Self::none());
        };
        let covered = PackageFiles {
            package,
            card: files.card.as_deref(),
            signer: files.signer.as_deref(),
            rotation: files.rotation.as_deref(),
        };
        let trust = Trust {
            keys: &keys.public(),
            roots: &keys.roots().collect::<Vec<_>>(),
            at,
        };
        match VerifiedSigner::check(&files.bundle, &covered, &trust) {
            Ok(signer) => Ok(Self {
                name: keys.name_of(signer.signer().known_by()).cloned(),
                state: State::Verified(signer),
            }),
            Err(error) if error.is_unverifiable() => Ok(Self {
                state: State::Unverifiable(error),
                name: None,
            }),
            Err(error) => Err(error),
        }
    }

    /// The signature of a tool of the toolbox, as it was when the user approved it.
    pub fn recorded(locked: &LockedTool, keys: &SigningKeys) -> Self {
        match &locked.signer {
            Some(signer) => Self {
                state: State::Recorded(signer.clone()),
                name: keys.name_of(signer.known_by()).cloned(),
            },
            None => Self::none(),
        }
    }

    /// The signer of the package.
    pub fn signer(&self) -> Option<&PackageSigner> {
        match &self.state {
            State::Verified(signer) => Some(signer.signer()),
            State::Recorded(signer) => Some(signer),
            State::Unsigned | State::Unverifiable(_) => None,
        }
    }

    /// The signer as it is compared with the one that was approved before: that one where its key
    /// says itself that the signer's replaces it.
    pub fn signer_compared_with<'a>(
        &'a self,
        before: Option<&'a PackageSigner>,
    ) -> Option<&'a PackageSigner> {
        match before.is_some_and(|before| self.replaces_signer(before)) {
            true => before,
            false => self.signer(),
        }
    }

    /// True if `before` is a key which says itself that the signer's replaces it.
    pub fn replaces_signer(&self, before: &PackageSigner) -> bool {
        let replaced = self.replaces().map(PackageSigner::Key);
        replaced.as_ref() == Some(before)
    }

    /// The key that the signer's replaces, as that key itself says.
    fn replaces(&self) -> Option<KeyFingerprint> {
        match &self.state {
            State::Verified(signer) => signer.replaces(),
            _ => None,
        }
    }

    /// The user's name for that key, or for the root that vouches for the identity.
    pub fn signer_name(&self) -> Option<&KeyName> {
        self.name.as_ref()
    }

    /// The reason why a signature that is there was not verified.
    pub fn unverifiable(&self) -> Option<&SigningError> {
        match &self.state {
            State::Unverifiable(error) => Some(error),
            _ => None,
        }
    }

    /// The signer, as the end of a line.
    pub fn in_words(&self) -> String {
        let named = |key: KeyFingerprint| match &self.name {
            Some(name) => format!("{name} ({key})"),
            None => key.to_string(),
        };
        match self.signer() {
            Some(PackageSigner::Key(key)) => format!("signed by {}", named(*key)),
            Some(PackageSigner::Identity(identity)) => {
                let issuer = identity.issuer();
                let says = issuer.map_or_else(String::new, |issuer| format!(" as {issuer} says,"));
                let (subject, root) = (identity.subject(), named(identity.root()));
                format!("signed by {subject},{says} under {root}")
            }
            None => "not signed".to_owned(),
        }
    }
}

/// The proof of whose a key is, which travels with what it signs.
#[derive(Debug)]
pub enum KeyProof {
    /// The public key, and the statement of another key that it replaces it, if it does.
    PublicKey {
        /// The content of `signer-rotation.sig`.
        rotation: Option<Vec<u8>>,
    },
    /// The certificate of the key, up to a root that others trust.
    Certificate(CertificateChain),
}

/// Signs `package` and its `card` with `key`, together with the `proof` of whose it is.
///
/// # Errors
/// [`Error::WrongSignature`] if the statement does not name this key, and as
/// [`tool_hub_signing::sign`].
pub fn sign(
    package: &Verified,
    card: &[u8],
    key: &PrivateKey,
    proof: KeyProof,
    keys: &SigningKeys,
) -> Result<(SignatureFiles, PackageSignature), Error> {
    let failed = |source| Error::WrongSignature {
        subject: package.manifest().name.to_string(),
        source,
    };
    let (signer, rotation, chain) = match proof {
        KeyProof::PublicKey { rotation } => {
            (Some(key.public().to_pem().into_bytes()), rotation, None)
        }
        KeyProof::Certificate(chain) => (None, None, Some(chain)),
    };
    let covered = PackageFiles {
        package,
        card: Some(card),
        signer: signer.as_deref(),
        rotation: rotation.as_deref(),
    };
    let bundle = match &chain {
        Some(chain) => tool_hub_signing::sign_with_certificate(&covered, key, chain),
        None => tool_hub_signing::sign(&covered, key),
    };
    let files = SignatureFiles {
        bundle: bundle.map_err(failed)?,
        signer,
        rotation,
        card: Some(card.to_vec()),
    };
    let now = SystemTime::now();
    let signature = PackageSignature::verify(Some(&files), package, keys, now).map_err(failed)?;
    Ok((files, signature))
}

/// The signature in the directory of a package, verified; `None` if there is none.
///
/// # Errors
/// [`Error::WrongSignature`], and if a file cannot be read.
pub fn verified_in(
    directory: &Path,
    package: &Verified,
    settings: &Settings,
) -> Result<Option<(SignatureFiles, PackageSignature)>, Error> {
    let Some(files) = files_in(directory)? else {
        return Ok(None);
    };
    let keys = SigningKeys::read(settings)?;
    let signature = PackageSignature::verify(Some(&files), package, &keys, SystemTime::now());
    let signature = signature.map_err(|source| Error::WrongSignature {
        subject: directory.display().to_string(),
        source,
    })?;
    Ok(Some((files, signature)))
}

/// The signature in the directory of a package, with the files that it covers; `None` if there is
/// no `model.sig`.
fn files_in(directory: &Path) -> Result<Option<SignatureFiles>, Error> {
    let read = |name, bytes_max| {
        let path = directory.join(name);
        match path.symlink_metadata() {
            Err(_) => Ok(None),
            Ok(_) => files::read_regular(&path, bytes_max)
                .map(Some)
                .map_err(files::unreadable(&path)),
        }
    };
    let Some(bundle) = read(package_file::SIGNATURE, SIGNATURE_BYTES_MAX)? else {
        return Ok(None);
    };
    Ok(Some(SignatureFiles {
        bundle,
        signer: read(package_file::SIGNER, SIGNER_BYTES_MAX)?,
        rotation: read(package_file::ROTATION, SIGNATURE_BYTES_MAX)?,
        card: read(package_file::CARD, CARD_BYTES_MAX)?,
    }))
}
