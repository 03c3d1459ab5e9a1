//! Tests of redirects, moved repos and `Link` headers: no token, question or commit goes elsewhere.

use axum::body::Body;
use axum::response::Response;
use serde_json::json;
use tool_hub_registry_client::ClientError;

use super::{COMPONENT, DOWNLOAD, LISTING, Published, REFS, at, check, listed, pull_with};
use crate::registry::{Registry, Seen, TOKEN, ok, redirect, refusal};
use crate::support::{package, push, signed_in, variant, verified};

#[tokio::test]
async fn another_host_never_sees_the_token() {
    let storage = Registry::start().await;
    storage.trick(|seen| {
        assert!(!format!("{:?}", seen.headers).contains(TOKEN));
        assert!(!seen.headers.contains_key("authorization"));
        assert!(!seen.headers.contains_key("referer"));
        Some(Response::new(Body::from(COMPONENT)))
    });
    let signed = storage
        .url()
        .join("/bucket/object?signature=s3cr3t")
        .unwrap();
    let target = signed.clone();
    pull_with(at(DOWNLOAD, move || redirect(302, target.as_str())))
        .await
        .unwrap();
    let seen = storage.take_seen();
    assert_eq!(seen.len(), 1);
    assert!(!format!("{seen:?}").contains(TOKEN));

    // An error about such a download does not repeat the signature.
    storage.trick(|_| Some(refusal(403, "", "expired")));
    let error = check(
        "Forbidden",
        at(DOWNLOAD, move || redirect(307, signed.as_str())),
    )
    .await;
    assert!(!format!("{error:?} {error}").contains("s3cr3t"));
}

#[tokio::test]
async fn a_token_does_not_come_back_by_way_of_another_host() {
    // From the registry to another host and back: the last hop is the endpoint's own origin,
    // where the token belongs; the one between never has it.
    let detour = Registry::start().await;
    let published = Published::new(COMPONENT).await;
    let back = published.registry.url().join("/direct").unwrap();
    detour.trick(move |_| Some(redirect(302, back.as_str())));
    let there = at(DOWNLOAD, {
        let there = detour.url();
        move || redirect(302, there.as_str())
    });
    let direct = at("/direct", || Response::new(Body::from(COMPONENT)));
    published
        .registry
        .trick(move |seen| direct(seen).or_else(|| there(seen)));
    let resolved = published.resolve().await.unwrap();
    published.pull(&resolved).await.unwrap();
    let seen = detour.take_seen();
    assert_eq!(seen.len(), 1);
    assert!(!format!("{seen:?}").contains(TOKEN));
}

#[tokio::test]
async fn redirects_that_are_not_followed() {
    for (to, expect) in [
        ("file:///etc/passwd", "Redirect"),
        ("ftp://127.0.0.1/x", "Redirect"),
        ("data:,x", "Redirect"),
        ("http://[", "Nonsense"),
        // To itself, for ever.
        ("tool.wasm", "Nonsense"),
    ] {
        check(expect, at(DOWNLOAD, move || redirect(302, to))).await;
    }
    // Questions are answered by the registry itself or not at all.
    let elsewhere = Registry::start().await;
    for question in [REFS, LISTING] {
        for status in [301, 302, 303, 307, 308] {
            let target = elsewhere.url();
            check(
                "Redirect",
                at(question, move || redirect(status, target.as_str())),
            )
            .await;
        }
    }
    assert!(elsewhere.take_seen().is_empty());
}

#[tokio::test]
async fn a_renamed_repo_is_followed_within_the_registry() {
    pull_with(|seen| {
        let renamed = seen.path == "/api/models/alice/demo/refs" && seen.query.is_empty();
        renamed.then(|| redirect(307, "/api/models/alice/demo/refs?renamed=1"))
    })
    .await
    .unwrap();
}

/// A registry answers to a repo's old name, perhaps by a redirect, and its owner may be another.
#[tokio::test]
async fn a_repo_that_moved_is_refused_by_its_old_name() {
    let repo = json!({"id": "mallory/demo", "private": false});
    let answer = move |seen: &Seen| {
        let asked = seen.path == "/api/models/alice/demo" && seen.query == "expand=private";
        asked.then(|| ok(repo.clone()))
    };
    let error = check("RepoMoved", answer.clone()).await;
    assert_eq!(
        error.to_string(),
        "alice/demo was moved and is mallory/demo today"
    );
    // Nor is anything pushed to it.
    let registry = Registry::start().await;
    let client = signed_in(&registry);
    push(&client, &verified("0.1.0", COMPONENT)).await.unwrap();
    registry.trick(answer);
    let error = push(&client, &verified("0.2.0", COMPONENT))
        .await
        .unwrap_err();
    assert_eq!(variant(&error), "RepoMoved", "{error}");
    // The Hub finds names in any case, and answers with the case they were given.
    let other_case = ok(json!({"id": "Alice/Demo"}));
    let bytes = axum::body::to_bytes(other_case.into_body(), 1000)
        .await
        .unwrap();
    pull_with(move |seen| {
        (seen.path == "/api/models/alice/demo").then(|| Response::new(Body::from(bytes.clone())))
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn a_commit_is_not_sent_elsewhere() {
    let elsewhere = Registry::start().await;
    for route in ["/api/repos/create", "/preupload/", "/commit/", "/tag/"] {
        for status in [302, 307, 308] {
            let registry = Registry::start().await;
            let target = elsewhere.url();
            registry.trick(at(route, move || redirect(status, target.as_str())));
            let error = push(&signed_in(&registry), &verified("0.1.0", COMPONENT))
                .await
                .unwrap_err();
            let cause = match error {
                ClientError::TagFailed { source, .. } => *source,
                error => error,
            };
            assert_eq!(variant(&cause), "Redirect", "{route} {status}: {cause}");
        }
    }
    assert!(elsewhere.take_seen().is_empty());
}

#[tokio::test]
async fn a_link_header_leads_nowhere() {
    let elsewhere = Registry::start().await;
    let next = format!("<{}>; rel=\"next\"", elsewhere.url());
    let manifest_bytes = package("0.1.0", COMPONENT).manifest.len() as u64;
    pull_with(at(LISTING, move || {
        let mut response = ok(json!([
            listed("tool.toml", manifest_bytes),
            listed("tool.wasm", COMPONENT.len() as u64),
        ]));
        response.headers_mut().insert("link", next.parse().unwrap());
        response
    }))
    .await
    .unwrap();
    assert!(elsewhere.take_seen().is_empty());
}
