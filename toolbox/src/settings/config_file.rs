//! Reads `config.toml`: a user's registry, cache bound, rules for new versions, and advisories.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use url::Url;

use crate::advisories::source::AdvisorySource;
use crate::byte_size::ByteSize;
use crate::error::Error;
use crate::files;

use super::log_datasets::LogDatasets;

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
    pub(super) mirrors: BTreeMap<Url, Url>,
    /// Registries that keep no log, each with the data set that is its log.
    #[serde(default)]
    pub(super) logs: LogDatasets,
}

impl ConfigFile {
    /// Reads the file in `directory`, if there is one.
    pub(super) fn read(directory: &Path) -> Result<Self, Error> {
        let file = files::read_toml(&directory.join(CONFIG_FILE))?;
        Ok(file.unwrap_or_default())
    }
}
