//! A registry that does what no honest one does. Whatever it tries, the pull fails with the
//! error that names it, nothing is kept, nothing is written elsewhere, and the token goes
//! nowhere else.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures::{Stream, StreamExt as _, stream};
use serde_json::json;
use tool_hub_manifest::ToolRef;
use tool_hub_registry_client::{ClientError, Silent};

use crate::registry::{Registry, Seen, TOKEN, ok, redirect, refusal};
use crate::support::{Scratch, package, push, signed_in, variant, verified};

const COMPONENT: &[u8] = b"\0asm this is a component, more or less";

fn demo() -> ToolRef {
    "alice/demo".parse().unwrap()
}

/// Pushes a tool honestly, plays `trick`, pulls, and gives what came of it.
async fn pull_with(
    trick: impl Fn(&Seen) -> Option<Response> + Send + Sync + 'static,
) -> Result<(), ClientError> {
    let registry = Registry::start().await;
    let client = signed_in(&registry);
    push(&client, &verified("0.1.0", COMPONENT)).await.unwrap();
    registry.trick(trick);
    let scratch = Scratch::new();
    let pulled = async {
        let resolved = client.resolve(&demo()).await?;
        client.pull(&resolved, &scratch.store, &Silent).await
    };
    match pulled.await {
        Ok(pulled) => {
            assert_eq!(pulled.component(), COMPONENT);
            assert_eq!(scratch.files().len(), 2);
            Ok(())
        }
        Err(error) => {
            assert_eq!(scratch.files(), Vec::<PathBuf>::new(), "something was kept");
            Err(error)
        }
    }
}

async fn check(
    expect: &str,
    trick: impl Fn(&Seen) -> Option<Response> + Send + Sync + 'static,
) -> ClientError {
    let error = pull_with(trick).await.expect_err("a refusal");
    assert_eq!(variant(&error), expect, "{error}");
    error
}

fn is_component(seen: &Seen) -> bool {
    seen.path.ends_with("/tool.wasm")
}

fn streamed(chunks: impl Stream<Item = Vec<u8>> + Send + 'static) -> Response {
    let chunks = chunks.map(|chunk| Ok::<_, std::io::Error>(Bytes::from(chunk)));
    Response::new(Body::from_stream(chunks))
}

/// One byte every 20 ms, without end.
fn drip() -> impl Stream<Item = Vec<u8>> + Send {
    stream::unfold((), |()| async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        Some((vec![b' '], ()))
    })
}

#[tokio::test]
async fn case_48_other_bytes_of_the_same_length() {
    let mut other = COMPONENT.to_vec();
    other[9] ^= 1;
    check("NotVerified", move |seen| {
        is_component(seen).then(|| Response::new(Body::from(other.clone())))
    })
    .await;
}

#[tokio::test]
async fn case_48_every_flipped_bit_of_both_files() {
    let registry = Registry::start().await;
    let client = signed_in(&registry);
    let original = verified("0.1.0", b"short");
    push(&client, &original).await.unwrap();
    let resolved = client.resolve(&demo()).await.unwrap();
    let scratch = Scratch::new();
    for (file, content) in [
        ("tool.toml", original.manifest_bytes()),
        ("tool.wasm", original.component()),
    ] {
        for bit in 0..content.len() * 8 {
            let mut flipped = content.to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            registry.trick(move |seen| {
                let body = Body::from(flipped.clone());
                seen.path.ends_with(file).then(|| Response::new(body))
            });
            let pin = original.pin();
            let pulled = client
                .pull_pinned(&resolved, pin, &scratch.store, &Silent)
                .await;
            assert!(pulled.is_err(), "bit {bit} of {file}");
            assert_eq!(scratch.files(), Vec::<PathBuf>::new());
        }
    }
}

#[tokio::test]
async fn case_48_a_short_body_with_a_length_that_fits_it() {
    let error = check("SizeMismatch", |seen| {
        is_component(seen).then(|| Response::new(Body::from(&COMPONENT[..10])))
    })
    .await;
    assert!(matches!(
        error,
        ClientError::SizeMismatch { actual: 10, .. }
    ));
    check("SizeMismatch", |seen| {
        is_component(seen).then(|| streamed(stream::iter([COMPONENT[..10].to_vec()])))
    })
    .await;
}

