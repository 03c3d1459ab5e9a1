//! The `SigningServices` of a Sigstore: those that make the parts of a keyless signature.

use sigstore_verify::trust_root::{
    ServiceConfiguration, ServiceEndpoint, ServiceSelector, SigningConfig,
};

use crate::error::{SigningError, escaped};
use crate::trust_config::TrustConfig;
use crate::trusted_root::TRUSTED_ROOT_BYTES_MAX;

/// The addresses of the services that a client's trust configuration names, as it writes them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SigningServices {
    /// The certificate authority, a Fulcio: the address before `/api/v2`.
    pub certificate_authority: String,
    /// The transparency log, a Rekor: the address before `/api/`.
    pub log: String,
    /// The interface of the log.
    pub log_version: LogVersion,
    /// The timestamp authorities (RFC 3161), all of which are asked.
    pub timestamp_authorities: Vec<String>,
}

/// The interfaces of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogVersion {
    /// Rekor v1, which promises a time.
    V1,
    /// Rekor v2, beside which a timestamp authority has to say the time.
    V2,
}

impl LogVersion {
    /// The path below the log's address to which entries are posted.
    pub fn path(self) -> &'static str {
        match self {
            Self::V1 => "/api/v1/log/entries",
            Self::V2 => "/api/v2/log/entries",
        }
    }
}

impl SigningServices {
    /// Reads the services in the trust configuration of a client, as
    /// `model_signing sign sigstore --trust_config` takes it.
    ///
    /// # Errors
    /// [`SigningError::NotATrustConfig`].
    pub fn read(text: &[u8]) -> Result<Self, SigningError> {
        let refused = |reason: &str| SigningError::NotATrustConfig {
            reason: escaped(reason, 200),
        };
        if text.len() > TRUSTED_ROOT_BYTES_MAX {
            return Err(refused("it is too long"));
        }
        let text = str::from_utf8(text).map_err(|_| refused("it is not text"))?;
        let config = TrustConfig::read(text).map_err(|reason| refused(&reason))?;
        let Some(config) = config.signing_config() else {
            return Err(refused("it has no `signingConfig`"));
        };
        let config = SigningConfig::from_json(config);
        let config = config.map_err(|error| refused(&error.to_string()))?;
        Self::of(&config).map_err(refused)
    }

    fn of(config: &SigningConfig) -> Result<Self, &'static str> {
        let Some(authority) = config.fulcio_url() else {
            return Err("its `signingConfig` names no certificate authority that is valid now");
        };
        let logs = one_an_operator(config.eligible_rekor_urls(None));
        let [log] = wanted(&config.rekor_tlog_config, &logs)? else {
            return Err("its `signingConfig` does not ask for an entry in exactly one valid log");
        };
        let authorities = one_an_operator(config.eligible_tsa_urls());
        let authorities = wanted(&config.tsa_config, &authorities)?;
        let log_version = match log.major_api_version {
            1 => LogVersion::V1,
            _ if authorities.is_empty() => {
                return Err("its log tells no time, and it names no timestamp authority");
            }
            _ => LogVersion::V2,
        };
        Ok(Self {
            certificate_authority: authority.url.clone(),
            log: log.url.clone(),
            log_version,
            timestamp_authorities: authorities.iter().map(|it| it.url.clone()).collect(),
        })
    }
}

/// The first service of each operator, who may offer it by more than one interface.
fn one_an_operator(services: Vec<&ServiceEndpoint>) -> Vec<&ServiceEndpoint> {
    let mut chosen: Vec<&ServiceEndpoint> = Vec::new();
    for service in services {
        if chosen.iter().all(|it| it.operator != service.operator) {
            chosen.push(service);
        }
    }
    chosen
}

