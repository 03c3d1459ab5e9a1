//! The endpoint: requests go to it with its own key, and to nobody else.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::Response;
use reqwest::{Client, Url, redirect};
use serde_json::{Map, Value};

use super::refusal::Refusal;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an endpoint may say nothing. Some say nothing until a long answer is complete.
const SILENCE_MAX: Duration = Duration::from_secs(10 * 60);
/// The longest reply that is read here.
pub(super) const REPLY_BYTES_MAX: usize = 32 << 20;
/// The longest reply to a request that failed.
const ERROR_BYTES_MAX: usize = 1 << 20;
const KEY_CHARACTERS_MAX: usize = 4_096;
/// Where clients look for everything, here and, unless it says otherwise, at the endpoint.
const ROOT: &str = "/v1";

/// Headers that belong to one connection, and those that are for this server or tell of it. What
/// a client shows here is not for the endpoint.
const OWN_HEADERS: [HeaderName; 17] = [
    HeaderName::from_static("api-key"),
    header::AUTHORIZATION,
    header::CONNECTION,
    header::COOKIE,
    header::HOST,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("openai-organization"),
    HeaderName::from_static("openai-project"),
    header::ORIGIN,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::REFERER,
    header::SET_COOKIE,
    header::TE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("x-api-key"),
];
/// Headers that tell of a body, which is another one after the first round, or of one request,
/// where there may be several.
const BODY_HEADERS: [HeaderName; 6] = [
    header::ACCEPT,
    header::ACCEPT_ENCODING,
    header::CONTENT_ENCODING,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    HeaderName::from_static("idempotency-key"),
];

/// What is shown to the endpoint in the header `Authorization`, after `Bearer`.
#[derive(Clone)]
pub struct EndpointKey(HeaderValue);

impl FromStr for EndpointKey {
    type Err = GatewayError;

    /// Reads a key of 1 to 4,096 visible ASCII characters.
    fn from_str(text: &str) -> Result<Self, GatewayError> {
        let is_key = text.bytes().all(|byte| byte.is_ascii_graphic())
            && (1..=KEY_CHARACTERS_MAX).contains(&text.len());
        let value = HeaderValue::try_from(format!("Bearer {text}"));
        match value {
            Ok(mut value) if is_key => {
                value.set_sensitive(true);
                Ok(Self(value))
            }
            _ => Err(GatewayError::Key),
        }
    }
}

impl fmt::Debug for EndpointKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EndpointKey(…)")
    }
}

/// A gateway cannot be put before an endpoint.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GatewayError {
    /// The URL is no endpoint's.
    #[error(
        "`{url}` is no endpoint: write http:// or https://, the host and the path, and nothing else"
    )]
    Url {
        /// The URL, without a password.
        url: String,
    },
    /// The key cannot be sent. It is not repeated.
    #[error("a key consists of 1 to 4096 visible ASCII characters, without spaces")]
    Key,
    /// The client of the endpoint cannot be set up.
    #[error("the connection to the endpoint cannot be set up")]
    Client(#[source] reqwest::Error),
}

/// An endpoint and how it is asked.
#[derive(Clone)]
pub(super) struct Upstream {
    client: Client,
    base: Url,
    key: Option<EndpointKey>,
}

