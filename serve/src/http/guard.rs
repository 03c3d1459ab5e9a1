//! Checks host, origin and token of every request, and hands it to the routes of its caller.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq;

use super::access::{Access, host_of};
use super::caller::{BearerToken, Caller};
use super::connections::IncompleteRequest;
use super::cors;
use super::problem::Problem;
use super::routes::Routes;
use crate::error::ServeError;
use crate::quoted_text::quoted_name;

/// The check that every request passes. Each caller has routes of its own, so that nothing that is
/// kept for one can be reached by another.
pub(super) struct Guard {
    access: Access,
    /// In the order of the callers.
    routes: Vec<Routes>,
}

/// The reason why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Host,
    Origin,
    Token,
}

impl Guard {
    /// Makes the routes of each caller with `routes`.
    pub(super) fn new(
        access: Access,
        routes: impl Fn(&Caller) -> Result<Routes, ServeError>,
    ) -> Result<Self, ServeError> {
        let made: Result<Vec<Routes>, ServeError> = access.callers.iter().map(routes).collect();
        Ok(Self {
            routes: made?,
            access,
        })
    }

    /// Answers a request by the routes of its caller, or refuses it.
    pub(super) async fn answer(&self, request: Request, arriving: IncompleteRequest) -> Response {
        let origin = request.headers().get(header::ORIGIN).cloned();
        let is_preflight = cors::is_preflight(request.method(), request.headers());
        let mut response = match self.check(request.headers()) {
            Ok(caller) => self.routes[caller].answer(request, arriving).await,
            // Its host and its origin are right.
            Err(Refusal::Token) if is_preflight => cors::preflight(),
            Err(refusal) => {
                tracing::warn!(
                    ?refusal,
                    path = quoted_name(request.uri().path()),
                    "a request was refused"
                );
                refusal.into_response()
            }
        };
        // A page of an origin that is not allowed may not read the refusal, either.
        let allowed = origin.filter(|_| response.status() != StatusCode::FORBIDDEN);
        if let Some(origin) = allowed {
            cors::readable(&mut response, origin);
        }
        response
    }

    /// Finds the caller of a request.
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

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use tokio::runtime::Runtime;
    use tokio_util::sync::CancellationToken;

    use super::super::caller::tests::caller;
    use super::super::connections::Connections;
    use super::super::routes::CallerLimits;
    use super::*;
    use crate::budget::Budget;
    use crate::cache::SharedCache;

    const TOKEN: &str = "0123456789abcdef";
    static LONG: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

    fn behind(access: Access) -> Guard {
        let stop = CancellationToken::new();
        let portion = || CallerLimits {
            connections: 1,
            places: 1,
            memory: Budget::new().share(1),
            cache: SharedCache::default().for_caller(),
            long: LONG.handle().clone(),
        };
        Guard::new(access, |caller| Routes::new(caller, None, portion(), &stop)).unwrap()
    }

    fn guard() -> Guard {
        let access = Access::none().with_host("tools.example").unwrap();
        let access = access.with_host("2001:db8::1").unwrap();
        let access = access.with_origin("https://app.example").unwrap();
        let access = access.with_caller(caller("ann", TOKEN)).unwrap();
        let access = access.with_caller(caller("bob", &TOKEN.repeat(2))).unwrap();
        behind(access)
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
        let guard = guard();
        let ask = |origin: &str, method: &str| {
            let request = Request::builder()
                .method(method)
                .header("host", "localhost")
                .header("origin", origin)
                .header("access-control-request-method", "POST")
                .body(axum::body::Body::empty());
            let waiting = Connections::default().waiting();
            guard.answer(request.unwrap(), IncompleteRequest::begin(&waiting))
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
        let nobody = behind(Access::none());
        let mut map = HeaderMap::new();
        map.insert("host", HeaderValue::from_static("localhost"));
        map.insert(
            "authorization",
            HeaderValue::from_static("Bearer 0123456789abcdef"),
        );
        assert_eq!(nobody.check(&map), Err(Refusal::Token));
    }
}
