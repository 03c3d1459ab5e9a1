//! Warns, once for each registry, of tokens that would cross a network unencrypted. Whoever is on
//! the way could take them.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use tool_hub_registry_client::ClientConfig;
use url::Origin;

/// The advice beside the warning.
pub(crate) const HINT: &str =
    "name the registry by an https URL; where it has none, put TLS in front of it";

/// Remembers which registries were warned about.
#[derive(Debug, Default)]
pub(crate) struct ClearText {
    told: Mutex<HashSet<Origin>>,
}

impl ClearText {
    /// The warning before a client with this configuration sends anything: nothing where no token
    /// goes in clear, and nothing a second time about the same registry.
    pub(crate) fn warning(&self, config: &ClientConfig) -> Option<String> {
        let origin = config.endpoint.origin();
        let shown = origin.ascii_serialization();
        let first = config.sends_token_in_clear()
            && self
                .told
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(origin);
        first.then(|| {
            format!(
                "the token for {shown} goes over the network unencrypted: whoever is on the way can use it"
            )
        })
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
    fn each_registry_is_warned_about_once() {
        let clear_text = ClearText::default();
        let first = clear_text.warning(&config("http://one.example.org:8080/hub", Some(TOKEN)));
        let first = first.expect("a warning");
        assert!(first.contains("http://one.example.org:8080 "), "{first}");
        assert!(!first.contains(TOKEN), "{first}");
        let again = clear_text.warning(&config("http://one.example.org:8080/", Some(TOKEN)));
        assert_eq!(again, None);
        let other = clear_text.warning(&config("http://two.example.org", Some(TOKEN)));
        assert!(other.expect("a warning").contains("two.example.org"));
    }

    #[test]
    fn what_is_encrypted_local_or_anonymous_is_not_warned_about() {
        let clear_text = ClearText::default();
        for (endpoint, token) in [
            ("https://registry.example.org", Some(TOKEN)),
            ("http://127.0.0.1:8080", Some(TOKEN)),
            ("http://[::1]:8080", Some(TOKEN)),
            ("http://localhost:8080", Some(TOKEN)),
            ("http://registry.example.org", None),
        ] {
            let warning = clear_text.warning(&config(endpoint, token));
            assert_eq!(warning, None, "{endpoint}");
        }
        // An anonymous question does not use up the warning.
        let config = config("http://registry.example.org", Some(TOKEN));
        assert!(clear_text.warning(&config).is_some());
    }
}
