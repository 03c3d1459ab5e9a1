//! The `LogDataset`: a data set that is the log of a registry which keeps none.

use serde::Deserialize;
use tool_hub_manifest::RepoId;
use tool_hub_transparency::LogKey;
use url::Url;

/// A data set that is the log of a registry, as `config.toml` names it.
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

#[cfg(test)]
mod tests {
    use tool_hub_transparency::LogSigner;

    use super::super::by_registry::ByRegistry;
    use super::*;

    #[derive(Debug, Deserialize)]
    struct File {
        logs: ByRegistry<LogDataset>,
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