impl Upstream {
    pub(super) fn new(mut url: Url) -> Result<Self, GatewayError> {
        let is_endpoint = matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if !is_endpoint {
            // Neither can fail on what has a host, and without one there is nothing to hide.
            let _ = url.set_password(None);
            let _ = url.set_username("");
            url.set_query(None);
            return Err(GatewayError::Url { url: url.into() });
        }
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(if path.is_empty() { ROOT } else { &path });
        let client = Client::builder()
            .user_agent(concat!("tool-hub/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(SILENCE_MAX)
            // Wherever a redirect leads, it is not where the key belongs.
            .redirect(redirect::Policy::none())
            .build()
            .map_err(GatewayError::Client)?;
        Ok(Self {
            client,
            base: url,
            key: None,
        })
    }

    pub(super) fn show(&mut self, key: EndpointKey) {
        self.key = Some(key);
    }

    /// Posts `body` where the request with `head` was sent to. The response has a status of
    /// success.
    pub(super) async fn ask(
        &self,
        head: &Parts,
        body: &Map<String, Value>,
    ) -> Result<reqwest::Response, Refusal> {
        let mut headers = kept_headers(&head.headers);
        for name in BODY_HEADERS {
            headers.remove(name);
        }
        self.posted(self.url(&head.uri)?, headers, body).await
    }

    /// Posts `body` to `path` below the endpoint. The response has a status of success.
    pub(super) async fn post(
        &self,
        path: &str,
        body: &Map<String, Value>,
    ) -> Result<reqwest::Response, Refusal> {
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", self.base.path()));
        self.posted(url, HeaderMap::new(), body).await
    }

    async fn posted(
        &self,
        url: Url,
        mut headers: HeaderMap,
        body: &Map<String, Value>,
    ) -> Result<reqwest::Response, Refusal> {
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
        let body =
            serde_json::to_vec(body).map_err(|error| Refusal::request(error.to_string(), None))?;
        let response = self.send(Method::POST, url, headers, body.into()).await?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let headers = Box::new(response.headers().clone());
        Err(Refusal::Endpoint {
            status,
            headers,
            body: bounded(response, ERROR_BYTES_MAX).await?,
        })
    }

    /// Hands a request on as it is, and gives the answer as it comes.
    pub(super) async fn through(&self, request: Request) -> Result<Response, Refusal> {
        let url = self.url(request.uri())?;
        let (parts, body) = request.into_parts();
        let mut headers = kept_headers(&parts.headers);
        let body = match parts.method {
            Method::GET | Method::HEAD => {
                // A length without a body would make the next request on the connection its body.
                headers.remove(header::CONTENT_LENGTH);
                reqwest::Body::default()
            }
            _ => reqwest::Body::wrap_stream(body.into_data_stream()),
        };
        let response = self.send(parts.method, url, headers, body).await?;
        Ok(handed_on(response))
    }

    async fn send(
        &self,
        method: Method,
        url: Url,
        mut headers: HeaderMap,
        body: reqwest::Body,
    ) -> Result<reqwest::Response, Refusal> {
        if let Some(EndpointKey(key)) = &self.key {
            headers.insert(header::AUTHORIZATION, key.clone());
        }
        let request = self.client.request(method, url).headers(headers).body(body);
        let response = request.send().await.map_err(Refusal::unreachable)?;
        let status = response.status();
        if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
            return Err(Refusal::malformed(
                "it redirects; use the URL that it redirects to",
            ));
        }
        Ok(response)
    }

    /// Where the endpoint has what is asked for here. Dots could lead out of what it offers.
    fn url(&self, asked: &Uri) -> Result<Url, Refusal> {
        let rest = asked.path().strip_prefix(ROOT).ok_or_else(not_below)?;
        // Whoever stands before the endpoint may decode a path before it does.
        let decoded = decoded(&decoded(rest.as_bytes()));
        let mut segments = decoded.split(|byte| matches!(byte, b'/' | b'\\'));
        if segments.any(|segment| segment == b"..") {
            return Err(not_below());
        }
        let mut url = self.base.clone();
        url.set_path(&format!("{}{rest}", self.base.path()));
        url.set_query(asked.query());
        match url.path().strip_prefix(self.base.path()) {
            Some(below) if below.starts_with('/') => Ok(url),
            _ => Err(not_below()),
        }
    }
}

/// A path with the bytes for which `%` and two digits stand.
fn decoded(path: &[u8]) -> Vec<u8> {
    let digit = |at: usize| char::from(*path.get(at)?).to_digit(16);
    let mut decoded = Vec::with_capacity(path.len());
    let mut at = 0;
    while let Some(byte) = path.get(at) {
        let escaped = match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => u8::try_from(16 * high + low).ok(),
            _ => None,
        };
        decoded.push(escaped.unwrap_or(*byte));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    decoded
}

fn not_below() -> Refusal {
    Refusal::request("the path leads out of the endpoint", None)
}

/// What passes of a request's or a response's headers.
pub(super) fn kept_headers(headers: &HeaderMap) -> HeaderMap {
    let mut kept = headers.clone();
    for name in OWN_HEADERS {
        kept.remove(name);
    }
    kept
}

/// A response of the endpoint as one of this server.
pub(super) fn handed_on(response: reqwest::Response) -> Response {
    let (status, headers) = (response.status(), kept_headers(response.headers()));
    let mut handed_on = Response::new(Body::from_stream(response.bytes_stream()));
    *handed_on.status_mut() = status;
    *handed_on.headers_mut() = headers;
    handed_on
}

/// The whole body, as JSON.
pub(super) async fn reply(response: reqwest::Response) -> Result<Value, Refusal> {
    let bytes = bounded(response, REPLY_BYTES_MAX).await?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Refusal::malformed(format!("its reply is no JSON: {error}")))
}

