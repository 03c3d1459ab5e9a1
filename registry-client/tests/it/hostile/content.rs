//! Tests of downloads whose bytes are not those that the manifest, the listing or the pin names.

use axum::body::Body;
use axum::response::Response;
use futures::stream;
use tool_hub_registry_client::ClientError;

use super::{COMPONENT, DOWNLOAD, Published, at, check, component_with, streamed};
use crate::support::{package, variant};

#[tokio::test]
async fn other_bytes_of_the_same_length() {
    let mut other = COMPONENT.to_vec();
    other[9] ^= 1;
    check(
        "NotVerified",
        at(DOWNLOAD, move || Response::new(Body::from(other.clone()))),
    )
    .await;
}

#[tokio::test]
async fn every_flipped_bit_of_both_files() {
    let published = Published::new(b"short").await;
    let resolved = published.resolve().await.unwrap();
    for (file, content) in [
        ("/tool.toml", published.original.manifest_bytes()),
        ("/tool.wasm", published.original.component()),
    ] {
        for bit in 0..content.len() * 8 {
            let mut flipped = content.to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let trick = at(file, move || Response::new(Body::from(flipped.clone())));
            published.registry.trick(trick);
            let pulled = published.pull_pinned(&resolved).await;
            assert!(pulled.is_err(), "bit {bit} of {file}");
            published.kept_nothing();
        }
    }
}

#[tokio::test]
async fn a_short_body_with_a_length_that_fits_it() {
    let error = check(
        "SizeMismatch",
        at(DOWNLOAD, || Response::new(Body::from(&COMPONENT[..10]))),
    )
    .await;
    assert!(matches!(
        error,
        ClientError::SizeMismatch { actual: 10, .. }
    ));
    check(
        "SizeMismatch",
        at(DOWNLOAD, || {
            streamed(stream::iter([COMPONENT[..10].to_vec()]))
        }),
    )
    .await;
}

#[tokio::test]
async fn a_compressed_body_is_not_unpacked() {
    for encoding in ["gzip", "br", "zstd", "deflate"] {
        let compressed = at(DOWNLOAD, move || {
            component_with("content-encoding", encoding)
        });
        check("Nonsense", move |seen| {
            assert_eq!(seen.headers["accept-encoding"], "identity");
            compressed(seen)
        })
        .await;
    }
}

#[tokio::test]
async fn other_content_for_the_same_commit() {
    let published = Published::new(COMPONENT).await;
    let resolved = published.resolve().await.unwrap();
    let other = package("0.1.0", b"something else entirely");
    published.registry.change(|world| {
        let repo = world.repos.get_mut("alice/demo").unwrap();
        let files = repo.commits.get_mut(resolved.commit.as_str()).unwrap();
        files.insert("tool.toml".into(), other.manifest.clone());
        files.insert("tool.wasm".into(), other.component.clone());
    });
    let error = published.pull_pinned(&resolved).await.unwrap_err();
    assert_eq!(variant(&error), "PinMismatch");
    published.kept_nothing();
    // Without a pin it is a tool like any other.
    published.pull(&resolved).await.unwrap();
}