#[tokio::test]
async fn case_48_an_endless_body() {
    let error = check("SizeMismatch", |seen| {
        is_component(seen).then(|| streamed(stream::repeat_with(|| vec![0; 1 << 16])))
    })
    .await;
    let bytes = COMPONENT.len() as u64;
    assert!(
        matches!(error, ClientError::SizeMismatch { expected, actual, .. }
            if expected == bytes && actual == bytes + 1)
    );
    // The same for answers and for the body of a refusal.
    check("TooLarge", |seen| {
        seen.path
            .ends_with("/refs")
            .then(|| streamed(stream::repeat_with(|| vec![b'['; 1 << 16])))
    })
    .await;
    check("Forbidden", |seen| {
        seen.path.ends_with("/refs").then(|| {
            let mut response = streamed(stream::repeat_with(|| vec![b'['; 1 << 16]));
            *response.status_mut() = axum::http::StatusCode::FORBIDDEN;
            response
        })
    })
    .await;
}

#[tokio::test]
async fn case_48_a_compressed_body_is_not_unpacked() {
    for encoding in ["gzip", "br", "zstd", "deflate"] {
        check("Nonsense", move |seen| {
            assert_eq!(seen.headers["accept-encoding"], "identity");
            is_component(seen).then(|| {
                let mut response = Response::new(Body::from(COMPONENT));
                let headers = response.headers_mut();
                headers.insert("content-encoding", encoding.parse().unwrap());
                response
            })
        })
        .await;
    }
}

#[tokio::test]
async fn case_49_etags_are_nobody_s_file_name() {
    let with_etag = |etag: String| {
        move |seen: &Seen| {
            is_component(seen).then(|| {
                let mut response = Response::new(Body::from(COMPONENT));
                let headers = response.headers_mut();
                headers.insert("etag", etag.parse().unwrap());
                headers.insert("x-linked-etag", etag.parse().unwrap());
                response
            })
        }
    };
    pull_with(with_etag("../../x".into())).await.unwrap();
    check("Broken", with_etag("x".repeat(1 << 20))).await;
    check("Refused", |seen| {
        is_component(seen).then(|| refusal(304, "", ""))
    })
    .await;
}

#[tokio::test]
async fn case_50_commit_ids_that_are_none() {
    for told in ["../..", "main", "", &"A".repeat(40), &"a".repeat(40)] {
        let told = told.to_owned();
        check("Nonsense", move |seen| {
            is_component(seen).then(|| {
                let mut response = Response::new(Body::from(COMPONENT));
                let headers = response.headers_mut();
                headers.insert("x-repo-commit", told.parse().unwrap());
                response
            })
        })
        .await;
    }
    for told in ["../..", "refs/heads/x", "c0ffee"] {
        check("Nonsense", move |seen| {
            let tag = json!({"name": "v9.0.0", "targetCommit": told});
            seen.path
                .ends_with("/refs")
                .then(|| ok(json!({"branches": [], "tags": [tag]})))
        })
        .await;
    }
}

#[tokio::test]
async fn case_51_names_that_were_not_asked_for() {
    for name in [
        "../../.bashrc",
        "/etc/passwd",
        "C:\\x",
        "tool.toml\0",
        "TOOL.WASM",
        "dir/tool.wasm",
        ".git/config",
        "\u{1b}[2J",
    ] {
        let error = check("Nonsense", move |seen| {
            let entry = json!({"type": "file", "path": name, "size": 1});
            seen.path
                .contains("/paths-info/")
                .then(|| ok(json!([entry])))
        })
        .await;
        assert!(!error.to_string().contains(char::is_control), "{error:?}");
    }
}

#[tokio::test]
async fn case_51_sizes_are_bounded_before_anything_is_asked_for() {
    for (file, bytes, expect) in [
        ("tool.toml", 2u64 << 20, "TooLarge"),
        ("tool.toml", u64::MAX, "TooLarge"),
        ("tool.wasm", u64::MAX, "NotVerified"),
    ] {
        check(expect, move |seen| {
            assert!(
                !seen.path.ends_with(&format!("/{file}")),
                "it was asked for"
            );
            let entry = |name: &str| {
                let bytes = match name == file {
                    true => bytes,
                    false => package("0.1.0", COMPONENT).manifest.len() as u64,
                };
                json!({"type": "file", "path": name, "size": bytes})
            };
            seen.path
                .contains("/paths-info/")
                .then(|| ok(json!([entry("tool.toml"), entry("tool.wasm")])))
        })
        .await;
    }
}

