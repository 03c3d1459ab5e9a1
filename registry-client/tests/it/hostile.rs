//! Helpers and modules of the tests with a hostile registry: one whose answers a test forges.
//! Whatever it tries, the pull fails with the error that names it, nothing is kept, nothing is
//! written elsewhere, and the token goes nowhere else.

mod claims;
mod content;
mod delivery;
mod redirects;
mod upload;

use std::path::PathBuf;

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures::{Stream, StreamExt as _};
use serde_json::{Value, json};
use tool_hub_manifest::Verified;
use tool_hub_registry_client::{Client, ClientError, Resolved, Silent};

use crate::registry::{Registry, Seen};
use crate::support::{Scratch, push, signed_in, variant, verified};

const COMPONENT: &[u8] = b"\0asm this is a component, more or less";

/// Parts of the paths of a pull's requests: the question for the versions, the one for the files,
/// and the download.
const REFS: &str = "/refs";
const LISTING: &str = "/paths-info/";
const DOWNLOAD: &str = "/tool.wasm";

/// A registry that holds `alice/demo`, pushed while it was honest, and somebody who pulls it.
struct Published {
    registry: Registry,
    client: Client,
    original: Verified,
    scratch: Scratch,
}

impl Published {
    async fn new(component: &[u8]) -> Self {
        let registry = Registry::start().await;
        let client = signed_in(&registry);
        let original = verified("0.1.0", component);
        push(&client, &original).await.unwrap();
        Self {
            registry,
            client,
            original,
            scratch: Scratch::new(),
        }
    }

    async fn resolve(&self) -> Result<Resolved, ClientError> {
        self.client.resolve(&"alice/demo".parse().unwrap()).await
    }

    async fn pull(&self, at: &Resolved) -> Result<Verified, ClientError> {
        self.client.pull(at, &self.scratch.store, &Silent).await
    }

    async fn pull_pinned(&self, at: &Resolved) -> Result<Verified, ClientError> {
        let pin = self.original.pin();
        self.client
            .pull_pinned(at, pin, &self.scratch.store, &Silent)
            .await
    }

    #[track_caller]
    fn kept_nothing(&self) {
        assert_eq!(self.scratch.files(), Vec::<PathBuf>::new());
    }
}

/// Pushes a tool honestly, plays `trick`, pulls, and gives what came of it.
async fn pull_with(
    trick: impl Fn(&Seen) -> Option<Response> + Send + Sync + 'static,
) -> Result<(), ClientError> {
    let published = Published::new(COMPONENT).await;
    published.registry.trick(trick);
    let pulled = async { published.pull(&published.resolve().await?).await };
    match pulled.await {
        Ok(pulled) => {
            assert_eq!(pulled.component(), COMPONENT);
            assert_eq!(published.scratch.files().len(), 2);
            Ok(())
        }
        Err(error) => {
            published.kept_nothing();
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

/// A trick: requests whose path has `part` in it get `answer`, all others the honest one. What is
/// asked about yanked versions is answered honestly, too.
fn at(
    part: &'static str,
    answer: impl Fn() -> Response + Send + Sync + 'static,
) -> impl Fn(&Seen) -> Option<Response> + Send + Sync + 'static {
    move |seen| {
        let is_meant = seen.path.contains(part) && *seen.body != *b"paths=releases.toml";
        is_meant.then(&answer)
    }
}

/// The honest component under one more header.
fn component_with(header: &'static str, value: &str) -> Response {
    let response = Response::builder().header(header, value);
    response.body(Body::from(COMPONENT)).unwrap()
}

fn streamed(chunks: impl Stream<Item = Vec<u8>> + Send + 'static) -> Response {
    let chunks = chunks.map(|chunk| Ok::<_, std::io::Error>(Bytes::from(chunk)));
    Response::new(Body::from_stream(chunks))
}

/// A file as the registry lists it.
fn listed(name: &str, bytes: u64) -> Value {
    json!({"type": "file", "path": name, "size": bytes})
}
