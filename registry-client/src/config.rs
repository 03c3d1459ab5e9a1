//! The configuration of a client: endpoint, token and timeouts, with a check of the endpoint.

use std::time::Duration;

use url::Url;

use crate::error::{ClientError, excerpt};
use crate::token::Token;

/// Everything that a client must be told. Nothing is taken from the environment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ClientConfig {
    /// The URL that is asked, `http` or `https`, possibly with a path, without user, query or
    /// fragment.
    pub endpoint: Url,
    /// The registry that is meant, where the endpoint is a mirror of it. Nothing is sent there.
    pub mirrored: Option<Url>,
    /// The token of the caller; `None` asks anonymously. It is sent to the endpoint's own origin
    /// (scheme, host and port) and nowhere else.
    pub token: Option<Token>,
    /// The `User-Agent` header: product and version.
    pub user_agent: String,
    /// The proxy for all requests: an `http` or `https` URL.
    pub proxy: Option<Url>,
    /// The timeouts.
    pub timeouts: Timeouts,
}

impl ClientConfig {
    /// An anonymous client without a proxy and with [`Timeouts::standard`].
    pub fn new(endpoint: Url, user_agent: impl Into<String>) -> Self {
        Self {
            endpoint,
            mirrored: None,
            token: None,
            user_agent: user_agent.into(),
            proxy: None,
            timeouts: Timeouts::standard(),
        }
    }

    /// The same, with a token.
    pub fn with_token(mut self, token: Option<Token>) -> Self {
        self.token = token;
        self
    }

    /// The same, where the endpoint is a mirror of the registry `mirrored`.
    pub fn as_mirror_of(mut self, mirrored: Url) -> Self {
        self.mirrored = Some(mirrored);
        self
    }

    /// True if the token would cross a network unencrypted: plain `http` to a host that is not this
    /// machine. A caller does well to warn.
    pub fn sends_token_in_clear(&self) -> bool {
        let local = match self.endpoint.host() {
            Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        self.token.is_some() && self.endpoint.scheme() == "http" && !local
    }

    pub(crate) fn check(&self) -> Result<(), ClientError> {
        let refused = |rule| {
            Err(ClientError::Endpoint {
                endpoint: without_credentials(&self.endpoint),
                rule,
            })
        };
        if !matches!(self.endpoint.scheme(), "http" | "https") || !self.endpoint.has_host() {
            return refused("it must be an http or https URL with a host");
        }
        if !self.endpoint.username().is_empty() || self.endpoint.password().is_some() {
            return refused("it must not hold a user or a password");
        }
        // It would be another name of the same registry.
        if self.endpoint.path().contains("//") {
            return refused("it must not have two slashes in a row");
        }
        if self.endpoint.query().is_some() || self.endpoint.fragment().is_some() {
            return refused("it must have neither query nor fragment");
        }
        Ok(())
    }
}

fn without_credentials(url: &Url) -> String {
    let mut url = url.clone();
    // Both fail only for URLs that cannot hold credentials in the first place.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    excerpt(url.as_str())
}

/// The timeouts of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection, its TLS handshake included.
    pub connect: Duration,
    /// For the whole answer to a question (a list, a search), and for the beginning of a
    /// download.
    pub answer: Duration,
    /// The window over which a download must bring at least 1 KiB for each second.
    pub stall: Duration,
    /// For one whole upload or download.
    pub transfer: Duration,
}

impl Timeouts {
    /// 10 s to connect, 60 s for an answer, 30 s for a stall, one hour for a transfer.
    pub const fn standard() -> Self {
        Self {
            connect: Duration::from_secs(10),
            answer: Duration::from_secs(60),
            stall: Duration::from_secs(30),
            transfer: Duration::from_secs(3600),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(endpoint: &str, accepted: bool, in_clear: bool) {
        let config = ClientConfig::new(endpoint.parse().unwrap(), "test/1")
            .with_token(Some("hf_x".parse().unwrap()));
        assert_eq!(config.check().is_ok(), accepted, "{endpoint}");
        assert_eq!(config.sends_token_in_clear(), in_clear, "{endpoint}");
    }

    #[test]
    fn endpoints() {
        check("https://huggingface.co", true, false);
        check("https://example.org/hub/", true, false);
        check("http://127.0.0.1:8080", true, false);
        check("http://[::1]:8080", true, false);
        check("http://localhost", true, false);
        check("http://registry.example.org", true, true);
        check("http://localhost.example.org", true, true);
        check("file:///etc/passwd", false, false);
        check("https://me:secret@example.org", false, false);
        check("https://example.org/?a=b", false, false);
        check("https://example.org/#a", false, false);
        check("https://example.org//", false, false);
        check("https://example.org/hub//", false, false);
        check("https://example.org//hub", false, false);
    }

    #[test]
    fn a_refused_endpoint_does_not_show_its_password() {
        let config = ClientConfig::new("https://me:secret@example.org".parse().unwrap(), "test/1");
        let shown = format!("{:?}", config.check());
        assert!(!shown.contains("secret"), "{shown}");
    }
}
