//! Makes the base URL of links, refusing a foreign `Host`, and the `Link` header to a next page.

use http::header::HOST;
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderValue, StatusCode};
use url::form_urlencoded;

use super::{Hosts, Query, Refusal};
use crate::registry::Registry;

/// `http://host:port` without a slash at the end.
#[derive(Debug, Clone)]
pub(crate) struct BaseUrl(String);

impl BaseUrl {
    /// The configured public URL, else one made from the request's `Host`, which must be a name of
    /// the registry.
    pub(crate) fn of(registry: &Registry, parts: &Parts) -> Result<Self, Refusal> {
        let host = host_of(parts).ok_or_else(|| {
            Refusal::bad_request("expected exactly one Host header of the form host or host:port")
        })?;
        let hosts = parts.extensions.get::<Hosts>();
        if hosts.is_some_and(|hosts| !hosts.has(host.host())) {
            return Err(Refusal::new(
                StatusCode::FORBIDDEN,
                format!(
                    "the request's Host {:?} is not a name of this registry; its operator adds names with --public-url or --allow-host",
                    host.host()
                ),
            ));
        }
        Ok(match registry.public_url() {
            Some(url) => Self(url.as_str().trim_end_matches('/').to_owned()),
            None => Self(format!("http://{host}")),
        })
    }

    /// For health checks and metrics, whose answers contain no links.
    pub(crate) fn none() -> Self {
        Self(String::new())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The `Link` header to the next page: this request again with one parameter changed.
///
/// The Rust client splits the header at commas and the JavaScript one wants an absolute address, so
/// the address has neither a comma nor a relative form.
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

/// The host of a request. It must be in exactly one header and be nothing but a host, because links
/// are made from it. With two headers, a proxy might have checked the other one.
fn host_of(parts: &Parts) -> Option<Authority> {
    let mut values = parts.headers.get_all(HOST).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return None;
    };
    let host: Authority = value.to_str().ok()?.parse().ok()?;
    let text = host.as_str();
    let has_port_number = text.len() == host.host().len() || host.port_u16().is_some();
    let plain = has_port_number && !host.host().is_empty() && !text.contains(['@', ',', '"']);
    // A request target in absolute form has to name the same host.
    let same = parts.uri.authority().is_none_or(|named| *named == host);
    (plain && same).then_some(host)
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[track_caller]
    fn check(target: &str, hosts: &[&str], expect: Option<&str>) {
        let mut request = Request::builder().uri(target);
        for host in hosts {
            request = request.header(HOST, *host);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let found = host_of(&parts);
        assert_eq!(
            found.as_ref().map(Authority::as_str),
            expect,
            "{target} {hosts:?}"
        );
    }

    #[test]
    fn one_plain_host() {
        for host in ["x", "x.example:8080", "[::1]:1", "127.0.0.1"] {
            check("/", &[host], Some(host));
            check("/", &[host, host], None);
        }
        for host in [
            "", "a, b", "a@b", "a:b", "a:99999", "a:1:2", "a/b", "a b", ":80", "a:",
        ] {
            check("/", &[host], None);
        }
        check("/", &[], None);
        check("/", &["a", "b"], None);
        check("http://a/", &["a"], Some("a"));
        check("http://a/", &["b"], None);
    }
}
