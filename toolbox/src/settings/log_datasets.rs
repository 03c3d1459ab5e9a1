//! The data sets that are logs of registries which keep none, as `config.toml` names them.

use std::collections::BTreeMap;

use serde::Deserialize;
use tool_hub_manifest::RepoId;
use tool_hub_transparency::LogKey;
use url::Url;

/// A data set that is the log of a registry.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogDataset {
    /// The data set.
    pub dataset: RepoId,
    /// The key that signs the log.
    pub key: LogKey,
    /// The registry that has the data set, where that is another one.
    pub endpoint: Option<Url>,
}

/// The data sets, by the registry whose log they are.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct LogDatasets(BTreeMap<Url, LogDataset>);

impl LogDatasets {
    /// The data set that is the log of the registry at `endpoint`.
    pub(super) fn of(&self, endpoint: &Url) -> Option<&LogDataset> {
        let mut logs = self.0.iter();
        let found = logs.find(|(registry, _)| is_same(registry, endpoint));
        found.map(|(_, log)| log)
    }
}

/// True if both are the address of one registry.
pub(super) fn is_same(one: &Url, other: &Url) -> bool {
    one.as_str().trim_end_matches('/') == other.as_str().trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use tool_hub_transparency::LogSigner;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct File {
        logs: LogDatasets,
    }

    #[test]
    fn a_log_is_found_by_its_registry() {
        let key = LogSigner::from_seed("hub.example/datasets/acme/log", &[7; 32]);
        let key = key.unwrap().key();
        let table = format!("[logs.'https://hub.example']\ndataset = 'acme/log'\nkey = '{key}'\n");
        let file: File = toml_edit::de::from_str(&table).unwrap();
        let of = |url: &str| file.logs.of(&url.parse().unwrap());
        assert_eq!(of("https://hub.example/").unwrap().key, key);
        assert!(of("https://hub.example.org").is_none());
        for wrong in [
            format!("{table}keys = 'x'\n"),
            table.replace("acme/log", "log"),
            table.replace("hub.example/datasets", "hub.example/models"),
            table.replace("dataset = 'acme/log'\n", ""),
        ] {
            assert!(toml_edit::de::from_str::<File>(&wrong).is_err(), "{wrong}");
        }
    }
}
