//! Every limit stops the call, names itself, and leaves the host well.

use std::time::{Duration, Instant};

use tool_hub_host::{Failure, FailureKind, Host, HostConfig};
use tool_hub_manifest::Limits;

use crate::support::{LIFT, component, failure, load, reply, try_load};

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

/// A component with one function that runs `body`.
fn run(body: &str) -> Vec<u8> {
    component(
        &format!(r#"(func $run (export "run") {body})"#),
        r#"(func (export "run") (canon lift (core func $i "run")))"#,
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endless_loop_uses_up_its_cpu_time() {
    let host = host(|limits| limits.cpu_ms = 100);
    let tool = try_load(&host, run("(loop (br 0))")).await.unwrap();
    let begun = Instant::now();
    check(&failure(tool.call("run", "").await), "cpu_ms", 100);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_loop_in_start_is_bounded_too() {
    let host = host(|limits| limits.cpu_ms = 100);
    let spin = component(
        r#"(func $spin (loop (br 0))) (start $spin) (func (export "run"))"#,
        r#"(func (export "run") (canon lift (core func $i "run")))"#,
    );
    let tool = try_load(&host, spin).await.unwrap();
    check(&failure(tool.call("run", "").await), "cpu_ms", 100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_loop_in_realloc_is_bounded_too() {
    let host = host(|limits| limits.cpu_ms = 100);
    let text = r#"(component
        (core module $m
            (memory (export "memory") 1)
            (func (export "realloc") (param i32 i32 i32 i32) (result i32) (loop (br 0)) (unreachable))
            (func (export "run") (param i32 i32)))
        (core instance $i (instantiate $m))
        (alias core export $i "memory" (core memory $memory))
        (alias core export $i "realloc" (core func $realloc))
        (func (export "run") (param "s" string)
            (canon lift (core func $i "run") (memory $memory) (realloc $realloc))))"#;
    let tool = try_load(&host, wat::parse_str(text).unwrap())
        .await
        .unwrap();
    check(
        &failure(tool.call("run", r#"{"s":"x"}"#).await),
        "cpu_ms",
        100,
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_wall_clock_counts_waiting() {
    let host = host(|limits| limits.call_ms = 200);
    let text = r#"(component
        (import "wasi:io/poll@0.2.0" (instance $poll
            (export "pollable" (type $p (sub resource)))
            (export "[method]pollable.block" (func (param "self" (borrow $p))))))
        (alias export $poll "pollable" (type $pollable))
        (import "wasi:clocks/monotonic-clock@0.2.0" (instance $clock
            (alias outer 1 $pollable (type $outer))
            (export "pollable" (type $p (eq $outer)))
            (export "subscribe-duration" (func (param "when" u64) (result (own $p))))))
        (core func $block (canon lower (func $poll "[method]pollable.block")))
        (core func $subscribe (canon lower (func $clock "subscribe-duration")))
        (core module $m
            (import "h" "block" (func $block (param i32)))
            (import "h" "subscribe" (func $subscribe (param i64) (result i32)))
            (func (export "run") (call $block (call $subscribe (i64.const 3600000000000)))))
        (core instance $i (instantiate $m (with "h" (instance
            (export "block" (func $block))
            (export "subscribe" (func $subscribe))))))
        (func (export "run") (canon lift (core func $i "run"))))"#;
    let tool = try_load(&host, wat::parse_str(text).unwrap())
        .await
        .unwrap();
    let begun = Instant::now();
    check(&failure(tool.call("run", "").await), "call_ms", 200);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn memory_grows_up_to_the_limit_and_no_further() {
    let host = host(|limits| limits.memory_bytes = 4 << 20);
    // Grows page by page until it is refused, then answers how many pages there are.
    let grow = component(
        r#"(func (export "run") (result i32)
            (loop $more (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
            (memory.size))"#,
        r#"(func (export "run") (result u32) (canon lift (core func $i "run")))"#,
    );
    let tool = try_load(&host, grow).await.unwrap();
    assert_eq!(reply(tool.call("run", "").await).text(), "64");
}

#[tokio::test]
async fn a_guest_that_aborts_for_want_of_memory_is_told_the_limit() {
    let host = host(|limits| limits.memory_bytes = 1 << 20);
    let body = "(if (i32.eq (memory.grow (i32.const 1000)) (i32.const -1)) (then (unreachable)))";
    let tool = try_load(&host, run(body)).await.unwrap();
    check(
        &failure(tool.call("run", "").await),
        "memory_bytes",
        1 << 20,
    );
}

#[tokio::test]
async fn a_memory_that_is_too_big_from_the_start_is_refused() {
    let host = host(|limits| limits.memory_bytes = 1 << 20);
    let big = wat::parse_str(
        r#"(component
            (core module $m (memory 17) (func (export "run")))
            (core instance $i (instantiate $m))
            (func (export "run") (canon lift (core func $i "run"))))"#,
    );
    match try_load(&host, big.unwrap()).await {
        Ok(tool) => check(
            &failure(tool.call("run", "").await),
            "memory_bytes",
            1 << 20,
        ),
        Err(error) => assert!(error.to_string().contains("memory"), "{error}"),
    }
}

#[tokio::test]
async fn memories_count_together() {
    let host = host(|limits| limits.memory_bytes = 2 << 20);
    let two = wat::parse_str(
        r#"(component
            (core module $m (memory 17) (func (export "run")))
            (core instance $i (instantiate $m))
            (core instance $j (instantiate $m))
            (func (export "run") (canon lift (core func $i "run"))))"#,
    );
    let tool = try_load(&host, two.unwrap()).await.unwrap();
    check(
        &failure(tool.call("run", "").await),
        "memory_bytes",
        2 << 20,
    );
}

#[tokio::test]
async fn recursion_ends_in_a_trap() {
    let tool = load(run("(call $run)")).await;
    let trapped = failure(tool.call("run", "").await);
    assert_eq!(trapped.kind, FailureKind::Trapped);
    assert_eq!(trapped.message, "the tool's call stack is exhausted");
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

#[tokio::test]
async fn one_string_many_times_over_is_not_copied_to_the_host() {
    let host = host(|limits| limits.transfer_bytes = 1 << 20);
    // A list of a thousand strings that are all the same 30 KB.
    let aliases = component(
        r#"(func (export "run") (result i32) (local $n i32)
            (loop $more
                (i32.store (i32.add (i32.const 1024) (i32.mul (local.get $n) (i32.const 8))) (i32.const 32768))
                (i32.store (i32.add (i32.const 1028) (i32.mul (local.get $n) (i32.const 8))) (i32.const 30000))
                (local.set $n (i32.add (local.get $n) (i32.const 1)))
                (br_if $more (i32.lt_u (local.get $n) (i32.const 1000))))
            (i32.store (i32.const 16) (i32.const 1024))
            (i32.store (i32.const 20) (i32.const 1000))
            (i32.const 16))"#,
        &format!(
            r#"(func (export "run") (result (list string)) (canon lift (core func $i "run") {LIFT}))"#
        ),
    );
    let tool = try_load(&host, aliases).await.unwrap();
    check(
        &failure(tool.call("run", "").await),
        "transfer_bytes",
        1 << 20,
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_a_call_stops_the_guest() {
    let mut config = HostConfig::new();
    config.calls_in_flight_max = 1;
    let host = Host::new(config).unwrap();
    let spin = try_load(&host, run("(loop (br 0))")).await.unwrap();
    let quick = try_load(&host, run("")).await.unwrap();
    let call = tokio::spawn(async move { spin.call("run", "").await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    call.abort();
    // The only place is free again only when the guest is gone.
    let begun = Instant::now();
    reply(quick.call("run", "").await);
    assert!(begun.elapsed() < Duration::from_millis(500));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_queue_says_that_the_host_is_busy() {
    let mut config = HostConfig::new();
    (config.calls_in_flight_max, config.calls_waiting_max) = (1, 0);
    let host = Host::new(config).unwrap();
    let spin = try_load(&host, run("(loop (br 0))")).await.unwrap();
    let other = spin.clone();
    let call = tokio::spawn(async move { other.call("run", "").await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let refused = failure(spin.call("run", "").await);
    assert_eq!(refused.kind, FailureKind::Unavailable);
    assert!(refused.retryable);
    call.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spinning_guests_leave_room_for_others() {
    let host = host(|limits| limits.cpu_ms = 500);
    let spin = try_load(&host, run("(loop (br 0))")).await.unwrap();
    let quick = try_load(&host, run("")).await.unwrap();
    let spinners: Vec<_> = (0..8)
        .map(|_| {
            let spin = spin.clone();
            tokio::spawn(async move { spin.call("run", "").await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(30)).await;
    let begun = Instant::now();
    reply(quick.call("run", "").await);
    assert!(begun.elapsed() < Duration::from_secs(2));
    for spinner in spinners {
        check(&failure(spinner.await.unwrap()), "cpu_ms", 500);
    }
}
