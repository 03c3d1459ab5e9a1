//! The `KnownLogs`, `known_logs.toml`: the last state that was seen of each registry's log.
//! So a registry that shows another history than before is found out.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tool_hub_transparency::LogKey;
use url::Url;

use crate::error::Error;
use crate::files;
use crate::settings::Settings;

const FILE: &str = "known_logs.toml";

/// The logs, by registry. A registry that never showed one is not in it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KnownLogs(BTreeMap<Url, KnownLog>);

/// One log, as it was seen last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownLog {
    /// The key that signs it. It is believed at first sight and never changes.
    pub key: LogKey,
    /// The checkpoint as it was signed, which proves to others what the registry showed.
    pub checkpoint: String,
}

impl KnownLog {
    /// The number of its records; none if the checkpoint is not of its key.
    fn records(&self) -> Option<u64> {
        let checkpoint = self.key.open(&self.checkpoint).ok()?;
        Some(checkpoint.size())
    }
}

impl KnownLogs {
    /// The file in which they are written.
    pub fn file(settings: &Settings) -> PathBuf {
        settings.user.join(FILE)
    }

    /// Reads the file, if there is one.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Settings`].
    pub fn read(settings: &Settings) -> Result<Self, Error> {
        Ok(files::read_toml(&Self::file(settings))?.unwrap_or_default())
    }

    /// The log of the registry at `endpoint`.
    pub fn of(&self, endpoint: &Url) -> Option<&KnownLog> {
        self.0.get(endpoint)
    }

    /// The number of records of the log of the registry at `endpoint`, as it was seen last.
    pub(crate) fn records_of(&self, endpoint: &Url) -> Option<u64> {
        self.of(endpoint)?.records()
    }

    /// Remembers `seen`, which was checked to extend what was known, unless another process has
    /// seen a larger log meanwhile.
    ///
    /// # Errors
    /// If the file cannot be read or changed.
    pub(crate) fn note(settings: &Settings, endpoint: &Url, seen: KnownLog) -> Result<(), Error> {
        let path = Self::file(settings);
        let _guard = files::Guard::take(&settings.user, ".known_logs.guard")?;
        let mut known = Self::read(settings)?;
        if let Some(before) = known.of(endpoint)
            && (*before == seen || before.records() > seen.records())
        {
            return Ok(());
        }
        known.0.insert(endpoint.clone(), seen);
        files::write(&path, files::toml_text(&path, &known)?.as_bytes())
    }
}
