//! What this user approved on this machine.
//!
//! A lock travels with a project, so it may hold somebody else's consent: whoever writes a
//! lock into a repository must not decide what runs on the machine of everybody who checks
//! it out. A tool therefore runs only when its record in the lock, grants included, is also
//! listed here, where nobody but the user writes.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use tool_hub_manifest::{Digest, LockedTool};

use crate::config::Config;
use crate::files;

const FILE: &str = "approvals.toml";

/// `approvals.toml`: the digests of the records that this user agreed to.
pub(crate) struct Approvals {
    path: PathBuf,
    file: ApprovalsFile,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ApprovalsFile {
    #[serde(default)]
    approved: BTreeSet<Digest>,
}

impl Approvals {
    /// Where they are written, if there are any.
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
        Ok(Self { path, file })
    }

    /// Whether this user agreed to exactly this record.
    pub(crate) fn holds(&self, locked: &LockedTool) -> bool {
        self.file.approved.contains(&locked.digest())
    }

    /// Remembers that this user agreed to `locked`.
    pub(crate) fn remember(config: &Config, locked: &LockedTool) -> anyhow::Result<()> {
        Self::change(config, |approved| approved.insert(locked.digest()))
    }

    /// Forgets that this user agreed to `locked`.
    pub(crate) fn forget(config: &Config, locked: &LockedTool) -> anyhow::Result<()> {
        Self::change(config, |approved| approved.remove(&locked.digest()))
    }

    /// Writes the file anew where `change` says that there is something to write.
    fn change(
        config: &Config,
        change: impl FnOnce(&mut BTreeSet<Digest>) -> bool,
    ) -> anyhow::Result<()> {
        let _guard = files::Guard::take(&config.user, ".approvals.guard")?;
        let mut approvals = Self::read(config)?;
        if change(&mut approvals.file.approved) {
            let text = toml_edit::ser::to_string_pretty(&approvals.file)?;
            files::write_private(&approvals.path, text.as_bytes())?;
        }
        Ok(())
    }
}
