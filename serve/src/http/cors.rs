//! Answers CORS preflight requests of allowed origins, and lets their pages read responses.
//! The protocol is that of the Fetch Standard.

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// The methods and headers that a page may use in addition to those that every page may.
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");
const SENT: HeaderValue = HeaderValue::from_static(
    "Accept, Authorization, Content-Type, If-None-Match, Last-Event-ID, Mcp-Method, Mcp-Name, \
     Mcp-Protocol-Version, Mcp-Session-Id",
);
const READ: HeaderValue =
    HeaderValue::from_static("ETag, Mcp-Session-Id, Retry-After, WWW-Authenticate");

/// Returns true for the question of a browser before a page's request. It has no token.
pub(super) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    method == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to a browser that asks for a page of an origin that is allowed.
pub(super) fn preflight() -> Response {
    let allowed: [(HeaderName, HeaderValue); 2] = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, METHODS),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, SENT),
    ];
    (StatusCode::NO_CONTENT, allowed).into_response()
}

/// Lets a page of `origin`, which is allowed, read the response.
pub(super) fn readable(response: &mut Response, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, READ);
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
}
