//! Tests of downloads and answers that never end, come too slowly, or break off.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::response::Response;
use futures::{Stream, stream};
use tool_hub_registry_client::ClientError;

use super::{COMPONENT, DOWNLOAD, REFS, at, check, pull_with, streamed};

fn endless() -> Response {
    streamed(stream::repeat_with(|| vec![b'['; 1 << 16]))
}

/// One byte every 20 ms, without end.
fn drip() -> impl Stream<Item = Vec<u8>> + Send {
    stream::unfold((), |()| async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        Some((vec![b' '], ()))
    })
}

/// A few bytes, and then the connection is gone.
fn broken_after(bytes: Vec<u8>) -> Response {
    Response::new(Body::from_stream(stream::iter([
        Ok(Bytes::from(bytes)),
        Err(std::io::Error::other("gone")),
    ])))
}

#[tokio::test]
async fn an_endless_body() {
    let error = check("SizeMismatch", at(DOWNLOAD, endless)).await;
    let bytes = COMPONENT.len() as u64;
    assert!(
        matches!(error, ClientError::SizeMismatch { expected, actual, .. }
            if expected == bytes && actual == bytes + 1)
    );
    // The same for answers and for the body of a refusal.
    check("TooLarge", at(REFS, endless)).await;
    check(
        "Forbidden",
        at(REFS, || {
            let mut response = endless();
            *response.status_mut() = StatusCode::FORBIDDEN;
            response
        }),
    )
    .await;
}

#[tokio::test]
async fn a_byte_now_and_then() {
    let begin = Instant::now();
    check("Stalled", at(DOWNLOAD, || streamed(drip()))).await;
    check("Stalled", at(REFS, || streamed(drip()))).await;
    check("Stalled", at(DOWNLOAD, || streamed(stream::pending()))).await;
    let waited = begin.elapsed();
    assert!(waited < Duration::from_secs(5), "{waited:?}");
}

#[tokio::test]
async fn a_download_that_broke_off_begins_anew() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = asked.clone();
    pull_with(move |seen| {
        assert!(!seen.headers.contains_key("range"));
        let first = seen.path.contains(DOWNLOAD) && counter.fetch_add(1, Ordering::SeqCst) == 0;
        // The first half is of another file.
        first.then(|| broken_after(vec![0xee; COMPONENT.len() / 2]))
    })
    .await
    .unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_download_that_always_breaks_off_is_given_up() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = asked.clone();
    check(
        "Broken",
        at(DOWNLOAD, move || {
            counter.fetch_add(1, Ordering::SeqCst);
            broken_after(b"x".to_vec())
        }),
    )
    .await;
    assert_eq!(asked.load(Ordering::SeqCst), 3);
}
