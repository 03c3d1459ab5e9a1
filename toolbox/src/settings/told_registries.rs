//! The `ToldRegistries`: those of which something was told already, which is told once of each.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use tool_hub_registry_client::ClientConfig;
use url::Origin;

/// Remembers which registries were told of.
#[derive(Debug, Default)]
pub(super) struct ToldRegistries {
    told: Mutex<HashSet<Origin>>,
}

impl ToldRegistries {
    /// True if nobody was told of the registry with this origin before.
    pub(super) fn is_first(&self, origin: Origin) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.insert(origin)
    }

    /// The origin of the registry, if a client with this configuration sends a token in clear and
    /// nobody was told so of the same registry.
    pub(super) fn untold(&self, config: &ClientConfig) -> Option<String> {
        let origin = config.endpoint.origin();
        let shown = origin.ascii_serialization();
        let is_first = config.sends_token_in_clear() && self.is_first(origin);
        is_first.then_some(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "hf_s3cr3t";

    fn config(endpoint: &str, token: Option<&str>) -> ClientConfig {
        ClientConfig::new(endpoint.parse().unwrap(), "test/1")
            .with_token(token.map(|token| token.parse().unwrap()))
    }

    #[test]
    fn each_registry_is_told_of_once() {
        let told = ToldRegistries::default();
        let first = told.untold(&config("http://one.example.org:8080/hub", Some(TOKEN)));
        assert_eq!(first.as_deref(), Some("http://one.example.org:8080"));
        let again = told.untold(&config("http://one.example.org:8080/", Some(TOKEN)));
        assert_eq!(again, None);
        let other = told.untold(&config("http://two.example.org", Some(TOKEN)));
        assert_eq!(other.as_deref(), Some("http://two.example.org"));
    }

    #[test]
    fn what_is_encrypted_local_or_anonymous_is_not_told_of() {
        let told = ToldRegistries::default();
        for (endpoint, token) in [
            ("https://registry.example.org", Some(TOKEN)),
            ("http://127.0.0.1:8080", Some(TOKEN)),
            ("http://[::1]:8080", Some(TOKEN)),
            ("http://localhost:8080", Some(TOKEN)),
            ("http://registry.example.org", None),
        ] {
            let found = told.untold(&config(endpoint, token));
            assert_eq!(found, None, "{endpoint}");
        }
        // An anonymous question does not use up the notice.
        let config = config("http://registry.example.org", Some(TOKEN));
        assert!(told.untold(&config).is_some());
    }
}
