//! Who may ask: requests for this server by name, from no foreign page, with the token.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Json, Response};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD;
use serde_json::json;
use subtle::ConstantTimeEq;

/// A token that can be guessed is none.
const TOKEN_CHARACTERS_MIN: usize = 16;
const TOKEN_CHARACTERS_MAX: usize = 4_096;
/// How many random bytes a token is made of.
const TOKEN_BYTES: usize = 32;

/// What a client shows in the header `Authorization`, after `Bearer`.
#[derive(Clone)]
pub struct BearerToken(String);

impl BearerToken {
    /// A new one, of 256 random bits.
    ///
    /// # Errors
    /// When the system has no random bytes.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// The token itself, for the one who starts the server.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for BearerToken {
    type Err = AccessError;

    /// Reads a token of 16 to 4,096 visible ASCII characters.
    fn from_str(text: &str) -> Result<Self, AccessError> {
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(AccessError::TokenCharacters);
        }
        if !(TOKEN_CHARACTERS_MIN..=TOKEN_CHARACTERS_MAX).contains(&text.len()) {
            return Err(AccessError::TokenLength { length: text.len() });
        }
        Ok(Self(text.to_owned()))
    }
}

impl std::fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BearerToken(…)")
    }
}

/// What cannot be granted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AccessError {
    /// The token is too short to keep anybody out, or too long for a header.
    #[error("a token has 16 to 4096 characters, not {length}")]
    TokenLength {
        /// How many it has.
        length: usize,
    },
    /// The token has characters that a header cannot carry.
    #[error("a token consists of visible ASCII characters, without spaces")]
    TokenCharacters,
    /// A host that no request can name.
    #[error("`{host}` is not the name or the address of a host")]
    Host {
        /// What was given.
        host: String,
    },
    /// An origin that no browser sends.
    #[error(
        "`{origin}` is no origin; write scheme://host, and :port where it is not the usual one"
    )]
    Origin {
        /// What was given.
        origin: String,
    },
}

/// Who may ask. This machine's own names are always among the hosts; no origin is allowed
/// unless it is named.
#[derive(Debug, Clone)]
pub struct Access {
    token: BearerToken,
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Access {
    /// For clients on this machine that show `token`.
    pub fn new(token: BearerToken) -> Self {
        let hosts = ["localhost", "127.0.0.1", "[::1]"];
        Self {
            token,
            hosts: hosts.map(str::to_owned).to_vec(),
            origins: Vec::new(),
        }
    }

    /// Requests may name `host` in their header `Host`, with any port.
    ///
    /// # Errors
    /// When it is neither a name nor an address.
    pub fn with_host(mut self, host: &str) -> Result<Self, AccessError> {
        let bracketed = match host.parse::<IpAddr>() {
            Ok(IpAddr::V6(address)) => format!("[{address}]"),
            _ => host.to_owned(),
        };
        match host_of(&bracketed) {
            Some(name) if name.len() == bracketed.len() => self.hosts.push(name),
            _ => {
                return Err(AccessError::Host {
                    host: host.to_owned(),
                });
            }
        }
        Ok(self)
    }

    /// Pages of `origin`, exactly, may ask.
    ///
    /// # Errors
    /// When it is no origin.
    pub fn with_origin(mut self, origin: &str) -> Result<Self, AccessError> {
        let is_origin = origin
            .split_once("://")
            .is_some_and(|(scheme, host)| !scheme.is_empty() && host_of(host).is_some());
        if !is_origin {
            return Err(AccessError::Origin {
                origin: origin.to_owned(),
            });
        }
        self.origins.push(origin.to_ascii_lowercase());
        Ok(self)
    }
}

/// The host of `authority`, in lower case, without the port.
fn host_of(authority: &str) -> Option<String> {
    let authority: Authority = authority.parse().ok()?;
    let has_user = authority.as_str().contains('@');
    (!has_user && !authority.host().is_empty()).then(|| authority.host().to_ascii_lowercase())
}

pub(super) struct Guard {
    access: Access,
}

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Host,
    Origin,
    Token,
}

impl Guard {
    pub(super) fn new(access: Access) -> Self {
        Self { access }
    }

    fn check(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = only(headers, &header::HOST).and_then(host_of);
        if !host.is_some_and(|host| self.access.hosts.contains(&host)) {
            return Err(Refusal::Host);
        }
        if headers.contains_key(header::ORIGIN) {
            let origin = only(headers, &header::ORIGIN).map(str::to_ascii_lowercase);
            if !origin.is_some_and(|origin| self.access.origins.contains(&origin)) {
                return Err(Refusal::Origin);
            }
        }
        let shown = only(headers, &header::AUTHORIZATION).and_then(bearer);
        let shown = shown.unwrap_or_default().as_bytes();
        if !bool::from(shown.ct_eq(self.access.token.0.as_bytes())) {
            return Err(Refusal::Token);
        }
        Ok(())
    }
}

