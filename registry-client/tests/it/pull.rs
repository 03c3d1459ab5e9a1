//! Tests of pulls from an honest registry: files kept, repairs, concurrent and dropped pulls.
//! Also repos without a valid tool.

use tool_hub_manifest::ToolRef;
use tool_hub_registry_client::{ClientError, Silent};

use crate::registry::Registry;
use crate::support::{Recorder, Scratch, anonymous, package, push, signed_in, variant, verified};

const COMPONENT: &[u8] = b"\0asm this is a component, more or less";

fn demo() -> ToolRef {
    "alice/demo".parse().unwrap()
}

fn downloads(registry: &Registry) -> Vec<String> {
    let seen = registry.take_seen();
    let resolved = seen.iter().filter(|it| it.path.contains("/resolve/"));
    resolved
        .map(|it| it.path.rsplit('/').next().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn what_was_pushed_is_what_is_pulled() {
    let registry = Registry::start().await;
    let original = verified("0.1.0", COMPONENT);
    push(&signed_in(&registry), &original).await.unwrap();
    registry.take_seen();

    let scratch = Scratch::new();
    let client = anonymous(&registry);
    let resolved = client.resolve(&demo()).await.unwrap();
    let recorder = Recorder::default();
    let pulled = client
        .pull(&resolved, &scratch.store, &recorder)
        .await
        .unwrap();
    assert_eq!(pulled.pin(), original.pin());
    assert_eq!(pulled.component(), COMPONENT);
    assert_eq!(downloads(&registry), ["tool.toml", "tool.wasm"]);
    let manifest_bytes = original.manifest_bytes().len();
    assert_eq!(
        *recorder.0.lock().unwrap(),
        [
            format!("tool.toml 0/{manifest_bytes}"),
            format!("tool.toml +{manifest_bytes}"),
            "tool.toml done".into(),
            format!("tool.wasm 0/{}", COMPONENT.len()),
            format!("tool.wasm +{}", COMPONENT.len()),
            "tool.wasm done".into(),
        ]
    );
    assert_eq!(scratch.files().len(), 2);

    // The component is there already, so that only the manifest is asked for.
    client
        .pull(&resolved, &scratch.store, &Silent)
        .await
        .unwrap();
    assert_eq!(downloads(&registry), ["tool.toml"]);

    // With a pin nothing is asked for at all.
    let again = client
        .pull_pinned(&resolved, pulled.pin(), &scratch.store, &Silent)
        .await;
    assert_eq!(again.unwrap().component(), COMPONENT);
    assert!(registry.take_seen().is_empty());

    let card = client.card(&resolved).await.unwrap();
    assert_eq!(card.as_deref(), Some("# demo\n"));
}

#[tokio::test]
async fn a_damaged_store_is_mended_by_the_next_pull() {
    let registry = Registry::start().await;
    let original = verified("0.1.0", COMPONENT);
    push(&signed_in(&registry), &original).await.unwrap();
    let scratch = Scratch::new();
    let client = anonymous(&registry);
    let resolved = client.resolve(&demo()).await.unwrap();
    client
        .pull(&resolved, &scratch.store, &Silent)
        .await
        .unwrap();

    for pinned in [false, true] {
        let path = scratch.store.path_of(original.pin().component);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[3] ^= 0x40;
        std::fs::write(&path, bytes).unwrap();
        let pulled = if pinned {
            client
                .pull_pinned(&resolved, original.pin(), &scratch.store, &Silent)
                .await
        } else {
            client.pull(&resolved, &scratch.store, &Silent).await
        };
        assert_eq!(pulled.unwrap().component(), COMPONENT);
        assert_eq!(std::fs::read(&path).unwrap(), COMPONENT);
    }
}

#[tokio::test]
async fn sixteen_pulls_at_once_leave_one_valid_tool() {
    let registry = Registry::start().await;
    let component = vec![7; 300_000];
    push(&signed_in(&registry), &verified("0.1.0", &component))
        .await
        .unwrap();
    let scratch = Scratch::new();
    let client = std::sync::Arc::new(anonymous(&registry));
    let resolved = client.resolve(&demo()).await.unwrap();
    let mut pulls = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let (client, resolved, store) = (client.clone(), resolved.clone(), scratch.store.clone());
        pulls.spawn(async move { client.pull(&resolved, &store, &Silent).await });
    }
    for pulled in pulls.join_all().await {
        assert_eq!(pulled.unwrap().component(), component);
    }
    assert_eq!(scratch.files().len(), 2);
    assert_eq!(scratch.store.verify_all().unwrap().damaged, []);
}

#[tokio::test]
async fn a_pull_that_is_dropped_leaves_nothing() {
    let registry = Registry::start().await;
    push(&signed_in(&registry), &verified("0.1.0", COMPONENT))
        .await
        .unwrap();
    registry.trick(|seen| {
        use futures::StreamExt as _;
        let endless = futures::stream::pending::<Result<Vec<u8>, std::io::Error>>();
        let begun = futures::stream::iter([Ok(vec![0; 4])]).chain(endless);
        let body = axum::body::Body::from_stream(begun);
        seen.path
            .ends_with("tool.wasm")
            .then(|| axum::response::Response::new(body))
    });
    let scratch = Scratch::new();
    let client = anonymous(&registry);
    let resolved = client.resolve(&demo()).await.unwrap();
    let pull = client.pull(&resolved, &scratch.store, &Silent);
    let half_a_pull = std::time::Duration::from_millis(200);
    assert!(tokio::time::timeout(half_a_pull, pull).await.is_err());
    assert_eq!(scratch.files(), Vec::<std::path::PathBuf>::new());
    // Nor does it hold the store's lock.
    scratch.store.gc(&[], std::time::Duration::ZERO).unwrap();
}

#[tokio::test]
async fn what_is_not_a_tool_is_named() {
    let registry = Registry::start().await;
    push(&signed_in(&registry), &verified("0.1.0", COMPONENT))
        .await
        .unwrap();
    let scratch = Scratch::new();
    let client = anonymous(&registry);
    let change = |file: &'static str, content: Option<Vec<u8>>| {
        registry.change(|world| {
            let repo = world.repos.get_mut("alice/demo").unwrap();
            let head = repo.head.clone().unwrap();
            let files = repo.commits.get_mut(&head).unwrap();
            match content {
                Some(content) => files.insert(file.into(), content),
                None => files.remove(file),
            }
        })
    };
    let component = change("tool.wasm", None).unwrap();
    let resolved = client.resolve(&demo()).await.unwrap();
    let failed = async || {
        let pulled = client.pull(&resolved, &scratch.store, &Silent).await;
        let error = pulled.unwrap_err();
        (variant(&error), error)
    };
    assert!(matches!(
        failed().await.1,
        ClientError::FileMissing {
            file: "tool.wasm",
            ..
        }
    ));
    change("tool.wasm", Some(component));
    change("tool.toml", Some(package("0.2.0", COMPONENT).manifest));
    assert_eq!(failed().await.0, "VersionMismatch");
    change("tool.toml", Some(b"schema = 1\nnmae = 1".to_vec()));
    assert_eq!(failed().await.0, "NotVerified");
    change("tool.toml", Some(vec![b' '; (1 << 20) + 1]));
    assert_eq!(failed().await.0, "TooLarge");
    change("tool.toml", Some(package("0.1.0", b"another").manifest));
    assert_eq!(failed().await.0, "NotVerified");
    assert_eq!(scratch.files(), Vec::<std::path::PathBuf>::new());
}
