//! Reads and writes `approvals.toml`: the digests of the lock records that this user approved on
//! this machine.
//!
//! A lock travels with a project, so it may hold somebody else's consent: whoever writes a
//! lock into a repository must not decide what runs on the machine of everybody who checks
//! it out. A tool therefore runs only when its record in the lock, grants included, is also
//! listed here, where nobody but the user writes.
//!
//! Any program that the user runs can write here too. Where approvals have to be signed
//! ([`SignaturePolicy`]), a record counts only with a signature over its digest.

mod signature;
mod signature_policy;
mod ssh;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use tool_hub_manifest::{Digest, LockedTool, ToolKey};

use crate::files;
use crate::settings::config::Config;
use crate::terminal::escape::escape_line;
use crate::terminal::problem::Problem;

pub(crate) use signature::Signer;
pub(crate) use signature_policy::{PolicySource, SYSTEM_DIRECTORY, SignaturePolicy};

const FILE: &str = "approvals.toml";
/// `approvals.toml`: the digests of the records that this user agreed to.
pub(crate) struct Approvals {
    path: PathBuf,
    file: ApprovalsFile,
    required: Option<SignaturePolicy>,
}

#[derive(Default, Serialize, Deserialize)]
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
    pub(crate) fn file(config: &Config) -> PathBuf {
        config.user.join(FILE)
    }

    pub(crate) fn read(config: &Config) -> anyhow::Result<Self> {
        let path = Self::file(config);
        let file = match files::read_if_present(&path)? {
            Some(text) => toml_edit::de::from_str(&text)
                .with_context(|| format!("{} cannot be read", path.display()))?,
            None => ApprovalsFile::default(),
        };
        Ok(Self {
            required: SignaturePolicy::read(&path, &file.signers)?,
            path,
            file,
        })
    }

    /// True if this user approved exactly this record, and signed the approval where a signature is
    /// required.
    pub(crate) fn holds(&self, locked: &LockedTool) -> bool {
        self.file.approved.contains(&locked.digest()) && self.missing_signature(locked).is_none()
    }

    /// The requirement that this record's approval does not meet; `None` if it meets it or there is
    /// none.
    pub(crate) fn missing_signature(&self, locked: &LockedTool) -> Option<&SignaturePolicy> {
        let digest = locked.digest();
        let signature = self.file.signatures.get(&digest);
        let required = self.required.as_ref();
        required.filter(|required| !required.is_met_by(&digest, signature))
    }

    /// The keys that have to sign approvals, if any.
    pub(crate) fn required(&self) -> Option<&SignaturePolicy> {
        self.required.as_ref()
    }

    /// Refuses `act`, which leaves no record that could be signed, where approvals have to be
    /// signed. `hint` says what to do in its place.
    pub(crate) fn refuse_unrecorded(act: &str, hint: &str, config: &Config) -> anyhow::Result<()> {
        let Some(required) = Self::read(config)?.required else {
            return Ok(());
        };
        let place = required.place().display();
        let refusal = format!("{place} requires approvals to be signed, and {act} has none");
        Err(Problem::refused(refusal).hint(hint).into())
    }

    /// Records that this user approved `locked` for `place`, instead of `replaced`, the record that
    /// the lock has there, and of every earlier one. Where a signature is required, it is made
    /// first.
    ///
    /// # Errors
    /// If no key signs it; then nothing is recorded.
    pub(crate) fn remember(
        config: &Config,
        place: &ToolboxPlace,
        locked: &LockedTool,
        replaced: Option<Digest>,
    ) -> anyhow::Result<()> {
        let digest = locked.digest();
        // Signed before the guard is taken, because the user needs time.
        let signature = match Self::read(config)?.required {
            Some(required) => {
                let keys = escape_line(&required.fingerprints());
                writeln!(io::stderr(), "To be signed with {keys}: {digest}")?;
                Some(required.sign_approval(&digest, config.home())?)
            }
            None => None,
        };
        Self::change(config, |file| {
            file.clear(place, replaced);
            file.signatures.extend(signature.map(|text| (digest, text)));
            file.places.insert(digest, place.clone());
            file.approved.insert(digest);
        })
    }

    /// Forgets all that was approved for `place`, and `current`, the record that the lock has
    /// there.
    pub(crate) fn forget(
        config: &Config,
        place: &ToolboxPlace,
        current: Option<Digest>,
    ) -> anyhow::Result<()> {
        Self::change(config, |file| file.clear(place, current))
    }

    /// Requires a signature by one of `signers` on every approval from here on.
    ///
    /// # Errors
    /// If signatures are required already.
    pub(crate) fn require(config: &Config, signers: &[Signer]) -> anyhow::Result<()> {
        if let Some(required) = Self::read(config)?.required {
            return Err(Problem::refused(format!(
                "{} already requires signatures by {}",
                required.place().display(),
                required.fingerprints()
            ))
            .hint(
                "first remove the requirement, signed with one of its keys: tool approvals release",
            )
            .into());
        }
        Self::change(config, |file| file.signers = signers.to_vec())
    }

    /// Stops requiring signatures, which one of the keys has to sign.
    ///
    /// # Errors
    /// If no key signs it, if no signature is required, or if the machine's file requires it.
    pub(crate) fn release(config: &Config) -> anyhow::Result<()> {
        let Some(required) = Self::read(config)?.required else {
            let nothing = "no signature is required on approvals, so there is nothing to release";
            return Err(Problem::user(nothing).into());
        };
        if required.source() == PolicySource::System {
            let place = required.place().display();
            return Err(Problem::refused(format!(
                "{place} requires signatures for all users of this machine"
            ))
            .hint(format!(
                "only an administrator can remove the requirement, by deleting {place}"
            ))
            .into());
        }
        let keys = escape_line(&required.fingerprints());
        writeln!(
            io::stderr(),
            "To be signed with {keys}: signatures on approvals are no longer required"
        )?;
        required.sign_release(config.home())?;
        Self::change(config, |file| file.signers.clear())
    }

    /// Rewrites the file with `change` applied.
    fn change(config: &Config, change: impl FnOnce(&mut ApprovalsFile)) -> anyhow::Result<()> {
        let _guard = files::Guard::take(&config.user, ".approvals.guard")?;
        let mut approvals = Self::read(config)?;
        change(&mut approvals.file);
        let text = toml_edit::ser::to_string_pretty(&approvals.file)?;
        files::write_private(&approvals.path, text.as_bytes())
    }
}