async fn bounded(mut response: reqwest::Response, bytes_max: usize) -> Result<Bytes, Refusal> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(Refusal::unreachable)? {
        if bytes.len() + chunk.len() > bytes_max {
            return Err(Refusal::malformed(format!(
                "its reply has more than {bytes_max} bytes"
            )));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(base: &str, asked: &str, expect: Option<&str>) {
        let upstream = Upstream::new(base.parse().unwrap()).unwrap();
        let url = upstream.url(&asked.parse().unwrap()).ok();
        assert_eq!(url.as_ref().map(Url::as_str), expect, "{base} {asked}");
    }

    #[test]
    fn paths_lead_below_the_endpoint_only() {
        for (base, asked, expect) in [
            ("http://h", "/v1/models", Some("http://h/v1/models")),
            (
                "http://h:1/",
                "/v1/models?a=b",
                Some("http://h:1/v1/models?a=b"),
            ),
            ("https://h/v1/", "/v1/a/b%2Fc", Some("https://h/v1/a/b%2Fc")),
            (
                "https://h/openai/v2",
                "/v1/models",
                Some("https://h/openai/v2/models"),
            ),
            ("https://h/v1", "/v1/../admin", None),
            ("https://h/v1", "/v1/%2e%2E/admin", None),
            ("https://h/v1", "/v1/a/../../v1x/b", None),
            ("https://h/v1", "/v1/a/../b", None),
            ("https://h/v1", "/v1/a%2f..%2f..%2fadmin", None),
            ("https://h/v1", "/v1/a%5C%2e%2e%5cadmin", None),
            ("https://h/v1", "/v1/%252e%252e/admin", None),
            ("https://h/v1", "/v1/a%252F.%2E", None),
            ("https://h/v1", "/v1/a..b/%", Some("https://h/v1/a..b/%")),
            ("https://h/v1", "/v1x", None),
            ("https://h/v1", "/mcp", None),
        ] {
            check(base, asked, expect);
        }
    }

    #[test]
    fn what_is_no_endpoint_is_refused() {
        for url in ["ftp://h/", "http://h/?a=b", "http://h/#a", "file:///v1"] {
            assert!(Upstream::new(url.parse().unwrap()).is_err(), "{url}");
        }
        let Err(refused) = Upstream::new("http://me:secret@h/v1".parse().unwrap()) else {
            panic!("it holds a password");
        };
        assert!(!refused.to_string().contains("secret"), "{refused}");
    }

    #[test]
    fn a_key_is_what_a_header_can_carry_and_is_not_shown() {
        for text in ["", "a b", "a\n", "é", &"x".repeat(4_097)] {
            assert!(text.parse::<EndpointKey>().is_err(), "{text}");
        }
        let key: EndpointKey = "sk-secret".parse().unwrap();
        assert!(!format!("{key:?} {:?}", key.0).contains("secret"));
    }
}
