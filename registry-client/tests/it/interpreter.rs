//! Tests of tools whose manifest names an interpreter: pushed with it, pulled and kept once.

use std::time::Duration;

use tool_hub_manifest::{ComponentClaim, Interpreter, Manifest, Package, Verified, package_file};
use tool_hub_registry_client::{ClientError, Silent, StoreError};

use crate::registry::Registry;
use crate::support::{Scratch, anonymous, push, signed_in};

const INTERPRETER: &[u8] = b"\0asm an interpreter, more or less";

/// A version of the tool `demo` with a component of its own and the interpreter.
fn verified(version: &str) -> Verified {
    let interpreter = Interpreter::hashed(INTERPRETER.to_vec());
    let component = format!("a program of version {version}").into_bytes();
    let mut manifest = Manifest::new("demo".parse().unwrap(), version.parse().unwrap());
    manifest.component = Some(ComponentClaim::of(&component));
    manifest.interpreter = Some(interpreter.claim());
    Verified::check(Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
        interpreter: Some(interpreter),
        sbom: None,
    })
    .unwrap()
}

/// A registry with two versions, and what its first one was pushed from.
async fn registry() -> (Registry, Verified) {
    let registry = Registry::start().await;
    let client = signed_in(&registry);
    let first = verified("0.1.0");
    push(&client, &first).await.unwrap();
    push(&client, &verified("0.2.0")).await.unwrap();
    registry.take_seen();
    (registry, first)
}

/// Pulls a version, and gives it with the files that were downloaded for it.
async fn pull(
    registry: &Registry,
    version: &str,
    scratch: &Scratch,
) -> Result<(Verified, Vec<String>), ClientError> {
    let client = anonymous(registry);
    let reference = format!("alice/demo@{version}").parse().unwrap();
    let resolved = client.resolve(&reference).await?;
    let pulled = client.pull(&resolved, &scratch.store, &Silent).await?;
    let seen = registry.take_seen();
    let files = seen.iter().filter(|it| it.path.contains("/resolve/"));
    let files = files.map(|it| it.path.rsplit('/').next().unwrap().to_owned());
    Ok((pulled, files.collect()))
}

#[tokio::test]
async fn it_is_downloaded_for_the_first_tool_that_names_it() {
    let (registry, original) = registry().await;
    let scratch = Scratch::new();
    let (first, files) = pull(&registry, "0.1.0", &scratch).await.unwrap();
    assert_eq!(files, ["tool.toml", "interpreter.wasm", "tool.wasm"]);
    assert_eq!(first.pin(), original.pin());
    assert_eq!(first.interpreter(), original.interpreter());
    let (second, files) = pull(&registry, "0.2.0", &scratch).await.unwrap();
    assert_eq!(files, ["tool.toml", "tool.wasm"]);
    assert_eq!(second.interpreter(), original.interpreter());
    // Two manifests, two components, one interpreter.
    assert_eq!(scratch.files().len(), 5);
    for tool in [first, second] {
        assert!(scratch.store.contains(tool.pin()));
        let kept = scratch.store.get(tool.pin()).unwrap();
        assert_eq!(kept.interpreter().unwrap().component(), INTERPRETER);
    }
}

#[tokio::test]
async fn it_is_downloaded_again_when_it_is_damaged() {
    let (registry, original) = registry().await;
    let scratch = Scratch::new();
    drop(pull(&registry, "0.1.0", &scratch).await.unwrap());
    let digest = original.interpreter().unwrap().digest();
    let path = scratch.store.path_of(digest);
    std::fs::write(&path, b"\0asm something else").unwrap();
    let error = scratch.store.get(original.pin()).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(!scratch.store.contains(original.pin()));
    let (_, files) = pull(&registry, "0.2.0", &scratch).await.unwrap();
    assert_eq!(files, ["tool.toml", "interpreter.wasm", "tool.wasm"]);
    assert_eq!(std::fs::read(&path).unwrap(), INTERPRETER);
}

#[tokio::test]
async fn another_one_is_refused() {
    for (bytes, said) in [
        (
            b"\0asm an interpreter, more or lesS".as_slice(),
            "interpreter.wasm has digest",
        ),
        (b"\0asm".as_slice(), "interpreter.wasm has 4 bytes"),
    ] {
        let (registry, _) = registry().await;
        registry.change(|world| {
            let repo = world.repos.get_mut("alice/demo").unwrap();
            for files in repo.commits.values_mut() {
                files.insert(package_file::INTERPRETER.into(), bytes.to_vec());
            }
        });
        let scratch = Scratch::new();
        let error = pull(&registry, "0.1.0", &scratch).await.unwrap_err();
        let ClientError::NotVerified { source, .. } = &error else {
            panic!("{error:?}");
        };
        assert!(source.to_string().starts_with(said), "{source}");
        assert!(error.is_refusal());
        assert_eq!(scratch.files().len(), 0);
    }
}

#[tokio::test]
async fn it_is_kept_as_long_as_a_tool_that_names_it() {
    let (registry, original) = registry().await;
    let scratch = Scratch::new();
    let (first, _) = pull(&registry, "0.1.0", &scratch).await.unwrap();
    drop(pull(&registry, "0.2.0", &scratch).await.unwrap());
    scratch.store.gc(&[*first.pin()], Duration::ZERO).unwrap();
    assert_eq!(scratch.files().len(), 3);
    assert!(scratch.store.contains(original.pin()));
    scratch.store.gc(&[], Duration::ZERO).unwrap();
    assert_eq!(scratch.files().len(), 0);
}
