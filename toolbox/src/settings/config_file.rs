//! Reads `config.toml`: a user's registry, its mirrors and witnesses, and rules for new versions.

use std::path::Path;

use serde::Deserialize;
use tool_hub_transparency::WitnessPolicy;
use url::Url;

use crate::advisories::source::AdvisorySource;
use crate::byte_size::ByteSize;
use crate::error::Error;
use crate::files;

use super::by_registry::ByRegistry;
use super::log_dataset::LogDataset;

const CONFIG_FILE: &str = "config.toml";

/// `config.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConfigFile {
    pub(super) endpoint: Option<Url>,
    pub(super) compiled_max: Option<ByteSize>,
    #[serde(default)]
    pub(super) accept_code: bool,
    pub(super) refresh_seconds: Option<u64>,
    pub(super) release_age_days: Option<u16>,
    #[serde(default)]
    pub(super) advisories: Vec<AdvisorySource>,
    /// Registries, each with the mirror that is asked in its place.
    #[serde(default)]
    pub(super) mirrors: ByRegistry<Url>,
    /// Registries that keep no log, each with the data set that is its log.
    #[serde(default)]
    pub(super) logs: ByRegistry<LogDataset>,
    /// Registries, each with the witnesses of its log.
    #[serde(default)]
    pub(super) witnesses: ByRegistry<WitnessPolicy>,
}

impl ConfigFile {
    /// Reads the file in `directory`, if there is one.
    pub(super) fn read(directory: &Path) -> Result<Self, Error> {
        let file = files::read_toml(&directory.join(CONFIG_FILE))?;
        Ok(file.unwrap_or_default())
    }
}