#[tokio::test]
async fn case_52_another_host_never_sees_the_token() {
    let storage = Registry::start().await;
    storage.trick(|seen| {
        assert!(!format!("{:?}", seen.headers).contains(TOKEN));
        assert!(!seen.headers.contains_key("authorization"));
        assert!(!seen.headers.contains_key("referer"));
        Some(Response::new(Body::from(COMPONENT)))
    });
    let target = storage
        .url()
        .join("/bucket/object?signature=s3cr3t")
        .unwrap();
    pull_with(move |seen| is_component(seen).then(|| redirect(302, target.as_str())))
        .await
        .unwrap();
    let seen = storage.take_seen();
    assert_eq!(seen.len(), 1);
    assert!(!format!("{seen:?}").contains(TOKEN));

    // An error about such a download does not repeat the signature.
    storage.trick(|_| Some(refusal(403, "", "expired")));
    let target = storage
        .url()
        .join("/bucket/object?signature=s3cr3t")
        .unwrap();
    let error = check("Forbidden", move |seen| {
        is_component(seen).then(|| redirect(307, target.as_str()))
    })
    .await;
    assert!(!format!("{error:?} {error}").contains("s3cr3t"));
}

#[tokio::test]
async fn case_52_a_token_does_not_come_back_by_way_of_another_host() {
    // From the registry to another host and back: the last hop is the endpoint's own origin,
    // where the token belongs; the one between never has it.
    let detour = Registry::start().await;
    let registry = Registry::start().await;
    let client = signed_in(&registry);
    push(&client, &verified("0.1.0", COMPONENT)).await.unwrap();
    let back = registry.url().join("/direct").unwrap();
    detour.trick(move |_| Some(redirect(302, back.as_str())));
    let there = detour.url();
    registry.trick(move |seen| {
        if seen.path == "/direct" {
            return Some(Response::new(Body::from(COMPONENT)));
        }
        is_component(seen).then(|| redirect(302, there.as_str()))
    });
    let scratch = Scratch::new();
    let resolved = client.resolve(&demo()).await.unwrap();
    client
        .pull(&resolved, &scratch.store, &Silent)
        .await
        .unwrap();
    let seen = detour.take_seen();
    assert_eq!(seen.len(), 1);
    assert!(!format!("{seen:?}").contains(TOKEN));
}

#[tokio::test]
async fn case_52_redirects_that_are_not_followed() {
    let elsewhere = Registry::start().await;
    for to in ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x"] {
        check("Redirect", move |seen| {
            is_component(seen).then(|| redirect(302, to))
        })
        .await;
    }
    check("Nonsense", |seen| {
        is_component(seen).then(|| redirect(302, "http://["))
    })
    .await;
    check("Nonsense", |seen| {
        is_component(seen).then(|| redirect(302, "tool.wasm"))
    })
    .await;
    // Questions are answered by the registry itself or not at all.
    for question in ["/refs", "/paths-info/"] {
        for status in [301, 302, 303, 307, 308] {
            let target = elsewhere.url();
            check("Redirect", move |seen| {
                seen.path
                    .contains(question)
                    .then(|| redirect(status, target.as_str()))
            })
            .await;
        }
    }
    assert!(elsewhere.take_seen().is_empty());
}

