//! Who may ask: requests for this server by name, from no foreign page, with a caller's token.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq;
use tower::ServiceExt as _;

use super::caller::{BearerToken, Caller};
use super::cors;
use super::problem::Problem;
use crate::{ServeError, Toolset};

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
    /// The name is too long, or has characters that a log cannot show as they are.
    #[error("`{name}` is no name of a caller: 1 to 64 of A-Z, a-z, 0-9, `.`, `_`, `@` and `-`")]
    CallerName {
        /// What was given, cut.
        name: String,
    },
    /// Two callers have one name.
    #[error("two callers are called `{name}`")]
    CallerTwice {
        /// The name.
        name: String,
    },
    /// Two callers show one token.
    #[error("`{one}` and `{other}` have the same token")]
    TokenTwice {
        /// Who has it.
        one: String,
        /// Who has it, too.
        other: String,
    },
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

/// Who may ask. Nobody but the callers that are named, and no page of an origin that is not;
/// this machine's own names are always among the hosts.
#[derive(Debug, Clone)]
pub struct Access {
    callers: Vec<Caller>,
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Access {
    /// For clients on this machine, and none of them yet.
    pub fn none() -> Self {
        let hosts = ["localhost", "127.0.0.1", "[::1]"];
        Self {
            callers: Vec::new(),
            hosts: hosts.map(str::to_owned).to_vec(),
            origins: Vec::new(),
        }
    }

    /// How many may ask.
    pub(super) fn callers(&self) -> usize {
        self.callers.len()
    }

    /// `caller` may ask.
    ///
    /// # Errors
    /// When another one has its name or its token.
    pub fn with_caller(mut self, caller: Caller) -> Result<Self, AccessError> {
        for known in &self.callers {
            if known.name == caller.name {
                return Err(AccessError::CallerTwice {
                    name: caller.name.to_string(),
                });
            }
            if known.token == caller.token {
                return Err(AccessError::TokenTwice {
                    one: known.name.to_string(),
                    other: caller.name.to_string(),
                });
            }
        }
        self.callers.push(caller);
        Ok(self)
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

/// The door that every request comes through. Behind it each caller has routes of its own, so
/// that nothing that is kept for one can be reached by another.
pub(super) struct Guard {
    access: Access,
    /// In the order of the callers.
    routes: Vec<Router>,
}

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Host,
    Origin,
    Token,
}

impl Guard {
    /// Leads each caller to what `routes` makes of its tools.
    pub(super) fn new(
        access: Access,
        routes: impl Fn(Toolset) -> Result<Router, ServeError>,
    ) -> Result<Self, ServeError> {
        let made = access.callers.iter();
        let made: Result<Vec<Router>, ServeError> =
            made.map(|caller| routes(caller.toolset.clone())).collect();
        Ok(Self {
            routes: made?,
            access,
        })
    }

    /// Which of the callers it is.
    fn check(&self, headers: &HeaderMap) -> Result<usize, Refusal> {
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
        let shown: Option<BearerToken> = shown.and_then(|token| token.parse().ok());
        let shown = shown.ok_or(Refusal::Token)?.digest();
        let mut found = None;
        // All of them are compared, so that the time says nothing about who is among them.
        for (index, caller) in self.access.callers.iter().enumerate() {
            if bool::from(caller.token.as_bytes().ct_eq(shown.as_bytes())) {
                found = Some(index);
            }
        }
        found.ok_or(Refusal::Token)
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
        let (status, detail) = match self {
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
                "send a token of the server's, as the header `Authorization: Bearer …`",
            ),
        };
        let mut response = Problem::new(status, detail).into_response();
        if self == Self::Token {
            let scheme = HeaderValue::from_static("Bearer realm=\"tool-hub\"");
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}

/// Lets through who may ask, each to its own routes.
pub(super) async fn enter(State(guard): State<Arc<Guard>>, request: Request) -> Response {
    let origin = request.headers().get(header::ORIGIN).cloned();
    let is_preflight = cors::is_preflight(request.method(), request.headers());
    let mut response = match guard.check(request.headers()) {
        Ok(caller) => match guard.routes[caller].clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        },
        // Its host and its origin are right.
        Err(Refusal::Token) if is_preflight => cors::preflight(),
        Err(refusal) => {
            tracing::warn!(
                ?refusal,
                path = request.uri().path(),
                "a request was refused"
            );
            refusal.into_response()
        }
    };
    // A page that may not ask may not read why, either.
    let allowed = origin.filter(|_| response.status() != StatusCode::FORBIDDEN);
    if let Some(origin) = allowed {
        cors::readable(&mut response, origin);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CallerName;

    const TOKEN: &str = "0123456789abcdef";

    fn caller(name: &str, token: &str) -> Caller {
        let token: BearerToken = token.parse().unwrap();
        let toolset = Toolset::new(crate::Catalogue::new([]).unwrap());
        Caller::new(name.parse().unwrap(), token.digest(), toolset)
    }

    fn guard() -> Guard {
        let access = Access::none().with_host("tools.example").unwrap();
        let access = access.with_host("2001:db8::1").unwrap();
        let access = access.with_origin("https://app.example").unwrap();
        let access = access.with_caller(caller("ann", TOKEN)).unwrap();
        let access = access.with_caller(caller("bob", &TOKEN.repeat(2))).unwrap();
        Guard::new(access, |_| Ok(Router::new())).unwrap()
    }

    #[track_caller]
    fn check(headers: &[(&str, &str)], expect: Result<usize, Refusal>) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            map.append(name, value.parse().unwrap());
        }
        assert_eq!(guard().check(&map), expect, "{headers:?}");
    }

    #[tokio::test]
    async fn pages_that_are_named_get_what_browsers_ask() {
        let guard = Arc::new(guard());
        let ask = |origin: &str, method: &str| {
            let request = Request::builder()
                .method(method)
                .header("host", "localhost")
                .header("origin", origin)
                .header("access-control-request-method", "POST")
                .body(axum::body::Body::empty());
            enter(State(guard.clone()), request.unwrap())
        };
        for (origin, method, status, allowed) in [
            (
                "https://app.example",
                "OPTIONS",
                204,
                Some("https://app.example"),
            ),
            // It may read that it needs a token.
            (
                "https://app.example",
                "POST",
                401,
                Some("https://app.example"),
            ),
            ("https://evil.example", "OPTIONS", 403, None),
        ] {
            let response = ask(origin, method).await;
            assert_eq!(response.status(), status);
            let headers = response.headers();
            let origin = headers.get(header::ACCESS_CONTROL_ALLOW_ORIGIN);
            assert_eq!(origin.map(|value| value.to_str().unwrap()), allowed);
            let sent = headers.get(header::ACCESS_CONTROL_ALLOW_HEADERS);
            assert_eq!(sent.is_some(), status == 204);
        }
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
            check(&[("host", host), token], Ok(0));
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
            ("https://app.example", Ok(0)),
            ("HTTPS://APP.example", Ok(0)),
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
            ("Bearer 0123456789abcdef", Ok(0)),
            ("bearer  0123456789abcdef", Ok(0)),
            ("Bearer 0123456789abcdef0123456789abcdef", Ok(1)),
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
        let nobody = Guard::new(Access::none(), |_| Ok(Router::new())).unwrap();
        let mut map = HeaderMap::new();
        map.insert("host", HeaderValue::from_static("localhost"));
        map.insert(
            "authorization",
            HeaderValue::from_static("Bearer 0123456789abcdef"),
        );
        assert_eq!(nobody.check(&map), Err(Refusal::Token));
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
        let access = Access::none;
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
        for name in ["", "a b", "a\n", "é", &"a".repeat(65)] {
            assert!(name.parse::<CallerName>().is_err(), "{name}");
        }
        let ann = access().with_caller(caller("ann", TOKEN)).unwrap();
        let refused = |other| ann.clone().with_caller(other).unwrap_err().to_string();
        assert_eq!(
            refused(caller("ann", "another-token-of-hers")),
            "two callers are called `ann`"
        );
        assert_eq!(
            refused(caller("bob", TOKEN)),
            "`ann` and `bob` have the same token"
        );
        let (one, other) = (
            BearerToken::random().unwrap(),
            BearerToken::random().unwrap(),
        );
        assert_ne!(one.expose(), other.expose());
        assert_eq!(one.expose().len(), 43);
        assert!(!format!("{one:?}").contains(one.expose()));
    }
}