/// The value of a header that is there once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// The token of an `Authorization`, whose scheme is written in any case.
fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim_start())
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, error) = match self {
            Self::Host => (
                StatusCode::FORBIDDEN,
                "the request's Host is not a name of this server",
            ),
            Self::Origin => (
                StatusCode::FORBIDDEN,
                "pages of the request's Origin may not use this server",
            ),
            Self::Token => (
                StatusCode::UNAUTHORIZED,
                "send the server's token, as the header `Authorization: Bearer …`",
            ),
        };
        let mut response = (status, Json(json!({ "error": error }))).into_response();
        if self == Self::Token {
            let scheme = HeaderValue::from_static("Bearer realm=\"tool-hub\"");
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}

/// Lets through what may ask.
pub(super) async fn guard(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    match guard.check(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => {
            tracing::warn!(
                ?refusal,
                path = request.uri().path(),
                "a request was refused"
            );
            refusal.into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn guard() -> Guard {
        let access = Access::new(TOKEN.parse().unwrap());
        let access = access.with_host("tools.example").unwrap();
        let access = access.with_host("2001:db8::1").unwrap();
        Guard::new(access.with_origin("https://app.example").unwrap())
    }

    #[track_caller]
    fn check(headers: &[(&str, &str)], expect: Result<(), Refusal>) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            map.append(name, value.parse().unwrap());
        }
        assert_eq!(guard().check(&map), expect, "{headers:?}");
    }

    #[test]
    fn hosts_of_the_server_only() {
        let token = ("authorization", "Bearer 0123456789abcdef");
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "127.0.0.1:1",
            "[::1]:9",
            "[::1]",
            "tools.example",
            "tools.example:443",
            "[2001:db8::1]:80",
        ] {
            check(&[("host", host), token], Ok(()));
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "localhost@evil.example",
            "user@localhost",
            "127.0.0.1.evil.example",
            "127.0.0.2",
            "[::2]",
            "::1",
            "localhost:8080:1",
            "localhost/..",
        ] {
            check(&[("host", host), token], Err(Refusal::Host));
        }
        check(&[token], Err(Refusal::Host));
        check(
            &[("host", "localhost"), ("host", "localhost"), token],
            Err(Refusal::Host),
        );
    }

    #[test]
    fn no_page_that_is_not_named() {
        let rest = [
            ("host", "localhost"),
            ("authorization", "Bearer 0123456789abcdef"),
        ];
        for (origin, expect) in [
            ("https://app.example", Ok(())),
            ("HTTPS://APP.example", Ok(())),
            ("http://app.example", Err(Refusal::Origin)),
            ("https://app.example:8443", Err(Refusal::Origin)),
            ("https://app.example.evil", Err(Refusal::Origin)),
            ("http://localhost", Err(Refusal::Origin)),
            ("null", Err(Refusal::Origin)),
            ("", Err(Refusal::Origin)),
        ] {
            check(&[rest[0], rest[1], ("origin", origin)], expect);
        }
    }

    #[test]
    fn nobody_without_the_token() {
        for (value, expect) in [
            ("Bearer 0123456789abcdef", Ok(())),
            ("bearer  0123456789abcdef", Ok(())),
            ("Bearer 0123456789abcdeg", Err(Refusal::Token)),
            ("Bearer 0123456789abcde", Err(Refusal::Token)),
            ("Bearer 0123456789abcdef0", Err(Refusal::Token)),
            ("Bearer", Err(Refusal::Token)),
            ("Bearer ", Err(Refusal::Token)),
            ("Basic 0123456789abcdef", Err(Refusal::Token)),
            ("0123456789abcdef", Err(Refusal::Token)),
        ] {
            check(&[("host", "localhost"), ("authorization", value)], expect);
        }
        check(&[("host", "localhost")], Err(Refusal::Token));
    }

    #[test]
    fn what_grants_nothing_is_refused() {
        assert!(matches!(
            "short".parse::<BearerToken>(),
            Err(AccessError::TokenLength { length: 5 })
        ));
        assert!(matches!(
            "0123456789 abcdef".parse::<BearerToken>(),
            Err(AccessError::TokenCharacters)
        ));
        let access = || Access::new(TOKEN.parse().unwrap());
        for host in [
            "",
            "a b",
            "user@host",
            "host:80",
            "http://host",
            "host/path",
        ] {
            assert!(access().with_host(host).is_err(), "{host}");
        }
        for origin in ["", "app.example", "https://", "https://a b", "*"] {
            assert!(access().with_origin(origin).is_err(), "{origin}");
        }
        let (one, other) = (
            BearerToken::random().unwrap(),
            BearerToken::random().unwrap(),
        );
        assert_ne!(one.expose(), other.expose());
        assert_eq!(one.expose().len(), 43);
        assert!(!format!("{one:?}").contains(one.expose()));
    }
}
