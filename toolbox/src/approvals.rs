//! Reads and writes `approvals.toml`: the lock records this user approved, and who must sign them.
//!
//! A lock travels with a project, so it may hold somebody else's consent: whoever writes a
//! lock into a repository must not decide what runs on the machine of everybody who checks
//! it out. A tool therefore runs only when its record in the lock, grants included, is also
//! listed here, where nobody but the user writes.
//!
//! Any program that the user runs can write here too. Where approvals have to be signed
//! ([`SignaturePolicy`]), a record counts only with a signature over its digest.

pub mod signature;
pub mod signature_policy;
pub mod signer_error;
mod ssh;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{Digest, Lock, LockedTool, ToolKey};

use crate::error::Error;
use crate::files;
use crate::settings::Settings;
use signature::{Signer, Statement};
use signature_policy::{PolicySource, SignaturePolicy};

const FILE: &str = "approvals.toml";
/// The lock of a toolbox, in its directory.
pub(crate) const LOCK_FILE: &str = "toolbox.lock";

/// `approvals.toml`: the digests of the records that this user agreed to.
#[derive(Debug)]
pub struct Approvals {
    path: PathBuf,
    file: ApprovalsFile,
    required: Option<SignaturePolicy>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ApprovalsFile {
    /// The keys, one of which has to sign each approval; empty if no signature is required.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    signers: Vec<Signer>,
    #[serde(default)]
    approved: BTreeSet<Digest>,
    /// The places in toolboxes for which they were approved. Files of older versions have none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    places: BTreeMap<Digest, ToolboxPlace>,
    /// The signatures, by the digest of the record that they sign.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    signatures: BTreeMap<Digest, String>,
}

/// A place for one tool in one toolbox. It holds one approved record at a time, so that an older
/// lock brings back neither rights that were revoked nor a version that was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolboxPlace {
    /// The toolbox's directory.
    toolbox: PathBuf,
    /// The tool's name in it.
    name: ToolKey,
}

impl ToolboxPlace {
    pub(crate) fn new(toolbox: &Path, name: &ToolKey) -> Self {
        Self {
            toolbox: files::real_path(toolbox),
            name: name.clone(),
        }
    }
}

impl ApprovalsFile {
    /// Forgets every record that was approved for `place`, and `current`, the one in its lock.
    fn clear(&mut self, place: &ToolboxPlace, current: Option<Digest>) {
        let earlier = self.places.iter().filter(|(_, other)| *other == place);
        let earlier: Vec<Digest> = earlier.map(|(digest, _)| *digest).chain(current).collect();
        for digest in earlier {
            self.approved.remove(&digest);
            self.places.remove(&digest);
            self.signatures.remove(&digest);
        }
    }
}

impl Approvals {
    /// The file in which they are written, if there are any.
    pub fn file(settings: &Settings) -> PathBuf {
        settings.user.join(FILE)
    }

    /// Reads the user's file, and the requirement of the machine.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Settings`], and if the machine's requirement cannot be trusted
    /// [`Error::NotRoots`] and [`Error::NoSigner`].
    pub fn read(settings: &Settings) -> Result<Self, Error> {
        let path = Self::file(settings);
        let file: ApprovalsFile = files::read_toml(&path)?.unwrap_or_default();
        Ok(Self {
            required: SignaturePolicy::read(&path, &file.signers)?,
            path,
            file,
        })
    }

    /// The locks of all toolboxes for which something was approved. One that cannot be read is left
    /// out.
    pub(crate) fn locks(&self) -> Vec<Lock> {
        let places = self.file.places.values();
        let toolboxes: BTreeSet<&Path> = places.map(|place| place.toolbox.as_path()).collect();
        let read = |toolbox: &Path| {
            let text = files::read_if_present(&toolbox.join(LOCK_FILE)).ok()??;
            text.parse().ok()
        };
        toolboxes.into_iter().filter_map(read).collect()
    }

    /// True if this user approved exactly this record, and signed the approval where a signature is
    /// required.
    pub fn holds(&self, locked: &LockedTool) -> bool {
        self.file.approved.contains(&locked.digest()) && self.missing_signature(locked).is_none()
    }

    /// The requirement that this record's approval does not meet; `None` if it meets it or there is
    /// none.
    pub(crate) fn missing_signature(&self, locked: &LockedTool) -> Option<&SignaturePolicy> {
        let digest = locked.digest();
        let signature = self.file.signatures.get(&digest).map(String::as_str);
        let required = self.required.as_ref();
        required.filter(|required| !required.is_met_by(&digest, signature))
    }

