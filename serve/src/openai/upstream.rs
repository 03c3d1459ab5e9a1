//! The `Upstream` endpoint: checks URL and key, sends requests, reads replies or passes them on.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use reqwest::{Client, Url, redirect};
use serde_json::{Map, Value};

use super::headers;
use super::refusal::Refusal;
use super::reply_memory::{REPLY_BYTES_MAX, ReplyReservation};
use super::request_body;
use super::route::{ROOT, Route};
use crate::budget::{Share, value_bytes};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest silence of an endpoint. Some say nothing until a long answer is complete.
const SILENCE_MAX: Duration = Duration::from_secs(10 * 60);
/// The memory of a value that is read from a reply, in bytes.
pub(super) const VALUE_BYTES: usize = 160;
/// The longest reply to a request that failed.
const ERROR_BYTES_MAX: usize = 1 << 20;
const KEY_CHARACTERS_MAX: usize = 4_096;

/// The key that the endpoint is sent in the header `Authorization`, after `Bearer`.
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
        "`{url}` is not an endpoint: write http:// or https://, the host and the path, and nothing else"
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

/// The path of the Chat Completions API below an endpoint.
pub(super) const CHAT: &str = "/chat/completions";

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
        // Some people configure the full URL of the chat API.
        let path = url.path().trim_end_matches('/');
        let path = path.strip_suffix(CHAT).unwrap_or(path).to_owned();
        url.set_path(if path.is_empty() { ROOT } else { &path });
        let client = Client::builder()
            .user_agent(concat!("tool-hub/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(SILENCE_MAX)
            // A redirect may lead elsewhere, and the key must not go there.
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
        let route = Route::of(&head.method, &head.uri)?;
        let headers = headers::round_headers(&head.headers);
        self.posted(self.url(route), headers, body).await
    }

    /// Posts `body` to `path` below the endpoint. The response has a status of success.
    pub(super) async fn post(
        &self,
        path: &str,
        body: &Map<String, Value>,
    ) -> Result<reqwest::Response, Refusal> {
        let route = Route { path, query: None };
        self.posted(self.url(route), HeaderMap::new(), body).await
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
            body: bounded(response, ERROR_BYTES_MAX, |_| Ok(())).await?,
        })
    }

    /// Passes on a request, if clients may make it, and streams the answer back.
    pub(super) async fn forward(&self, request: Request) -> Result<Response, Refusal> {
        let (head, body) = request.into_parts();
        let url = self.url(Route::of(&head.method, &head.uri)?);
        let body = match head.method {
            Method::POST => request_body::bytes(body).await?,
            _ => Bytes::new(),
        };
        let headers = headers::passthrough_headers(&head.headers);
        let response = self.send(head.method, url, headers, body.into()).await?;
        Ok(into_response(response))
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
        if !(200..600).contains(&status.as_u16()) {
            return Err(Refusal::malformed(format!("it has status {status}")));
        }
        Ok(response)
    }

    /// The URL of the route at the endpoint.
    fn url(&self, route: Route<'_>) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}{}", self.base.path(), route.path));
        url.set_query(route.query);
        url
    }
}

/// A response of the endpoint as one of this server.
pub(super) fn into_response(response: reqwest::Response) -> Response {
    let (status, headers) = (
        response.status(),
        headers::response_headers(response.headers()),
    );
    let mut forwarded = Response::new(Body::from_stream(response.bytes_stream()));
    *forwarded.status_mut() = status;
    *forwarded.headers_mut() = headers;
    forwarded
}

/// A whole reply, and the memory that it takes.
pub(super) struct WholeReply {
    pub(super) value: Value,
    /// The length of its text.
    pub(super) bytes: usize,
    pub(super) held: ReplyReservation,
}

/// The whole body, as JSON.
pub(super) async fn reply(
    response: reqwest::Response,
    share: &Share,
) -> Result<WholeReply, Refusal> {
    let mut held = ReplyReservation::of(share);
    let bytes = bounded(response, REPLY_BYTES_MAX, |bytes| held.hold(bytes)).await?;
    held.hold(bytes.len() + value_bytes(&bytes, VALUE_BYTES))?;
    let value = serde_json::from_slice(&bytes)
        .map_err(|error| Refusal::malformed(format!("its reply is not valid JSON: {error}")))?;
    Ok(WholeReply {
        value,
        bytes: bytes.len(),
        held,
    })
}

/// The whole body, of which `hold` is told how long it is so far.
async fn bounded(
    mut response: reqwest::Response,
    bytes_max: usize,
    mut hold: impl FnMut(usize) -> Result<(), Refusal>,
) -> Result<Bytes, Refusal> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(Refusal::unreachable)? {
        let length = bytes.len() + chunk.len();
        if length > bytes_max {
            return Err(Refusal::malformed(format!(
                "its reply has more than {bytes_max} bytes"
            )));
        }
        hold(length)?;
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stand_below_the_endpoint() {
        for (base, asked, expect) in [
            ("http://h", "/v1/models", "http://h/v1/models"),
            ("http://h:1/", "/v1/models?a=b", "http://h:1/v1/models?a=b"),
            (
                "https://h/v1/",
                "/v1/models/b%2Fc",
                "https://h/v1/models/b%2Fc",
            ),
            (
                "https://h/openai/v2",
                "/v1/models",
                "https://h/openai/v2/models",
            ),
            (
                "http://h/v1/chat/completions/",
                "/v1/models",
                "http://h/v1/models",
            ),
        ] {
            let upstream = Upstream::new(base.parse().unwrap()).unwrap();
            let asked = asked.parse().unwrap();
            let route = Route::of(&Method::GET, &asked).unwrap();
            assert_eq!(upstream.url(route).as_str(), expect, "{base} {asked}");
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
