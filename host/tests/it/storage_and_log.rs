//! Tests of a tool's storage and log: grants, limits, use by many calls, and masked secrets.

use serde_json::{Value, json};
use tool_hub_host::{Approved, FailureKind, Host, HostConfig, LogLevel, Storage, Tool, inspect};
use tool_hub_manifest::Grants;

use crate::logging_component::{SECRET, talk};
use crate::storage_component::storage_component;
use crate::support::{HOST, advised, failure, package, reply};

async fn tool_with_storage(storage: Option<Storage>) -> Tool {
    let mut approved =
        Approved::from_lock_record(storage_component(), Grants::none().storage()).unwrap();
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
    let one = tool_with_storage(Some(shared.clone())).await;
    let same = tool_with_storage(Some(shared)).await;
    let other = tool_with_storage(Some(Storage::in_memory())).await;
    assert_eq!(add(&one, "a").await, 1);
    assert_eq!(add(&one, "a").await, 2);
    assert_eq!(add(&one, "b").await, 1, "buckets are apart");
    assert_eq!(add(&same, "a").await, 3);
    assert_eq!(add(&other, "a").await, 1);
    // Without a place it is kept as long as the tool is loaded, and each has its own.
    let (first, second) = (tool_with_storage(None).await, tool_with_storage(None).await);
    assert_eq!(add(&first, "a").await, 1);
    assert_eq!(add(&first.clone(), "a").await, 2);
    assert_eq!(add(&second, "a").await, 1);
}

#[tokio::test]
async fn many_calls_at_once_lose_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let tool = tool_with_storage(Some(Storage::in_file(directory.path().join("kept")))).await;
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
    let approved = Approved::from_lock_record(storage_component(), Grants::none()).unwrap();
    let tool = HOST.load(advised(approved.clone())).await.unwrap();
    let failed = failure(tool.call("add", r#"{"bucket": "a"}"#).await);
    let capability = "storage".to_owned();
    assert_eq!(failed.kind, FailureKind::Denied { capability });
    assert_eq!(
        failed.message,
        "the tool failed: 1 (tool `demo` was refused storage: it is not granted)"
    );
    let fix = r#"a person can grant it: ["storage"]"#;
    assert_eq!(failed.fix.as_deref(), Some(fix));
    let tool = HOST.load(approved).await.unwrap();
    let failed = failure(tool.call("add", r#"{"bucket": "a"}"#).await);
    assert_eq!(failed.fix.as_deref(), Some("a person can grant it"));

    let unasked = package(storage_component().component().to_vec(), |_| {});
    let inspection = inspect(&unasked).unwrap();
    assert_eq!(
        inspection.undeclared,
        [tool_hub_host::ImportAccess::Storage]
    );
    let tool = HOST.load(inspection.approve(Grants::none()).unwrap()).await;
    let failed = failure(tool.unwrap().call("add", r#"{"bucket": "a"}"#).await);
    assert!(failed.fix.unwrap().contains("does not ask for it"));
}

#[tokio::test]
async fn a_full_storage_says_so() {
    let mut config = HostConfig::new();
    config.limits.storage_bytes = 10_000;
    let approved =
        Approved::from_lock_record(storage_component(), Grants::none().storage()).unwrap();
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
    let (outcome, _) = talk("tell", json!({})).await;
    let answer = reply(outcome);
    assert_eq!(answer.text(), "***");
    assert_eq!(answer.structured.as_deref(), Some("\"***\""));
}