    /// The keys that have to sign approvals, if any.
    pub fn required(&self) -> Option<&SignaturePolicy> {
        self.required.as_ref()
    }

    /// Refuses `act`, which leaves no record that could be signed, where approvals have to be
    /// signed.
    ///
    /// # Errors
    /// [`Error::Unrecorded`], and as [`read`](Self::read).
    pub fn refuse_unrecorded(act: &str, settings: &Settings) -> Result<(), Error> {
        match Self::read(settings)?.required {
            Some(required) => Err(Error::Unrecorded {
                act: act.to_owned(),
                place: required.place().to_owned(),
            }),
            None => Ok(()),
        }
    }

    /// The statement that has to be signed before `locked` is recorded, and by whom; `None` if no
    /// signature is required.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn to_be_signed(
        locked: &LockedTool,
        settings: &Settings,
    ) -> Result<Option<(SignaturePolicy, Statement)>, Error> {
        let required = Self::read(settings)?.required;
        Ok(required.map(|required| (required, Statement::approval(&locked.digest()))))
    }

    /// Records that this user approved `locked` for `place`, instead of `replaced`, the record that
    /// the lock has there, and of every earlier one. `signature` is over the statement
    /// [`to_be_signed`](Self::to_be_signed).
    ///
    /// # Errors
    /// [`Error::NoSignature`] if one is required and this is none by a required key; then nothing
    /// is recorded.
    pub(crate) fn remember(
        settings: &Settings,
        place: &ToolboxPlace,
        locked: &LockedTool,
        replaced: Option<Digest>,
        signature: Option<String>,
    ) -> Result<(), Error> {
        let digest = locked.digest();
        Self::change(settings, |approvals| {
            let signature = match &approvals.required {
                Some(required) => {
                    required.check(&Statement::approval(&digest), signature.as_deref())?;
                    signature
                }
                None => None,
            };
            let file = &mut approvals.file;
            file.clear(place, replaced);
            file.signatures.extend(signature.map(|text| (digest, text)));
            file.places.insert(digest, place.clone());
            file.approved.insert(digest);
            Ok(())
        })
    }

    /// Forgets all that was approved for `place`, and `current`, the record that the lock has
    /// there.
    pub(crate) fn forget(
        settings: &Settings,
        place: &ToolboxPlace,
        current: Option<Digest>,
    ) -> Result<(), Error> {
        Self::change(settings, |approvals| {
            approvals.file.clear(place, current);
            Ok(())
        })
    }

    /// Requires a signature by one of `signers` on every approval from here on.
    ///
    /// # Errors
    /// [`Error::AlreadyRequired`], and if the file cannot be changed.
    pub fn require(settings: &Settings, signers: &[Signer]) -> Result<(), Error> {
        Self::change(settings, |approvals| {
            if let Some(required) = &approvals.required {
                return Err(Error::AlreadyRequired {
                    keys: required.fingerprints(),
                    place: required.place().to_owned(),
                });
            }
            approvals.file.signers = signers.to_vec();
            Ok(())
        })
    }

    /// The requirement that the user can release, by a signature of its
    /// [release](SignaturePolicy::release).
    ///
    /// # Errors
    /// [`Error::NothingRequired`], [`Error::RequiredBySystem`].
    pub fn releasable(&self) -> Result<&SignaturePolicy, Error> {
        match &self.required {
            None => Err(Error::NothingRequired),
            Some(required) if required.source() == PolicySource::System => {
                Err(Error::RequiredBySystem {
                    place: required.place().to_owned(),
                })
            }
            Some(required) => Ok(required),
        }
    }

    /// Stops requiring signatures.
    ///
    /// # Errors
    /// As [`releasable`](Self::releasable), and [`Error::NoSignature`] if `signature` is not one
    /// of the release by one of the keys.
    pub fn release(settings: &Settings, signature: &str) -> Result<(), Error> {
        Self::change(settings, |approvals| {
            let required = approvals.releasable()?;
            required.check(&required.release(), Some(signature))?;
            approvals.file.signers.clear();
            Ok(())
        })
    }

    /// Rewrites the file with `change` applied.
    fn change(
        settings: &Settings,
        change: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let _guard = files::Guard::take(&settings.user, ".approvals.guard")?;
        let mut approvals = Self::read(settings)?;
        change(&mut approvals)?;
        files::write_private_toml(&approvals.path, &approvals.file)
    }
}
