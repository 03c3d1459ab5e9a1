//! The `PackageAttestations` of a fetched package: who built or published it, as was verified.

use std::collections::BTreeSet;
use std::time::SystemTime;

use tool_hub_manifest::{KeyName, LockedTool, PackageSigner, Verified};
use tool_hub_registry_client::SignatureFiles;
use tool_hub_signing::{AttestationKind, AttestedFiles, CheckedAttestations, SigningError, Trust};

use crate::package_signature::{covered, in_words};
use crate::signing_keys::SigningKeys;

/// The attestations of a package, as far as they were verified. One that names a publisher is made
/// by verifying it, or of a record that the user approved.
#[derive(Debug, Clone, Default)]
pub struct PackageAttestations {
    verified: Vec<Attestation>,
    unverified: Vec<SigningError>,
}

/// An attestation that was verified.
#[derive(Debug, Clone)]
pub struct Attestation {
    /// Whoever made it.
    pub publisher: PackageSigner,
    /// The user's name for the root that vouches for them.
    pub root_name: Option<KeyName>,
    /// The statement; locks do not say.
    pub kind: Option<AttestationKind>,
}

impl PackageAttestations {
    /// Verifies the attestations in `files`, if there are any, about `package`. A certificate
    /// without proof of its time has to be valid `at` that time.
    ///
    /// # Errors
    /// The errors of [`CheckedAttestations::check`], where one is wrong. One that cannot be
    /// verified is as good as none.
    pub(crate) fn verify(
        files: Option<&SignatureFiles>,
        package: &Verified,
        keys: &SigningKeys,
        at: SystemTime,
    ) -> Result<Self, SigningError> {
        let Some((files, text)) = files.and_then(|it| Some((it, it.attestations.as_deref()?)))
        else {
            return Ok(Self::default());
        };
        let trust = Trust {
            keys: &[],
            roots: &keys.roots().collect::<Vec<_>>(),
            at,
        };
        let about = AttestedFiles::of(&covered(files, package));
        let checked = CheckedAttestations::check(text, &about, &trust)?;
        let mut attestations = Self::default();
        for checked in checked.0 {
            match checked {
                Ok(it) => {
                    let attestation = Attestation::new(it.publisher(), Some(it.kind()), keys);
                    attestations.verified.push(attestation);
                }
                Err(error) => attestations.unverified.push(error),
            }
        }
        Ok(attestations)
    }

    /// The attestations of a tool of the toolbox, as they were when the user approved it.
    pub fn recorded(locked: &LockedTool, keys: &SigningKeys) -> Self {
        let publishers = locked.attested_by.iter();
        Self {
            verified: publishers
                .map(|publisher| Attestation::new(publisher.clone(), None, keys))
                .collect(),
            unverified: Vec::new(),
        }
    }

    /// Those that were verified.
    pub fn verified(&self) -> &[Attestation] {
        &self.verified
    }

    /// The reasons why those that are there were not verified.
    pub fn unverified(&self) -> &[SigningError] {
        &self.unverified
    }

    /// The verified attestations, as the end of a line.
    pub fn in_words(&self) -> String {
        let verified = self.verified.iter().map(Attestation::in_words);
        match self.verified.is_empty() {
            true => "not attested".to_owned(),
            false => verified.collect::<Vec<_>>().join(" and "),
        }
    }

    /// Whoever made those that were verified.
    pub fn publishers(&self) -> BTreeSet<PackageSigner> {
        let publishers = self.verified.iter().map(|it| it.publisher.clone());
        publishers.collect()
    }
}

impl Attestation {
    fn new(publisher: PackageSigner, kind: Option<AttestationKind>, keys: &SigningKeys) -> Self {
        Self {
            root_name: keys.name_of(publisher.known_by()).cloned(),
            publisher,
            kind,
        }
    }

    /// Whoever made it, and what they did, as the end of a line.
    pub fn in_words(&self) -> String {
        let verb = match self.kind {
            Some(AttestationKind::Built) => "built",
            Some(AttestationKind::Published) => "published",
            None => "attested",
        };
        let publisher = in_words(&self.publisher, self.root_name.as_ref());
        format!("{verb} by {publisher}")
    }
}
