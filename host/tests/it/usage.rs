//! Tests of the usage report of a call: its time, its wait for a place, memory, bytes, storage.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tool_hub_host::{Approved, FailureKind, Host, HostConfig, Interaction, Outcome, Tool, Usage};
use tool_hub_manifest::Grants;

use crate::storage_component::storage_component;
use crate::support::{HOST, LIFT, component, failure, load, package, reply, try_load};

#[derive(Default)]
struct UsageRecorder(Mutex<Option<Usage>>);

impl Interaction for UsageRecorder {
    fn used(&self, usage: &Usage) {
        let earlier = self.0.lock().unwrap().replace(*usage);
        assert_eq!(earlier, None, "told once");
    }
}

async fn watched(tool: &Tool, function: &str, arguments: &str) -> (Outcome, Usage) {
    let watch = Arc::new(UsageRecorder::default());
    let outcome = tool.call_with(function, arguments, watch.clone()).await;
    let usage = watch.0.lock().unwrap().expect("a call tells what it used");
    assert_eq!(usage.total, usage.queued + usage.guest + usage.host);
    (outcome, usage)
}

/// `spend` grows by so many pages and counts so far, `hang` never ends.
fn spender() -> Vec<u8> {
    component(
        r#"(func (export "spend") (param $pages i32) (param $count i32) (result i32)
            (drop (memory.grow (local.get $pages)))
            (loop $more
                (local.set $count (i32.sub (local.get $count) (i32.const 1)))
                (br_if $more (i32.gt_s (local.get $count) (i32.const 0))))
            (i32.const 7))
        (func (export "hang") (loop (br 0)))"#,
        &format!(
            r#"(func (export "spend") (param "pages" u32) (param "count" u32) (result u32)
                (canon lift (core func $i "spend") {LIFT}))
            (func (export "hang") (canon lift (core func $i "hang")))"#
        ),
    )
}

#[tokio::test]
async fn time_memory_and_bytes_are_counted() {
    let tool = load(spender()).await;
    let arguments = json!({ "pages": 15, "count": 20_000_000 }).to_string();
    let (outcome, usage) = watched(&tool, "spend", &arguments).await;
    assert_eq!(reply(outcome).text(), "7");
    assert_eq!(usage.memory_bytes, 16 << 16);
    assert_eq!(usage.input_bytes, arguments.len() as u64);
    assert_eq!(usage.output_bytes, 1);
    assert!(usage.guest > Duration::from_millis(2), "{usage:?}");
    assert_eq!((usage.http_requests, usage.storage_operations), (0, 0));
}

#[tokio::test]
async fn the_wait_for_a_place_is_told_apart() {
    let mut config = HostConfig::new();
    config.calls_in_flight_max = 1;
    let host = Host::new(config).unwrap();
    let tool = try_load(&host, spender()).await.unwrap();
    // Far longer than the turn that the first has before the second is even made.
    let arguments = json!({ "pages": 0, "count": 200_000_000 }).to_string();
    let call = || watched(&tool, "spend", &arguments);
    let ((_, first), (_, second)) = tokio::join!(call(), call());
    assert!(second.queued > first.guest / 4, "{first:?} {second:?}");
    assert!(first.queued < first.guest, "{first:?}");
}

#[tokio::test]
async fn a_wait_in_vain_is_a_wait() {
    let mut config = HostConfig::new();
    config.calls_in_flight_max = 1;
    let host = Host::new(config).unwrap();
    let holder = try_load(&host, spender()).await.unwrap();
    let impatient = package(spender(), |manifest| manifest.limits.call_seconds = Some(1));
    let impatient = Approved::from_lock_record(impatient, Grants::none()).unwrap();
    let impatient = host.load(impatient).await.unwrap();
    let (outcome, usage) = tokio::select! {
        biased;
        ended = holder.call("hang", "{}") => panic!("it ends later than a second: {ended:?}"),
        earlier = watched(&impatient, "hang", "{}") => earlier,
    };
    assert_eq!(failure(outcome).kind, FailureKind::Unavailable);
    assert!(usage.queued >= Duration::from_secs(1), "{usage:?}");
    assert_eq!(usage.guest, Duration::ZERO);
}

#[tokio::test]
async fn what_is_asked_of_storage_is_counted() {
    let approved =
        Approved::from_lock_record(storage_component(), Grants::none().storage()).unwrap();
    let tool = HOST.load(approved).await.unwrap();
    let (outcome, usage) = watched(&tool, "add", r#"{"bucket": "a"}"#).await;
    reply(outcome);
    assert_eq!(usage.storage_operations, 1);
}

#[tokio::test]
async fn a_call_that_never_ran_is_told_of_too() {
    let tool = load(spender()).await;
    for (function, arguments) in [("spend", "{}"), ("spent", "{}")] {
        let (outcome, usage) = watched(&tool, function, arguments).await;
        let failed = failure(outcome);
        assert_eq!((usage.guest, usage.memory_bytes), (Duration::ZERO, 0));
        assert!(usage.output_bytes >= failed.message.len() as u64);
        assert_eq!(usage.input_bytes, 2, "for `{function}`");
    }
}
