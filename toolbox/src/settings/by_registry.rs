//! A table of `config.toml` with something about each of several registries, by their addresses.

use std::collections::BTreeMap;

use serde::Deserialize;
use url::Url;

use crate::registry_address::is_same;

/// The values, by the URLs of the registries that they are about.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub(crate) struct ByRegistry<T>(BTreeMap<Url, T>);

impl<T> ByRegistry<T> {
    /// The value for the registry at `endpoint`, with or without a slash at the end.
    pub(crate) fn of(&self, endpoint: &Url) -> Option<&T> {
        let mut values = self.0.iter();
        let found = values.find(|(registry, _)| is_same(registry, endpoint));
        found.map(|(_, value)| value)
    }
}

impl<T> Default for ByRegistry<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}
