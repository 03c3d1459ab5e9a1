//! Tests of redirects, and of what a connection takes from its surroundings.

use super::*;

fn wire_of(config: ClientConfig) -> Wire {
    Wire::new(RepoTypeAny::Model, &config).unwrap()
}

/// The target of a redirect by `status` from `endpoint` to `target`.
#[track_caller]
fn check(
    endpoint: &str,
    redirects: RedirectScope,
    method: Method,
    status: u16,
    target: &str,
    expect: &str,
) {
    let wire = wire_of(ClientConfig::new(endpoint.parse().unwrap(), "test/1"));
    let question = Question {
        method,
        form: &[],
        redirects,
    };
    let target = HeaderValue::from_str(target).unwrap();
    let status = StatusCode::from_u16(status).unwrap();
    let from = wire.url(&["a", "b"]);
    let found = match wire.redirected(&Act::Search, &from, &target, &question, status) {
        Ok(url) => url.to_string(),
        Err(ClientError::Redirect { rule, .. }) => rule.to_owned(),
        Err(other) => panic!("{other}"),
    };
    assert_eq!(found, expect);
}

#[test]
fn redirects() {
    let https = "https://hub.example.org/";
    let http = "http://127.0.0.1:8080/";
    let (any, origin) = (RedirectScope::AnyHost, RedirectScope::Origin);
    let get = Method::GET;
    let cdn = "https://cdn.example.org/x";
    check(https, any, get.clone(), 302, cdn, cdn);
    check(
        https,
        any,
        get.clone(),
        302,
        "c",
        "https://hub.example.org/a/c",
    );
    check(http, any, get.clone(), 302, cdn, cdn);
    check(
        http,
        any,
        get.clone(),
        302,
        "http://127.0.0.1:9/x",
        "http://127.0.0.1:9/x",
    );
    let refused = "only https may be redirected to";
    for target in [
        "http://hub.example.org/x",
        "http://cdn.example.org/x",
        "file:///x",
    ] {
        check(https, any, get.clone(), 302, target, refused);
    }
    let refused = "only the registry itself may answer";
    for target in [
        cdn,
        "//cdn.example.org/x",
        "https://hub.example.org:444/x",
        "https://hub.example.org.evil.org/x",
        "https://hub.example.org@evil.org/x",
    ] {
        check(https, origin, get.clone(), 307, target, refused);
    }
    let renamed = "https://hub.example.org/c";
    check(https, origin, get, 301, "/c", renamed);
    check(https, origin, Method::POST, 308, "/c", renamed);
    let refused = "the redirect would change the question";
    check(https, origin, Method::POST, 303, "/c", refused);
}

#[test]
fn the_token_is_for_the_endpoint_s_own_origin() {
    let token = Some("hf_x".parse().unwrap());
    let config = ClientConfig::new("https://hub.example.org/base".parse().unwrap(), "test/1");
    let wire = wire_of(config.with_token(token));
    for (url, sent) in [
        ("https://hub.example.org/x", true),
        ("https://hub.example.org:443/x", true),
        ("https://HUB.example.org/x", true),
        ("http://hub.example.org/x", false),
        ("https://hub.example.org:444/x", false),
        ("https://sub.hub.example.org/x", false),
        ("https://hub.example.org.evil.org/x", false),
        ("https://hub.example.org@evil.org/x", false),
    ] {
        let headers = wire.headers_for(&url.parse().unwrap());
        assert_eq!(headers.contains_key(AUTHORIZATION), sent, "{url}");
    }
}

#[test]
fn names_become_single_segments() {
    let wire = wire_of(ClientConfig::new(
        "https://x.org/base/".parse().unwrap(),
        "t/1",
    ));
    let url = wire.url(&["revision", "refs/pr/1", "a?b#c%d"]);
    let expect = "https://x.org/base/revision/refs%2Fpr%2F1/a%3Fb%23c%25d";
    assert_eq!(url.as_str(), expect);
}
