//! The `Remembered` values of repos: one for each repo of each registry, in a file of the user's.

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tool_hub_manifest::RepoId;
use url::Url;

use crate::error::Error;
use crate::files;

/// The values, by registry and repo.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Remembered<T> {
    registries: BTreeMap<Url, BTreeMap<RepoId, T>>,
}

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self {
            registries: BTreeMap::new(),
        }
    }
}

impl<T: Clone + PartialEq + Serialize + DeserializeOwned> Remembered<T> {
    /// Reads the file at `path`, if there is one.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        Ok(files::read_toml(path)?.unwrap_or_default())
    }

    /// The value for `repo`.
    pub(crate) fn of(&self, endpoint: &Url, repo: &RepoId) -> Option<&T> {
        self.registries.get(endpoint)?.get(repo)
    }

    /// Remembers `value` for `repo` in the file at `path`; none is forgotten. The file is written
    /// only if something changes.
    pub(crate) fn note(
        path: &Path,
        endpoint: &Url,
        repo: &RepoId,
        value: Option<&T>,
    ) -> Result<(), Error> {
        if Self::read(path)?.of(endpoint, repo) == value {
            return Ok(());
        }
        let directory = path.parent().unwrap_or(Path::new("."));
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let _guard = files::Guard::take(directory, &format!(".{name}.guard"))?;
        let mut known = Self::read(path)?;
        let repos = known.registries.entry(endpoint.clone()).or_default();
        match value {
            Some(value) => repos.insert(repo.clone(), value.clone()),
            None => repos.remove(repo),
        };
        known.registries.retain(|_, repos| !repos.is_empty());
        files::write(path, files::toml_text(path, &known)?.as_bytes())
    }
}
