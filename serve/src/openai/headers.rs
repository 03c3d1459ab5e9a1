//! Allow-lists of the headers that are passed between a client and the endpoint.
//! Everything else is dropped: keys in any spelling, cookies, addresses, and headers about a single
//! connection.

use axum::http::{HeaderMap, HeaderName, header};

/// The headers of every request.
static ALWAYS_ALLOWED: [HeaderName; 4] = [
    HeaderName::from_static("openai-beta"),
    HeaderName::from_static("traceparent"),
    HeaderName::from_static("tracestate"),
    HeaderName::from_static("x-client-request-id"),
];
/// Further headers of a request that is passed on unchanged. They describe its body or its answer,
/// or belong to a single request, while a chat may take several.
static PASSTHROUGH_ALLOWED: [HeaderName; 5] = [
    header::ACCEPT,
    header::CONTENT_ENCODING,
    header::CONTENT_TYPE,
    HeaderName::from_static("idempotency-key"),
    header::IF_NONE_MATCH,
];
/// The headers of an answer: its content, and when to ask again.
static RESPONSE_ALLOWED: [HeaderName; 18] = [
    header::CACHE_CONTROL,
    header::CONTENT_ENCODING,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::ETAG,
    HeaderName::from_static("openai-model"),
    HeaderName::from_static("openai-processing-ms"),
    HeaderName::from_static("openai-version"),
    header::RETRY_AFTER,
    HeaderName::from_static("retry-after-ms"),
    HeaderName::from_static("x-ratelimit-limit-requests"),
    HeaderName::from_static("x-ratelimit-limit-tokens"),
    HeaderName::from_static("x-ratelimit-remaining-requests"),
    HeaderName::from_static("x-ratelimit-remaining-tokens"),
    HeaderName::from_static("x-ratelimit-reset-requests"),
    HeaderName::from_static("x-ratelimit-reset-tokens"),
    HeaderName::from_static("x-request-id"),
    HeaderName::from_static("x-should-retry"),
];

/// The headers passed on with a request whose body this server writes.
pub(super) fn round_headers(headers: &HeaderMap) -> HeaderMap {
    retain_allowed(headers, &ALWAYS_ALLOWED)
}

/// The headers passed on with a request that is passed on unchanged.
pub(super) fn passthrough_headers(headers: &HeaderMap) -> HeaderMap {
    let mut all = round_headers(headers);
    all.extend(retain_allowed(headers, &PASSTHROUGH_ALLOWED));
    all
}

/// The headers of the endpoint's answer that are passed on.
pub(super) fn response_headers(headers: &HeaderMap) -> HeaderMap {
    retain_allowed(headers, &RESPONSE_ALLOWED)
}

/// Those of `headers` that are in `names`, unless `Connection` declares them as belonging to a
/// single connection.
fn retain_allowed(headers: &HeaderMap, names: &[HeaderName]) -> HeaderMap {
    let mut kept = HeaderMap::new();
    for name in names.iter().filter(|name| !is_of_connection(headers, name)) {
        for value in headers.get_all(name) {
            kept.append(name, value.clone());
        }
    }
    kept
}

fn is_of_connection(headers: &HeaderMap, name: &HeaderName) -> bool {
    let named = headers.get_all(header::CONNECTION).iter();
    let mut named = named.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    named.any(|named| named.trim_ascii().eq_ignore_ascii_case(name.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = pairs.iter();
        let pairs = pairs.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        pairs.collect()
    }

    fn names(headers: &HeaderMap) -> Vec<&str> {
        headers.keys().map(HeaderName::as_str).collect()
    }

    #[test]
    fn what_is_not_named_stays() {
        let asked = headers(&[
            ("authorization", "Bearer a"),
            ("x-goog-api-key", "a"),
            ("anthropic-api-key", "a"),
            ("x-api-key", "a"),
            ("cookie", "a"),
            ("x-forwarded-for", "a"),
            ("forwarded", "a"),
            ("via", "a"),
            ("user-agent", "a"),
            ("transfer-encoding", "chunked"),
            ("content-length", "7"),
            ("openai-organization", "a"),
            ("openai-beta", "a"),
            ("content-type", "a"),
        ]);
        assert_eq!(names(&round_headers(&asked)), ["openai-beta"]);
        assert_eq!(
            names(&passthrough_headers(&asked)),
            ["openai-beta", "content-type"]
        );
        let answered = headers(&[
            ("set-cookie", "a"),
            ("openai-organization", "a"),
            ("location", "a"),
            ("access-control-allow-origin", "*"),
            ("x-request-id", "a"),
        ]);
        assert_eq!(names(&response_headers(&answered)), ["x-request-id"]);
    }

    #[test]
    fn nor_what_belongs_to_one_connection() {
        let asked = headers(&[
            ("connection", "close, X-Secret ,OpenAI-Beta"),
            ("x-secret", "a"),
            ("openai-beta", "a"),
            ("traceparent", "a"),
        ]);
        assert_eq!(names(&passthrough_headers(&asked)), ["traceparent"]);
    }
}
