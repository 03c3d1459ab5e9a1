//! Attacks on processor time: guests that loop, recurse, fill memory or sleep without end.

use std::time::Duration;

use crate::case::cases;
use crate::fixture::{Bounds, Fixture, stopped_at, trapped};
use crate::guest::{self, plain, running};
use crate::support::reply;

cases! {
    "01" endless_loop => "stopped at `cpu_ms`, or at `call_ms` where that is less";
    "01" loop_between_naps => "stopped at `cpu_ms`: short turns add up";
    "02" loop_in_start => "stopped at `cpu_ms`";
    "03" loop_in_realloc => "stopped at `cpu_ms`";
    "03" loop_in_post_return => "stopped at `cpu_ms`";
    "04" infinite_recursion => "a trap that says that the call stack is exhausted";
    "09" memory_fill_without_end => "stopped at `cpu_ms` between two fills";
    "11" sleep_of_an_hour => "stopped at `call_ms`; dropped, its place is free at once";
}

const SPIN: &str = "(loop (br 0))";

async fn endless_loop(fixture: &mut Fixture) {
    fixture.limit(|limits| limits.cpu_ms = 100).await;
    let outcome = fixture.attack(running(SPIN), Bounds::tight()).await;
    stopped_at(outcome, "cpu_ms", 100);
    fixture.limit(|limits| limits.call_ms = 200).await;
    let outcome = fixture.attack(running(SPIN), Bounds::tight()).await;
    stopped_at(outcome, "call_ms", 200);
}

async fn loop_between_naps(fixture: &mut Fixture) {
    fixture.limit(|limits| limits.cpu_ms = 100).await;
    let napping = guest::importing(
        guest::CLOCK,
        &[
            ("block", r#"$poll "[method]pollable.block""#),
            ("subscribe", r#"$clock "subscribe-duration""#),
        ],
        r#"(import "h" "block" (func $block (param i32)))
        (import "h" "subscribe" (func $subscribe (param i64) (result i32)))
        (func (export "run") (local $left i32)
            (loop $more
                (local.set $left (i32.const 3000000))
                (loop $spin
                    (local.set $left (i32.sub (local.get $left) (i32.const 1)))
                    (br_if $spin (local.get $left)))
                (call $block (call $subscribe (i64.const 1000000)))
                (br $more)))"#,
        guest::RUN,
    );
    let outcome = fixture.attack(napping, Bounds::tight()).await;
    stopped_at(outcome, "cpu_ms", 100);
}

async fn loop_in_start(fixture: &mut Fixture) {
    fixture.limit(|limits| limits.cpu_ms = 100).await;
    let core = format!(r#"(func $spin {SPIN}) (start $spin) (func (export "run"))"#);
    let outcome = fixture
        .attack(plain(&core, guest::RUN), Bounds::tight())
        .await;
    stopped_at(outcome, "cpu_ms", 100);
}

async fn loop_in_realloc(fixture: &mut Fixture) {
    fixture.limit(|limits| limits.cpu_ms = 100).await;
    let tool = fixture
        .load(guest::bare(&format!(
            r#"(core module $m
                (memory (export "memory") 1)
                (func (export "realloc") (param i32 i32 i32 i32) (result i32)
                    {SPIN} (unreachable))
                (func (export "run") (param i32 i32)))
            (core instance $i (instantiate $m))
            (alias core export $i "memory" (core memory $memory))
            (alias core export $i "realloc" (core func $realloc))
            (func (export "run") (param "s" string)
                (canon lift (core func $i "run") (memory $memory) (realloc $realloc)))"#
        )))
        .await;
    let outcome = fixture.call(&tool, r#"{"s":"x"}"#, Bounds::tight()).await;
    stopped_at(outcome, "cpu_ms", 100);
}

async fn loop_in_post_return(fixture: &mut Fixture) {
    fixture.limit(|limits| limits.cpu_ms = 100).await;
    let spin = plain(
        &format!(
            r#"(func (export "run") (result i32) (i32.const 7))
            (func (export "after") (param i32) {SPIN})"#
        ),
        r#"(func (export "run") (result u32)
            (canon lift (core func $i "run") (post-return (core func $i "after"))))"#,
    );
    let outcome = fixture.attack(spin, Bounds::tight()).await;
    stopped_at(outcome, "cpu_ms", 100);
}

async fn infinite_recursion(fixture: &mut Fixture) {
    let outcome = fixture
        .attack(running("(call $run)"), Bounds::tight())
        .await;
    trapped(outcome, "the tool's call stack is exhausted");
}

async fn memory_fill_without_end(fixture: &mut Fixture) {
    fixture.limit(|limits| limits.cpu_ms = 200).await;
    let fill = guest::bare(
        r#"(core module $m
            (memory 1024)
            (func (export "run")
                (loop $again
                    (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x4000000))
                    (br $again))))
        (core instance $i (instantiate $m))
        (func (export "run") (canon lift (core func $i "run")))"#,
    );
    let outcome = fixture.attack(fill, Bounds::tight().and_mib(64)).await;
    stopped_at(outcome, "cpu_ms", 200);
}

async fn sleep_of_an_hour(fixture: &mut Fixture) {
    let mut config = tool_hub_host::HostConfig::new();
    config.limits.call_ms = 300;
    (config.calls_in_flight_max, config.calls_waiting_max) = (1, 0);
    fixture.configure(config).await;
    let sleeper = fixture.load(guest::sleeper()).await;
    let outcome = fixture.call(&sleeper, "", Bounds::tight()).await;
    stopped_at(outcome, "call_ms", 300);
    let quick = fixture.load(running("")).await;
    let dropped = tokio::time::timeout(Duration::from_millis(50), sleeper.call("run", ""));
    assert!(dropped.await.is_err(), "an hour was over");
    reply(quick.call("run", "").await);
}
