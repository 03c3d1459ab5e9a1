//! The `Origin` type: parses web origins, by which network access is asked for and granted.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::string_conversions::string_conversions;

/// A web origin (RFC 6454): scheme `http` or `https`, one exact host, a port.
/// Written without a path; the port is left out when it is the scheme's own.
/// An origin allows exactly itself: no sub-domains, no wildcards.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Origin {
    secure: bool,
    host: String,
    port: u16,
}

/// A text is not an origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an origin: {reason}; write it like `https://api.example.com`")]
pub struct OriginError {
    /// The given text, escaped, at most 120 characters of it.
    pub text: String,
    /// The reason for the refusal.
    pub reason: &'static str,
}

impl Origin {
    /// `http` or `https`.
    pub fn scheme(&self) -> &'static str {
        if self.secure { "https" } else { "http" }
    }

    /// The host: a domain name in lower case, an IPv4 address, or an IPv6 address in
    /// brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        parse(text).map_err(|reason| OriginError {
            text: text
                .chars()
                .take(120)
                .flat_map(char::escape_default)
                .collect(),
            reason,
        })
    }
}

fn parse(text: &str) -> Result<Origin, &'static str> {
    if text.contains('*') {
        return Err("wildcards are not allowed, each host is named");
    }
    if !text.is_ascii() || text.bytes().any(|b| b.is_ascii_control() || b == b' ') {
        return Err("it holds characters other than visible ASCII");
    }
    let url = Url::parse(text).map_err(|_| "it is not a URL")?;
    let secure = match url.scheme() {
        "https" => true,
        "http" => false,
        _ => return Err("the scheme is neither http nor https"),
    };
    let host = match url.host() {
        Some(Host::Domain(domain)) if is_domain(domain) => domain.to_owned(),
        Some(Host::Ipv4(address)) => address.to_string(),
        Some(Host::Ipv6(address)) => format!("[{address}]"),
        _ => return Err("the host is not a plain domain name or address"),
    };
    let port = url.port_or_known_default().ok_or("the port is missing")?;
    let origin = Origin { secure, host, port };
    // What a person reads has to be what is enforced, so every other spelling of the same
    // host (`0x7f.1`, an explicit default port, a path, a user) is refused.
    if text.strip_suffix('/').unwrap_or(text) != origin.to_string() {
        return Err("it is not in its plain form: no path, no user, no default port, lower case");
    }
    Ok(origin)
}

fn is_domain(domain: &str) -> bool {
    !domain.ends_with('.')
        && domain.split('.').all(|label| {
            (1..=63).contains(&label.len()) && !label.starts_with('-') && !label.ends_with('-')
        })
        && (domain.contains('.') || domain == "localhost")
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme(), self.host)?;
        let default = if self.secure { 443 } else { 80 };
        if self.port == default {
            Ok(())
        } else {
            write!(f, ":{}", self.port)
        }
    }
}

string_conversions!(Origin, OriginError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_origins_round_trip() {
        for text in [
            "https://api.open-meteo.com",
            "http://localhost:8080",
            "https://127.0.0.1:8443",
            "http://[::1]:9000",
            "https://xn--bcher-kva.example",
        ] {
            let origin: Origin = text.parse().unwrap();
            assert_eq!(origin.to_string(), text);
        }
        let origin: Origin = "https://example.com/".parse().unwrap();
        assert_eq!(
            (origin.scheme(), origin.host(), origin.port()),
            ("https", "example.com", 443)
        );
    }

    #[test]
    fn every_other_spelling_is_refused() {
        for text in [
            "*",
            "*.com",
            "https://*",
            "https://*.example.com",
            "example.com",
            "https://",
            "ftp://example.com",
            "https://example.com:443",
            "https://example.com/path",
            "https://example.com?x",
            "https://EXAMPLE.com",
            "https://user@example.com",
            "https://example.com.",
            "http://0x7f.1",
            "http://2130706433",
            "http://127.1",
            "https://bücher.example",
            "https://com",
            "https://a..b",
            "file:///etc",
            "https://example.com#x",
            "https://exa\tmple.com",
        ] {
            assert!(text.parse::<Origin>().is_err(), "{text:?}");
        }
    }
}
