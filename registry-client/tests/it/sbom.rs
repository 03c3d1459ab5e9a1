//! Tests of tools whose manifest names a bill of materials: pushed with it, pulled, kept, refused.

use std::time::Duration;

use tool_hub_manifest::{ComponentClaim, Manifest, Package, SbomClaim, Verified, package_file};
use tool_hub_registry_client::{ClientError, Silent, StoreError};

use crate::registry::Registry;
use crate::support::{Scratch, anonymous, push, signed_in};

const SBOM: &[u8] = b"{}";

/// A version of the tool `demo`, with a bill of materials or without.
fn verified(version: &str, sbom: Option<&[u8]>) -> Verified {
    let component = b"component".to_vec();
    let mut manifest = Manifest::new("demo".parse().unwrap(), version.parse().unwrap());
    manifest.component = Some(ComponentClaim::of(&component));
    manifest.sbom = sbom.map(SbomClaim::of);
    Verified::check(Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
        interpreter: None,
        sbom: sbom.map(<[u8]>::to_vec),
    })
    .unwrap()
}

async fn registry() -> (Registry, Verified) {
    let registry = Registry::start().await;
    let first = verified("0.1.0", Some(SBOM));
    push(&signed_in(&registry), &first).await.unwrap();
    (registry, first)
}

async fn pull(
    registry: &Registry,
    version: &str,
    scratch: &Scratch,
) -> Result<Verified, ClientError> {
    let client = anonymous(registry);
    let reference = format!("alice/demo@{version}").parse().unwrap();
    let resolved = client.resolve(&reference).await?;
    client.pull(&resolved, &scratch.store, &Silent).await
}

#[tokio::test]
async fn it_is_pulled_and_kept_with_its_tool() {
    let (registry, original) = registry().await;
    let scratch = Scratch::new();
    let pulled = pull(&registry, "0.1.0", &scratch).await.unwrap();
    assert_eq!((pulled.pin(), pulled.sbom()), (original.pin(), Some(SBOM)));
    scratch.store.gc(&[*pulled.pin()], Duration::ZERO).unwrap();
    let kept = scratch.store.get(pulled.pin()).unwrap();
    assert_eq!(kept.sbom(), Some(SBOM));
    scratch.store.gc(&[], Duration::ZERO).unwrap();
    assert_eq!(scratch.files().len(), 0);
}

#[tokio::test]
async fn it_is_downloaded_again_when_it_is_damaged() {
    let (registry, original) = registry().await;
    let scratch = Scratch::new();
    pull(&registry, "0.1.0", &scratch).await.unwrap();
    let path = scratch
        .store
        .path_of(original.manifest().sbom.unwrap().sha256);
    std::fs::write(&path, b"[]").unwrap();
    let error = scratch.store.get(original.pin()).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(!scratch.store.contains(original.pin()));
    pull(&registry, "0.1.0", &scratch).await.unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), SBOM);
}

#[tokio::test]
async fn another_one_is_refused_and_a_missing_one_too() {
    for (bytes, expect) in [
        (Some(b"[]".as_slice()), "sbom.cdx.json has digest"),
        (None, "sbom.cdx.json"),
    ] {
        let (registry, _) = registry().await;
        registry.change(|world| {
            let repo = world.repos.get_mut("alice/demo").unwrap();
            for files in repo.commits.values_mut() {
                match bytes {
                    Some(bytes) => files.insert(package_file::SBOM.into(), bytes.to_vec()),
                    None => files.remove(package_file::SBOM),
                };
            }
        });
        let scratch = Scratch::new();
        let error = pull(&registry, "0.1.0", &scratch).await.unwrap_err();
        let said = match &error {
            ClientError::NotVerified { source, .. } => source.to_string(),
            ClientError::FileMissing { file, .. } => (*file).to_owned(),
            _ => panic!("{error:?}"),
        };
        assert!(said.starts_with(expect), "{said}");
        assert_eq!(scratch.files().len(), 0);
    }
}

#[tokio::test]
async fn a_version_without_one_leaves_none_behind() {
    let (registry, _) = registry().await;
    push(&signed_in(&registry), &verified("0.2.0", None))
        .await
        .unwrap();
    let scratch = Scratch::new();
    let pulled = pull(&registry, "0.2.0", &scratch).await.unwrap();
    assert_eq!(pulled.sbom(), None);
    registry.change(|world| {
        let repo = &world.repos["alice/demo"];
        let with_it = repo
            .commits
            .values()
            .filter(|it| it.contains_key(package_file::SBOM));
        assert_eq!(with_it.count(), 1, "the first version's commit");
    });
}
