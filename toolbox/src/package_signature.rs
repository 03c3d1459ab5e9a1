//! The `PackageSignature` of a fetched package: who signed it, as far as that was verified.

use std::time::SystemTime;

use tool_hub_manifest::{
    ClaimedSigner, KeyFingerprint, KeyName, LockedTool, PackageSigner, Verified,
};
use tool_hub_registry_client::SignatureFiles;
use tool_hub_signing::{
    CertificateChain, PackageFiles, PrivateKey, SigningError, Trust, VerifiedSigner,
};

use crate::error::Error;
use crate::evidence::Evidence;
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
        let Some((files, bundle)) = files.and_then(|it| Some((it, it.bundle.as_deref()?))) else {
            return Ok(Self::none());
        };
        let trust = Trust {
            keys: &keys.public(),
            roots: &keys.roots().collect::<Vec<_>>(),
            at,
        };
        match VerifiedSigner::check(bundle, &covered(files, package), &trust) {
            Ok(signer) => Ok(Self::verified(signer, keys)),
            Err(error) if error.is_unverifiable() => Ok(Self {
                state: State::Unverifiable(error),
                name: None,
            }),
            Err(error) => Err(error),
        }
    }

    /// The signature of a signer that was verified.
    pub fn verified(signer: VerifiedSigner, keys: &SigningKeys) -> Self {
        Self {
            name: keys.name_of(signer.signer().known_by()).cloned(),
            state: State::Verified(signer),
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

    /// True if the package cannot be the one that a log claims to be signed so; none is claimed of
    /// one that is not signed.
    pub(crate) fn contradicts(&self, claimed: Option<&ClaimedSigner>) -> bool {
        match (claimed, &self.state) {
            (None, State::Unverifiable(_)) | (Some(_), State::Unsigned) => true,
            _ => ClaimedSigner::contradicts_pin(claimed, self.signer()),
        }
    }

    /// The signer, as the end of a line.
    pub fn in_words(&self) -> String {
        match self.signer() {
            Some(signer) => format!("signed by {}", in_words(signer, self.name.as_ref())),
            None => "not signed".to_owned(),
        }
    }
}

/// A signer, with the user's `name` for the key or the root.
pub(crate) fn in_words(signer: &PackageSigner, name: Option<&KeyName>) -> String {
    let named = |key: KeyFingerprint| match name {
        Some(name) => format!("{name} ({key})"),
        None => key.to_string(),
    };
    match signer {
        PackageSigner::Key(key) => named(*key),
        PackageSigner::Identity(identity) => {
            let issuer = identity.issuer();
            let says = issuer.map_or_else(String::new, |issuer| format!(" as {issuer} says,"));
            let (subject, root) = (identity.subject(), named(identity.root()));
            format!("{subject},{says} under {root}")
        }
    }
}

/// The signer that a log claims, as the end of a line.
pub(crate) fn claim_in_words(signer: Option<&ClaimedSigner>) -> String {
    match signer {
        Some(signer) => format!("signed by {signer}"),
        None => "not signed".to_owned(),
    }
}

/// The package with those of its files that signatures and attestations are about.
pub(crate) fn covered<'a>(files: &'a SignatureFiles, package: &'a Verified) -> PackageFiles<'a> {
    PackageFiles {
        package,
        card: files.card.as_deref(),
        signer: files.signer.as_deref(),
        rotation: files.rotation.as_deref(),
        attestations: files.attestations.as_deref(),
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

/// Signs `package`, its `card` and its `attestations` with `key`, together with the `proof` of
/// whose it is.
///
/// # Errors
/// [`Error::WrongSignature`], as [`tool_hub_signing::sign_with_certificate`].
pub fn sign(
    package: &Verified,
    (card, attestations): (&[u8], Option<Vec<u8>>),
    key: &PrivateKey,
    proof: KeyProof,
) -> Result<SignatureFiles, Error> {
    let failed = |source| Error::WrongSignature {
        evidence: Evidence::Signature,
        subject: package.manifest().name.to_string(),
        source,
    };
    let (signer, rotation, chain) = match proof {
        KeyProof::PublicKey { rotation } => {
            (Some(key.public().to_pem().into_bytes()), rotation, None)
        }
        KeyProof::Certificate(chain) => (None, None, Some(chain)),
    };
    let mut files = SignatureFiles {
        bundle: None,
        signer,
        rotation,
        card: Some(card.to_vec()),
        attestations,
    };
    let bundle = match &chain {
        Some(chain) => {
            tool_hub_signing::sign_with_certificate(&covered(&files, package), key, chain)
        }
        None => tool_hub_signing::sign(&covered(&files, package), key),
    };
    files.bundle = Some(bundle.map_err(failed)?);
    Ok(files)
}
