//! Tests of uploads that a registry sends to another host: the user's token does not go there.

use axum::body::Body;
use axum::response::Response;
use serde_json::{Value, json};
use tool_hub_registry_client::ClientError;

use super::COMPONENT;
use crate::registry::{Registry, Seen, TOKEN, ok, redirect, refusal};
use crate::support::{push, signed_in, variant, verified};

/// The token that the registry issues for its storage. It belongs to no user.
const STORAGE_TOKEN: &str = "storage-token";

/// Answers that send the upload of the component to `storage`, by Xet.
fn by_xet(storage: String) -> impl Fn(&Seen) -> Option<Response> {
    move |seen| {
        if seen.path.contains("/preupload/") {
            let asked: Value = serde_json::from_slice(&seen.body).unwrap();
            let modes = asked["files"].as_array().unwrap().iter().map(|file| {
                let path = file["path"].as_str().unwrap();
                let mode = if path.ends_with(".wasm") {
                    "lfs"
                } else {
                    "regular"
                };
                json!({"path": path, "uploadMode": mode, "shouldIgnore": false})
            });
            return Some(ok(json!({"files": modes.collect::<Vec<_>>()})));
        }
        if seen.path.ends_with("/info/lfs/objects/batch") {
            return Some(ok(json!({"transfer": "xet", "objects": []})));
        }
        // The token expires at once, so it is requested again and again.
        seen.path
            .contains("/xet-write-token/")
            .then(|| ok(json!({"casUrl": storage, "accessToken": STORAGE_TOKEN, "exp": 1})))
    }
}

/// Pushes to a registry that sends uploads to another host, which answers with `answer`.
async fn push_elsewhere(
    answer: impl Fn(&Seen) -> Option<Response> + Send + Sync + 'static,
    change: impl Fn(&Seen, usize) -> Option<Response> + Send + Sync + 'static,
) -> (ClientError, Vec<Seen>, Vec<Seen>) {
    let (registry, storage) = (Registry::start().await, Registry::start().await);
    storage.trick(answer);
    let honest = by_xet(storage.url().to_string());
    let asked = std::sync::atomic::AtomicUsize::new(0);
    registry.trick(move |seen| {
        let is_token = seen.path.contains("/xet-write-token/");
        let times = asked.fetch_add(usize::from(is_token), std::sync::atomic::Ordering::Relaxed);
        is_token
            .then(|| change(seen, times))
            .flatten()
            .or_else(|| honest(seen))
    });
    let pushed = push(&signed_in(&registry), &verified("0.1.0", COMPONENT)).await;
    (
        pushed.unwrap_err(),
        storage.take_seen(),
        registry.take_seen(),
    )
}

#[tokio::test]
async fn a_storage_that_the_registry_names_never_sees_the_token() {
    let (error, seen, asked) = push_elsewhere(|_| Some(refusal(403, "", "no")), |_, _| None).await;
    assert_eq!(variant(&error), "UploadFailed", "{error}");
    assert!(!seen.is_empty(), "nothing was asked of it");
    assert!(!format!("{seen:?}").contains(TOKEN), "{seen:?}");
    let shown = format!("Bearer {TOKEN}");
    let is_shown = |seen: &Seen| {
        seen.headers
            .get("authorization")
            .is_some_and(|it| *it == *shown)
    };
    let tokens = asked
        .iter()
        .filter(|seen| seen.path.contains("/xet-write-token/"));
    assert!(tokens.clone().count() >= 2 && tokens.clone().all(is_shown));
}

#[tokio::test]
async fn a_redirect_of_an_upload_leaves_the_token_behind() {
    // Both redirect to another host: the registry, requests for the storage's next token, and the
    // storage, uploads.
    let elsewhere = Registry::start().await;
    elsewhere.trick(|_| Some(Response::new(Body::from("{}"))));
    let target = elsewhere.url().to_string();
    let (to_a, to_b) = (target.clone(), target);
    let (_, storage, _) = push_elsewhere(
        move |_| Some(redirect(307, &to_a)),
        move |_, times| (times > 0).then(|| redirect(307, &to_b)),
    )
    .await;
    let seen = elsewhere.take_seen();
    assert!(!seen.is_empty(), "no redirect was followed");
    assert!(!format!("{seen:?}{storage:?}").contains(TOKEN), "{seen:?}");
}
