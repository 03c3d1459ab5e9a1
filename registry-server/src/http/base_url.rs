//! The address clients reach the registry at, for the absolute links the protocol asks for.

use http::header::HOST;
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderValue, StatusCode};
use url::form_urlencoded;

use super::{Query, Refusal};
use crate::registry::Registry;

/// `http://host:port` without a slash at the end.
#[derive(Debug, Clone)]
pub(crate) struct BaseUrl(String);

impl BaseUrl {
    /// The configured address, else the one the client used.
    pub(crate) fn of(registry: &Registry, parts: &Parts) -> Result<Self, Refusal> {
        if let Some(url) = registry.public_url() {
            return Ok(Self(url.as_str().trim_end_matches('/').to_owned()));
        }
        let host = parts.headers.get(HOST).and_then(|host| host.to_str().ok());
        // The client could put anything here, and it comes back in links: only a plain host and port may pass.
        let authority: Option<Authority> = host.and_then(|host| host.parse().ok());
        match authority {
            Some(authority) if !authority.as_str().contains(['@', ',', '"']) => {
                Ok(Self(format!("http://{authority}")))
            }
            _ => Err(Refusal::new(
                StatusCode::BAD_REQUEST,
                "the Host header is missing or not valid",
            )),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The `Link` header to the next page: this request again with one parameter changed.
///
/// The Rust client splits the header at commas and the JavaScript one wants an absolute address, so the address has neither
/// a comma nor a relative form.
pub(crate) fn next_link(
    base: &BaseUrl,
    parts: &Parts,
    name: &str,
    value: &str,
) -> Option<HeaderValue> {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(Query::of(parts).iter().filter(|(key, _)| *key != name));
    query.append_pair(name, value);
    let path = parts.uri.path().replace(',', "%2C");
    HeaderValue::from_str(&format!(
        "<{}{path}?{}>; rel=\"next\"",
        base.as_str(),
        query.finish()
    ))
    .ok()
}
