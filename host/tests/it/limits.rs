//! Tests of limits that an honest tool meets: long arguments and answers, memory, many modules.
//! What attacks meet is in the target `hostile`.

use tool_hub_host::{Failure, FailureKind, Host, HostConfig, inspect};
use tool_hub_manifest::{Grants, LimitRequest, Limits};

use crate::support::{LIFT, component, failure, package, reply, try_load};

fn host(edit: impl FnOnce(&mut Limits)) -> Host {
    let mut config = HostConfig::new();
    edit(&mut config.limits);
    Host::new(config).unwrap()
}

#[track_caller]
fn check(failure: &Failure, limit: &str, value: u64) {
    match &failure.kind {
        FailureKind::HostLimit { limit: l, value: v } => {
            assert_eq!((*l, *v), (limit, value), "{failure}");
        }
        other => panic!("{other:?}: {failure}"),
    }
    let text = format!("limit {limit} = {value}");
    assert!(failure.message.contains(&text), "{failure}");
}

#[tokio::test]
async fn long_arguments_and_long_answers_are_refused() {
    let host = host(|limits| {
        limits.input_bytes = 100;
        limits.outcome_bytes = 1_000;
    });
    let echo = component(
        r#"(func (export "run") (param i32 i32) (result i32)
            (i32.store (i32.const 16) (i32.const 4096))
            (i32.store (i32.const 20) (i32.const 2000))
            (i32.const 16))"#,
        &format!(
            r#"(func (export "run") (param "s" string) (result string)
                (canon lift (core func $i "run") {LIFT}))"#
        ),
    );
    let tool = try_load(&host, echo).await.unwrap();
    let long = format!(r#"{{"s": "{}"}}"#, "x".repeat(100));
    check(&failure(tool.call("run", &long).await), "input_bytes", 100);
    check(
        &failure(tool.call("run", r#"{"s":""}"#).await),
        "outcome_bytes",
        1_000,
    );
}

/// Grows its memory until it is refused, and answers how many pages there are.
fn grower() -> Vec<u8> {
    component(
        r#"(func (export "run") (result i32)
            (loop $more (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
            (memory.size))"#,
        r#"(func (export "run") (result u32) (canon lift (core func $i "run")))"#,
    )
}

#[tokio::test]
async fn the_lower_of_what_the_author_asks_and_the_user_allows_holds() {
    let host = host(|limits| limits.memory_bytes = 8 << 20);
    for (asked_mib, pages) in [(Some(4), "64"), (Some(64), "128"), (None, "128")] {
        let verified = package(grower(), |manifest| {
            manifest.limits = LimitRequest {
                memory_mib: asked_mib,
                call_seconds: Some(2),
            };
        });
        let approved = inspect(&verified).unwrap().approve(Grants::none());
        let tool = host.load(approved.unwrap()).await.unwrap();
        assert_eq!(reply(tool.call("run", "").await).text(), pages);
        assert_eq!(
            (tool.limits().call_ms, tool.limits().cpu_ms),
            (2_000, 2_000)
        );
    }
}

/// A component of `count` core modules, one of which has a memory, like a Python component with
/// stubbed WASI.
fn many_modules(count: usize) -> Vec<u8> {
    let stubs: String = (1..count)
        .map(|number| {
            format!(
                r#"(core module $m{number} (func (export "stub") unreachable))
                (core instance $i{number} (instantiate $m{number}))"#
            )
        })
        .collect();
    let text = format!(
        r#"(component {stubs}
            (core module $m (memory 1)
                (func (export "run") (result i32) (i32.const 7)))
            (core instance $i (instantiate $m))
            (func (export "run") (result u32) (canon lift (core func $i "run"))))"#
    );
    wat::parse_str(text).unwrap()
}

#[tokio::test]
async fn modules_without_memories_are_cheap_and_bounded_all_the_same() {
    let host = host(|_| {});
    let tool = try_load(&host, many_modules(38)).await.unwrap();
    assert_eq!(reply(tool.call("run", "").await).text(), "7");
    let limit = Limits::standard().instances;
    let error = try_load(&host, many_modules(65)).await.unwrap_err();
    let named = format!("(limit instances = {limit})");
    assert!(error.to_string().contains(&named), "{error}");
}