/// The first of `services`, in the number that the configuration asks for.
fn wanted<'a>(
    config: &ServiceConfiguration,
    services: &'a [&'a ServiceEndpoint],
) -> Result<&'a [&'a ServiceEndpoint], &'static str> {
    let count = match config.selector {
        ServiceSelector::Any => services.len().min(1),
        ServiceSelector::All => services.len(),
        ServiceSelector::Exact => config.count.map_or(usize::MAX, |count| count as usize),
        _ => return Err("its `signingConfig` does not say how many services it takes"),
    };
    let chosen = services.get(..count);
    chosen.ok_or("its `signingConfig` asks for more services than it has")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use sigstore_verify::trust_root::{
        SIGSTORE_PRODUCTION_SIGNING_CONFIG, SIGSTORE_STAGING_SIGNING_CONFIG,
    };

    use super::*;

    fn service(url: &str, version: u32, operator: &str) -> Value {
        let window = json!({ "start": "2020-01-01T00:00:00Z" });
        json!({ "url": url, "majorApiVersion": version, "validFor": window, "operator": operator })
    }

    fn config() -> Value {
        json!({
            "mediaType": "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json",
            "signingConfig": {
                "mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json",
                "caUrls": [service("https://ca.example", 1, "a")],
                "rekorTlogUrls": [service("https://log.example", 1, "a")],
                "tsaUrls": [service("https://time.example", 1, "a")],
                "rekorTlogConfig": { "selector": "ANY" },
                "tsaConfig": { "selector": "ANY" },
            },
        })
    }

    fn read(config: &Value) -> Result<SigningServices, String> {
        let read = SigningServices::read(config.to_string().as_bytes());
        read.map_err(|error| error.to_string())
    }

    #[test]
    fn one_log_and_the_authorities_that_are_asked_for() {
        let mut config = config();
        assert_eq!(read(&config).unwrap().log_version, LogVersion::V1);
        let signing = &mut config["signingConfig"];
        // The same operator's newer interface counts, and another operator is one more.
        signing["rekorTlogUrls"] = json!([
            service("https://log.example", 1, "a"),
            service("https://new.example", 2, "a"),
        ]);
        signing["rekorTlogConfig"] = json!({ "selector": "ALL" });
        signing["tsaUrls"] = json!([
            service("https://time.example", 1, "a"),
            service("https://clock.example", 1, "b"),
        ]);
        signing["tsaConfig"] = json!({ "selector": "EXACT", "count": 2 });
        let services = read(&config).unwrap();
        assert_eq!(services.log, "https://new.example");
        assert_eq!(services.log_version, LogVersion::V2);
        let times = ["https://time.example", "https://clock.example"];
        assert_eq!(services.timestamp_authorities, times);
    }

    #[test]
    fn configurations_of_the_public_sigstore() {
        for signing in [
            SIGSTORE_PRODUCTION_SIGNING_CONFIG,
            SIGSTORE_STAGING_SIGNING_CONFIG,
        ] {
            let mut config = config();
            config["signingConfig"] = serde_json::from_str(signing).unwrap();
            let services = read(&config).unwrap();
            assert!(services.certificate_authority.contains("://fulcio.sig"));
            assert_eq!(services.timestamp_authorities.len(), 1);
        }
    }

    #[test]
    fn what_cannot_be_kept_is_refused() {
        let exact = json!({ "selector": "EXACT", "count": 2 });
        let two = json!([
            service("https://log.example", 1, "a"),
            service("https://log2.example", 1, "b"),
        ]);
        let ended = json!([{
            "url": "https://log.example",
            "majorApiVersion": 1,
            "validFor": { "start": "2020-01-01T00:00:00Z", "end": "2021-01-01T00:00:00Z" },
        }]);
        let new = json!([service("https://log.example", 2, "a")]);
        let undefined = json!({ "selector": "SERVICE_SELECTOR_UNDEFINED" });
        for (changes, expect) in [
            (vec![("caUrls", json!([]))], "no certificate authority"),
            (vec![("rekorTlogUrls", ended)], "exactly one valid log"),
            (vec![("rekorTlogConfig", exact.clone())], "more services"),
            (vec![("tsaConfig", exact.clone())], "more services"),
            (vec![("tsaConfig", undefined)], "how many services"),
            (
                vec![("rekorTlogUrls", two), ("rekorTlogConfig", exact)],
                "exactly one valid log",
            ),
            (
                vec![("rekorTlogUrls", new), ("tsaUrls", json!([]))],
                "no timestamp authority",
            ),
            (vec![("mediaType", json!("other"))], "media type"),
        ] {
            let mut config = config();
            for (member, value) in changes {
                config["signingConfig"][member] = value;
            }
            let error = read(&config).unwrap_err();
            assert!(error.contains(expect), "{error}");
        }
        for (member, value) in [
            ("mediaType", json!("other")),
            ("signingConfig", json!(null)),
        ] {
            let mut config = config();
            config[member] = value;
            let error = read(&config).unwrap_err();
            assert!(error.contains("no `signingConfig`"), "{error}");
        }
    }
}