#[tokio::test]
async fn a_renamed_repo_is_followed_within_the_registry() {
    pull_with(|seen| {
        let renamed = seen.path.strip_prefix("/api/models/alice/demo/refs");
        renamed
            .filter(|_| seen.query.is_empty())
            .map(|_| redirect(307, "/api/models/alice/demo/refs?renamed=1"))
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn case_52_a_commit_is_not_sent_elsewhere() {
    let elsewhere = Registry::start().await;
    for route in ["/api/repos/create", "/preupload/", "/commit/", "/tag/"] {
        for status in [302, 307, 308] {
            let registry = Registry::start().await;
            let target = elsewhere.url();
            registry.trick(move |seen| {
                seen.path
                    .contains(route)
                    .then(|| redirect(status, target.as_str()))
            });
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
    pull_with(move |seen| {
        seen.path.contains("/paths-info/").then(|| {
            let listed =
                |name: &str, bytes: usize| json!({"type": "file", "path": name, "size": bytes});
            let manifest_bytes = package("0.1.0", COMPONENT).manifest.len();
            let mut response = ok(json!([
                listed("tool.toml", manifest_bytes),
                listed("tool.wasm", COMPONENT.len()),
            ]));
            response.headers_mut().insert("link", next.parse().unwrap());
            response
        })
    })
    .await
    .unwrap();
    assert!(elsewhere.take_seen().is_empty());
}

#[tokio::test]
async fn case_53_other_content_for_the_same_commit() {
    let registry = Registry::start().await;
    let client = signed_in(&registry);
    let original = verified("0.1.0", COMPONENT);
    push(&client, &original).await.unwrap();
    let resolved = client.resolve(&demo()).await.unwrap();
    let other = package("0.1.0", b"something else entirely");
    registry.change(|world| {
        let repo = world.repos.get_mut("alice/demo").unwrap();
        let files = repo.commits.get_mut(resolved.commit.as_str()).unwrap();
        files.insert("tool.toml".into(), other.manifest.clone());
        files.insert("tool.wasm".into(), other.component.clone());
    });
    let scratch = Scratch::new();
    let pulled = client
        .pull_pinned(&resolved, original.pin(), &scratch.store, &Silent)
        .await;
    assert_eq!(variant(&pulled.unwrap_err()), "PinMismatch");
    assert_eq!(scratch.files(), Vec::<PathBuf>::new());
    // Without a pin it is a tool like any other.
    client
        .pull(&resolved, &scratch.store, &Silent)
        .await
        .unwrap();
}

#[tokio::test]
async fn case_54_a_download_that_broke_off_begins_anew() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = asked.clone();
    pull_with(move |seen| {
        assert!(!seen.headers.contains_key("range"));
        if !is_component(seen) || counter.fetch_add(1, Ordering::SeqCst) > 0 {
            return None;
        }
        // The first half is of another file, and then the connection is gone.
        let broken = stream::iter([
            Ok(Bytes::from(vec![0xee; COMPONENT.len() / 2])),
            Err(std::io::Error::other("gone")),
        ]);
        Some(Response::new(Body::from_stream(broken)))
    })
    .await
    .unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), 2);

    let asked = Arc::new(AtomicUsize::new(0));
    let counter = asked.clone();
    check("Broken", move |seen| {
        is_component(seen).then(|| {
            counter.fetch_add(1, Ordering::SeqCst);
            let broken = stream::iter([
                Ok(Bytes::from_static(b"x")),
                Err(std::io::Error::other("gone")),
            ]);
            Response::new(Body::from_stream(broken))
        })
    })
    .await;
    assert_eq!(asked.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn case_55_a_byte_now_and_then() {
    let begin = Instant::now();
    check("Stalled", |seen| {
        is_component(seen).then(|| streamed(drip()))
    })
    .await;
    check("Stalled", |seen| {
        seen.path.ends_with("/refs").then(|| streamed(drip()))
    })
    .await;
    check("Stalled", |seen| {
        is_component(seen).then(|| streamed(stream::pending()))
    })
    .await;
    let waited = begin.elapsed();
    assert!(waited < Duration::from_secs(5), "{waited:?}");
}

#[tokio::test]
async fn answers_that_are_no_answers() {
    for body in ["", "<html>", "7", "{\"tags\": 7}", "{\"tags\":[{}]}"] {
        check("Nonsense", move |seen| {
            seen.path
                .ends_with("/paths-info/")
                .then(|| Response::new(Body::from("{}")))
                .or_else(|| {
                    seen.path
                        .ends_with("/refs")
                        .then(|| Response::new(Body::from(body)))
                })
        })
        .await;
    }
    let deep = "[".repeat(1 << 20);
    check("Nonsense", move |seen| {
        seen.path
            .ends_with("/refs")
            .then(|| Response::new(Body::from(deep.clone())))
    })
    .await;
}
