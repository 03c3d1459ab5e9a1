//! What a tool keeps from call to call, and what it says about its work.

use serde_json::{Value, json};
use tool_hub_host::{Approved, FailureKind, Host, HostConfig, LogLevel, Storage, Tool, inspect};
use tool_hub_manifest::{Grants, StorageRequest, Verified};

use crate::support::{HOST, MEMORY, failure, package, reply};
use crate::talker::{SECRET, talk};

/// `add` counts in the bucket that it is told, `keep` sets a value of so many bytes. Both
/// answer an error as the number of its case.
fn keeper() -> Verified {
    let text = format!(
        r#"(component
        (import "wasi:keyvalue/store@0.2.0-draft" (instance $store
            (type $error' (variant (case "no-such-store") (case "access-denied") (case "other" string)))
            (export "error" (type $error (eq $error')))
            (export "bucket" (type $bucket (sub resource)))
            (export "open" (func (param "identifier" string)
                (result (result (own $bucket) (error $error)))))
            (export "[method]bucket.set" (func
                (param "self" (borrow $bucket)) (param "key" string) (param "value" (list u8))
                (result (result (error $error)))))))
        (alias export $store "bucket" (type $bucket))
        (alias export $store "error" (type $error))
        (import "wasi:keyvalue/atomics@0.2.0-draft" (instance $atomics
            (alias outer 1 $bucket (type $outer-bucket))
            (export "bucket" (type $b (eq $outer-bucket)))
            (alias outer 1 $error (type $outer-error))
            (export "error" (type $e (eq $outer-error)))
            (export "increment" (func
                (param "bucket" (borrow $b)) (param "key" string) (param "delta" u64)
                (result (result u64 (error $e)))))))
        (core module $libc {MEMORY})
        (core instance $c (instantiate $libc))
        (alias core export $c "memory" (core memory $memory))
        (alias core export $c "realloc" (core func $realloc))
        (core func $open (canon lower (func $store "open") (memory $memory) (realloc $realloc)))
        (core func $set (canon lower (func $store "[method]bucket.set") (memory $memory) (realloc $realloc)))
        (core func $increment (canon lower (func $atomics "increment") (memory $memory) (realloc $realloc)))
        (core module $m
            (import "h" "memory" (memory 1))
            (import "h" "realloc" (func $realloc (param i32 i32 i32 i32) (result i32)))
            (import "h" "open" (func $open (param i32 i32 i32)))
            (import "h" "set" (func $set (param i32 i32 i32 i32 i32 i32)))
            (import "h" "increment" (func $increment (param i32 i32 i32 i64 i32)))
            (func $fail (param $error i32) (result i32)
                (i32.store8 (i32.const 128) (i32.const 1))
                (i32.store (i32.const 136) (local.get $error))
                (i32.const 128))
            (func (export "add") (param $b i32) (param $bl i32) (result i32)
                (call $open (local.get $b) (local.get $bl) (i32.const 32))
                (if (i32.load8_u (i32.const 32))
                    (then (return (call $fail (i32.load8_u (i32.const 36))))))
                (call $increment (i32.load (i32.const 36)) (i32.const 400) (i32.const 3)
                    (i64.const 1) (i32.const 64))
                (if (i32.load8_u (i32.const 64))
                    (then (return (call $fail (i32.load8_u (i32.const 72))))))
                (i32.store8 (i32.const 128) (i32.const 0))
                (i64.store (i32.const 136) (i64.load (i32.const 72)))
                (i32.const 128))
            (func (export "keep") (param $bytes i32) (result i32)
                (call $open (i32.const 400) (i32.const 3) (i32.const 32))
                (call $set (i32.load (i32.const 36)) (i32.const 400) (i32.const 3)
                    (call $realloc (i32.const 0) (i32.const 0) (i32.const 1) (local.get $bytes))
                    (local.get $bytes) (i32.const 64))
                (i32.store8 (i32.const 128) (i32.load8_u (i32.const 64)))
                (i32.store (i32.const 132) (i32.load (i32.const 72)))
                (i32.store (i32.const 136) (i32.load (i32.const 76)))
                (i32.const 128))
            (data (i32.const 400) "key"))
        (core instance $i (instantiate $m (with "h" (instance
            (export "memory" (memory $memory))
            (export "realloc" (func $realloc))
            (export "open" (func $open))
            (export "set" (func $set))
            (export "increment" (func $increment))))))
        (func (export "add") (param "bucket" string) (result (result u64 (error u32)))
            (canon lift (core func $i "add") (memory $memory) (realloc $realloc)))
        (func (export "keep") (param "bytes" u32) (result (result (error string)))
            (canon lift (core func $i "keep") (memory $memory) (realloc $realloc))))"#
    );
    package(wat::parse_str(text).unwrap(), |manifest| {
        manifest.capabilities.storage = Some(StorageRequest::default());
    })
}

async fn keeping(storage: Option<Storage>) -> Tool {
    let mut approved = Approved::new(keeper(), Grants::none().storage()).unwrap();
    if let Some(storage) = storage {
        approved = approved.with_storage(storage).unwrap();
    }
    HOST.load(approved).await.unwrap()
}

async fn add(tool: &Tool, bucket: &str) -> Value {
    let reply = reply(
        tool.call("add", &json!({ "bucket": bucket }).to_string())
            .await,
    );
    serde_json::from_str(&reply.structured.unwrap()).unwrap()
}

#[tokio::test]
async fn what_is_kept_outlives_a_call_and_stays_with_its_tool() {
    let shared = Storage::in_memory();
    let one = keeping(Some(shared.clone())).await;
    let same = keeping(Some(shared)).await;
    let other = keeping(Some(Storage::in_memory())).await;
    assert_eq!(add(&one, "a").await, 1);
    assert_eq!(add(&one, "a").await, 2);
    assert_eq!(add(&one, "b").await, 1, "buckets are apart");
    assert_eq!(add(&same, "a").await, 3);
    assert_eq!(add(&other, "a").await, 1);
    // Without a place it is kept as long as the tool is loaded, and each has its own.
    let (first, second) = (keeping(None).await, keeping(None).await);
    assert_eq!(add(&first, "a").await, 1);
    assert_eq!(add(&first.clone(), "a").await, 2);
    assert_eq!(add(&second, "a").await, 1);
}

#[tokio::test]
async fn many_calls_at_once_lose_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let tool = keeping(Some(Storage::in_file(directory.path().join("kept")))).await;
    let calls = (0..32).map(|_| add(&tool, "a"));
    let mut sums: Vec<u64> = futures::future::join_all(calls)
        .await
        .iter()
        .map(|sum| sum.as_u64().unwrap())
        .collect();
    sums.sort_unstable();
    assert_eq!(sums, (1..=32).collect::<Vec<_>>());
}

#[tokio::test]
async fn storage_that_is_not_granted_is_refused_and_named() {
    let tool = HOST
        .load(Approved::new(keeper(), Grants::none()).unwrap())
        .await
        .unwrap();
    let failed = failure(tool.call("add", r#"{"bucket": "a"}"#).await);
    let capability = "storage".to_owned();
    assert_eq!(failed.kind, FailureKind::Denied { capability });
    assert_eq!(
        failed.message,
        "the tool failed: 1 (tool `demo` was refused storage: it is not granted)"
    );
    let command = "a person can grant it: tool grant demo --allow-storage";
    assert_eq!(failed.fix.as_deref(), Some(command));

    let unasked = package(keeper().component().to_vec(), |_| {});
    let inspection = inspect(&unasked).unwrap();
    assert_eq!(inspection.undeclared, [tool_hub_host::Power::Storage]);
    let tool = HOST.load(inspection.approve(Grants::none()).unwrap()).await;
    let failed = failure(tool.unwrap().call("add", r#"{"bucket": "a"}"#).await);
    assert!(failed.fix.unwrap().contains("does not ask for it"));
}

#[tokio::test]
async fn a_full_storage_says_so() {
    let mut config = HostConfig::new();
    config.limits.storage_bytes = 10_000;
    let approved = Approved::new(keeper(), Grants::none().storage()).unwrap();
    let tool = Host::new(config).unwrap().load(approved).await.unwrap();
    reply(tool.call("keep", r#"{"bytes": 9000}"#).await);
    let failed = failure(tool.call("keep", r#"{"bytes": 10000}"#).await);
    assert_eq!(
        failed.message,
        "the storage is full: it keeps at most 10000 bytes (limit storage_bytes = 10000)"
    );
    reply(tool.call("keep", r#"{"bytes": 9500}"#).await);
}

#[tokio::test]
async fn the_log_reaches_whoever_listens() {
    let message = "\u{1b}[2J grün \u{202e}";
    for (level, expect) in [
        (0, LogLevel::Trace),
        (2, LogLevel::Info),
        (5, LogLevel::Critical),
    ] {
        let arguments = json!({ "level": level, "message": message, "times": 2 });
        let (outcome, output) = talk("say", arguments).await;
        reply(outcome);
        assert_eq!(output.log.len(), 2);
        for entry in &output.log {
            let entry = (entry.level, entry.context.as_str(), entry.message.as_str());
            assert_eq!(entry, (expect, "test", message), "as the tool wrote it");
        }
        assert_eq!(output.dropped_bytes, 0);
    }
}

#[tokio::test]
async fn the_log_is_bounded() {
    let long = "x".repeat(10_000);
    for (message, entries_max) in [(long.as_str(), 110), ("", 20_000)] {
        let arguments = json!({ "level": 2, "message": message, "times": 30_000 });
        let (outcome, output) = talk("say", arguments).await;
        reply(outcome);
        let kept = output.log.len();
        assert!(kept > entries_max / 2 && kept < entries_max, "{kept}");
        let texts = (30_000 - kept) * (message.len() + "test".len());
        assert_eq!(output.dropped_bytes, texts as u64);
    }
}

#[tokio::test]
async fn a_secret_is_taken_out_of_what_the_host_passes_on() {
    let (outcome, output) = talk("leak", json!({})).await;
    assert_eq!(output.log[0].message, "***");
    assert_eq!(output.log[0].context, "***");
    let failed = failure(outcome);
    assert_eq!(failed.message, "***");
    assert!(!format!("{failed:?}{output:?}").contains(SECRET));
}
