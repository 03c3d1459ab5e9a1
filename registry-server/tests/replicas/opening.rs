//! Tests of opening a registry on PostgreSQL and a bucket: four servers at once, wrong settings.

use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use tool_hub_registry_server::{Downloads, Registry, RegistryError, StorageAddress};

use crate::backends::Shared;
use crate::test;

/// Nobody waits longer for a server that cannot start.
const REFUSAL_MAX: Duration = Duration::from_secs(30);

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        test(
            "opening::servers_that_start_together_agree",
            servers_that_start_together_agree,
        ),
        test(
            "opening::a_wrong_database_is_named_at_once",
            a_wrong_database_is_named_at_once,
        ),
        test(
            "opening::a_wrong_bucket_is_named_at_once",
            a_wrong_bucket_is_named_at_once,
        ),
        test(
            "opening::missing_keys_are_told_at_once",
            missing_keys_are_told_at_once,
        ),
        test(
            "opening::nothing_is_kept_beside_the_two",
            nothing_is_kept_beside_the_two,
        ),
    ]
}

async fn servers_that_start_together_agree() {
    let place = Shared::get().unwrap().place();
    let scratch = tempfile::tempdir().unwrap();
    let opening = (0..4).map(|at| {
        let directory = scratch.path().join(at.to_string());
        Registry::open(place.config(&directory, Downloads::Redirect))
    });
    let registries = futures::future::try_join_all(opening).await.unwrap();
    registries[0].add_user("alice", None).await.unwrap();
    for registry in &registries {
        assert_eq!(registry.list_users().await.unwrap().len(), 1);
        assert!(matches!(
            registry.add_user("Alice", None).await,
            Err(RegistryError::NameTaken { .. })
        ));
    }
}

async fn a_wrong_database_is_named_at_once() {
    let place = Shared::get().unwrap().place();
    let scratch = tempfile::tempdir().unwrap();
    let missing = place.database.replacen("hub@", "hub:s3cret@", 1) + "_missing";
    for (database, expect) in [
        (missing.as_str(), "does not exist"),
        ("postgres://hub:s3cret@127.0.0.1:1/hub", "refused"),
    ] {
        let mut place = place.clone();
        place.database = database.to_owned();
        let start = Instant::now();
        let opened = Registry::open(place.config(scratch.path(), Downloads::Redirect)).await;
        assert!(start.elapsed() < REFUSAL_MAX);
        let Err(RegistryError::OpenDatabase { url, source }) = opened else {
            panic!("{opened:?}");
        };
        assert!(
            url.starts_with("postgres://") && !url.contains("s3cret"),
            "{url}"
        );
        assert!(source.to_string().contains(expect), "{source}");
    }
}

async fn a_wrong_bucket_is_named_at_once() {
    let place = Shared::get().unwrap().place();
    let scratch = tempfile::tempdir().unwrap();
    for (endpoint, storage) in [
        (place.endpoint.as_str(), "s3://no-such-bucket/x"),
        ("http://127.0.0.1:1", place.storage.as_str()),
    ] {
        let mut place = place.clone();
        place.endpoint = endpoint.to_owned();
        place.storage = storage.to_owned();
        let start = Instant::now();
        let opened = Registry::open(place.config(scratch.path(), Downloads::Redirect)).await;
        assert!(start.elapsed() < REFUSAL_MAX);
        let Err(RegistryError::OpenStorage { address, .. }) = opened else {
            panic!("{opened:?}");
        };
        assert_eq!(address, storage);
    }
}

/// Without keys they are asked of the machine's surroundings, which may have none.
async fn missing_keys_are_told_at_once() {
    let place = Shared::get().unwrap().place();
    let scratch = tempfile::tempdir().unwrap();
    let mut config = place.config(scratch.path(), Downloads::Redirect);
    let StorageAddress::S3(storage) = &mut config.storage else {
        panic!("{config:?}");
    };
    let nobody = ("AWS_METADATA_ENDPOINT", "http://127.0.0.1:1");
    storage.options.retain(|name, _| !name.contains("KEY"));
    storage
        .options
        .extend([(nobody.0.to_owned(), nobody.1.to_owned())]);
    let start = Instant::now();
    let opened = Registry::open(config).await;
    println!("told after {:?}", start.elapsed());
    assert!(start.elapsed() < REFUSAL_MAX);
    assert!(
        matches!(opened, Err(RegistryError::OpenStorage { .. })),
        "{opened:?}"
    );
}

/// The directory of a server that is not in use is empty but for room for uploads.
async fn nothing_is_kept_beside_the_two() {
    let place = Shared::get().unwrap().place();
    let hub = crate::support::TestRegistry::start_in(Some(place), |_| ()).await;
    hub.create("alice/tool").await;
    hub.commit("alice/tool", "files", &[("a", b"a"), ("b", &[7; 1 << 20])])
        .await;
    let names: Vec<_> = std::fs::read_dir(&hub.config.directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["incoming"]);
    assert_eq!(std::fs::read_dir(hub.incoming()).unwrap().count(), 0);
}
