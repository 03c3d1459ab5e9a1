//! Tests of the cache of compiled code: it saves compiling, and changed entries are never used.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tool_hub_host::{Host, HostConfig, LoadEvent};

use crate::support::{approve, component, reply};

fn adder() -> Vec<u8> {
    component(
        r#"(func (export "add") (param i32 i32) (result i32)
            (i32.add (local.get 0) (local.get 1)))"#,
        r#"(func (export "add") (param "a" u32) (param "b" u32) (result u32)
            (canon lift (core func $i "add")))"#,
    )
}

fn host(cache: &Path) -> Host {
    let mut config = HostConfig::new();
    config.cache = Some(cache.to_owned());
    Host::new(config).unwrap()
}

/// Loads and calls; whether the code came from the cache.
async fn is_warm(host: &Host) -> bool {
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = events.clone();
    let load = host.load_with(approve(adder()), move |event| {
        seen.lock().unwrap().push(event)
    });
    let tool = load.await.unwrap();
    assert_eq!(
        reply(tool.call("add", r#"{"a":1,"b":2}"#).await).text(),
        "3"
    );
    let events = events.lock().unwrap();
    events.contains(&LoadEvent::Cached)
}

fn entry(cache: &Path) -> PathBuf {
    let files = fs::read_dir(cache)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut entries = files.filter(|path| path.extension().is_some_and(|e| e == "code"));
    entries.next().unwrap()
}

/// Puts another file in the place of an entry.
fn replace(entry: &Path, bytes: &[u8]) {
    fs::remove_file(entry).unwrap();
    fs::write(entry, bytes).unwrap();
}

#[tokio::test]
async fn the_second_load_compiles_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let cache = directory.path().join("code");
    assert!(!is_warm(&host(&cache)).await);
    assert!(is_warm(&host(&cache)).await);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&cache), 0o700);
    assert_eq!(mode(&cache.join("key")), 0o600);
    assert_eq!(mode(&entry(&cache)), 0o400);
}

#[tokio::test]
async fn code_that_is_read_ahead_is_used_and_authenticated_all_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let host = host(directory.path());
    let component = approve(adder()).verified().pin().component;
    host.prefetch(&component);
    assert!(!is_warm(&host).await, "there was nothing to read");
    host.prefetch(&component);
    assert!(is_warm(&host).await);
    let entry = entry(directory.path());
    let mut touched = fs::read(&entry).unwrap();
    *touched.last_mut().unwrap() ^= 0x10;
    replace(&entry, &touched);
    host.prefetch(&component);
    assert!(!is_warm(&host).await, "the touched entry was used");
}

#[tokio::test]
async fn an_entry_that_was_touched_is_compiled_again() {
    let directory = tempfile::tempdir().unwrap();
    let cache = directory.path();
    let host = host(cache);
    assert!(!is_warm(&host).await);
    let entry = entry(cache);
    let honest = fs::read(&entry).unwrap();
    let steps = honest.len() / 50;
    for at in (0..40).chain((0..honest.len()).step_by(steps)) {
        let mut touched = honest.clone();
        touched[at] ^= 0x10;
        replace(&entry, &touched);
        assert!(!is_warm(&host).await, "byte {at}");
        // Compiling it again has mended it.
        assert!(is_warm(&host).await, "byte {at}");
    }
    for length in [0, 1, 31, 32, 33, honest.len() - 1] {
        replace(&entry, &honest[..length]);
        assert!(!is_warm(&host).await, "{length} bytes");
    }
}

#[tokio::test]
async fn code_of_another_cache_or_another_component_is_not_used() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert!(!is_warm(&host(one.path())).await);
    let foreign = entry(one.path());
    let host = host(other.path());
    fs::copy(&foreign, other.path().join(foreign.file_name().unwrap())).unwrap();
    assert!(!is_warm(&host).await);
}

#[tokio::test]
async fn a_cache_that_others_can_read_is_closed() {
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    host(directory.path());
    let mode = fs::metadata(directory.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[tokio::test]
async fn an_entry_that_others_can_write_to_is_compiled_again() {
    let directory = tempfile::tempdir().unwrap();
    let host = host(directory.path());
    assert!(!is_warm(&host).await);
    let entry = entry(directory.path());
    for mode in [0o420, 0o402, 0o666] {
        fs::set_permissions(&entry, fs::Permissions::from_mode(mode)).unwrap();
        assert!(!is_warm(&host).await, "{mode:o}");
        assert!(is_warm(&host).await, "{mode:o}");
    }
}

#[tokio::test]
async fn a_tool_outlives_its_entry() {
    let directory = tempfile::tempdir().unwrap();
    assert!(!is_warm(&host(directory.path())).await);
    let host = host(directory.path());
    let tool = host.load(approve(adder())).await.unwrap();
    replace(&entry(directory.path()), b"something else");
    for _ in 0..3 {
        assert_eq!(
            reply(tool.call("add", r#"{"a":1,"b":2}"#).await).text(),
            "3"
        );
    }
}
