//! Checks each passed-on request against the part of the endpoint's API that clients may use.
//! The endpoint's key also gives access to the rest: files, fine-tuning, an organization's keys.

use axum::http::{Method, Uri};

use super::refusal::Refusal;

/// The base path that clients use here, and the default one at the endpoint.
pub(super) const ROOT: &str = "/v1";
/// The requests that are passed on, for messages.
const PASSED_ON: [&str; 6] = [
    "POST /v1/chat/completions",
    "POST /v1/responses",
    "POST /v1/completions",
    "POST /v1/embeddings",
    "GET /v1/models",
    "GET /v1/models/ID",
];
/// The longest model name, in bytes.
const ID_BYTES_MAX: usize = 256;
/// The longest query, in bytes. Clients pass an API version or a page in it.
const QUERY_BYTES_MAX: usize = 1_024;

/// The target of a request that is passed on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route<'a> {
    /// The path below the endpoint's base, with its leading slash.
    pub(super) path: &'a str,
    pub(super) query: Option<&'a str>,
}

impl<'a> Route<'a> {
    /// The route of a request for `uri`.
    ///
    /// # Errors
    /// If such requests are not passed on.
    pub(super) fn of(method: &Method, uri: &'a Uri) -> Result<Self, Refusal> {
        let path = uri.path().strip_prefix(ROOT);
        let Some(path) = path.filter(|path| is_passed_on(method, path)) else {
            return Err(Refusal::route(method, uri, &PASSED_ON));
        };
        let query = uri.query();
        if query.is_some_and(|query| query.len() > QUERY_BYTES_MAX) {
            let message = format!("the query has more than {QUERY_BYTES_MAX} bytes");
            return Err(Refusal::request(message, None));
        }
        Ok(Self { path, query })
    }
}

fn is_passed_on(method: &Method, path: &str) -> bool {
    match *method {
        // HEAD is allowed wherever GET is.
        Method::GET | Method::HEAD => match path.strip_prefix("/models") {
            Some(id) => id.is_empty() || id.strip_prefix('/').is_some_and(is_model),
            None => false,
        },
        Method::POST => [
            "/chat/completions",
            "/responses",
            "/completions",
            "/embeddings",
        ]
        .contains(&path),
        _ => false,
    }
}

/// True for a model name, which may have an owner as a prefix. Some clients percent-encode its
/// slash and colons.
fn is_model(id: &str) -> bool {
    let id = id.replace("%2F", "/").replace("%2f", "/");
    let id = id.replace("%3A", ":").replace("%3a", ":");
    id.len() <= ID_BYTES_MAX && id.split('/').all(is_name)
}

/// True for a single path segment that no server or proxy on the way can read as another path.
fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._:@+-".contains(&byte);
    !name.is_empty() && name.bytes().all(is_plain) && !name.bytes().all(|byte| byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(method: &str, uri: &str, is_passed_on: bool) {
        let method = method.parse().unwrap();
        let route = Route::of(&method, &uri.parse().unwrap()).is_ok();
        assert_eq!(route, is_passed_on, "{method} {uri}");
    }

    #[test]
    fn what_answers_and_what_lists_models_is_passed_on() {
        for (method, uri) in [
            ("POST", "/v1/chat/completions?api-version=1"),
            ("POST", "/v1/responses"),
            ("POST", "/v1/completions"),
            ("POST", "/v1/embeddings"),
            ("GET", "/v1/models?limit=3"),
            ("HEAD", "/v1/models"),
            ("GET", "/v1/models/ft:gpt-4o:org::id"),
            ("GET", "/v1/models/meta-llama/Llama-3.1-8B"),
            ("GET", "/v1/models/meta-llama%2FLlama-3.1-8B"),
        ] {
            check(method, uri, true);
        }
    }

    #[test]
    fn nothing_else_is() {
        for (method, uri) in [
            ("DELETE", "/v1/files/file-abc"),
            ("POST", "/v1/fine_tuning/jobs"),
            ("GET", "/v1/organization/admin_api_keys"),
            ("POST", "/v1/organization/admin_api_keys"),
            ("PUT", "/v1/models"),
            ("PATCH", "/v1/models/a"),
            ("DELETE", "/v1/models/a"),
            ("DELETE", "/v1/responses/a"),
            // Objects stored at the endpoint under its key belong to all callers.
            ("GET", "/v1/responses/a"),
            ("POST", "/v1/responses/a/cancel"),
            ("GET", "/v1/chat/completions"),
            ("OPTIONS", "/v1/chat/completions"),
            ("PROPFIND", "/v1/models"),
            ("POST", "/v1/tools/probe/call"),
            ("POST", "/v1/chat/completions/"),
            ("POST", "/v1//chat/completions"),
            ("GET", "/v1/modelsx"),
            ("GET", "/v1/models/"),
            ("GET", "/v1x/models"),
            ("GET", "/mcp"),
        ] {
            check(method, uri, false);
        }
        check("GET", &format!("/v1/models/{}", "a".repeat(257)), false);
        check("GET", &format!("/v1/models?{}", "a".repeat(1_025)), false);
    }

    #[test]
    fn no_path_leads_to_another() {
        for id in [
            "..",
            ".",
            "a/../../admin",
            "%2e%2e/admin",
            "a%2f..%2fadmin",
            "a%5C..%5Cadmin",
            "%252e%252e/admin",
            "a%252F.%2E",
            "a/%2F/b",
            "a;b",
            "a%00",
            "a%0d%0a",
            "a/./b",
        ] {
            check("GET", &format!("/v1/models/{id}"), false);
        }
    }
}
