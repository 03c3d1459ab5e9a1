//! Attacks with what WASI 0.3 adds: tasks, waitable sets, streams and futures without end.

use std::time::Duration;

use tool_hub_host::HostConfig;

use crate::case::cases;
use crate::fixture::{Bounds, Fixture, stopped_at, trapped};
use crate::guest;
use crate::support::{MEMORY, reply, tasks};

cases! {
    "73" task_flood => "stopped at `handles`, though each has returned";
    "73" tasks_that_may_not_start => "stopped at `handles`";
    "74" waitable_flood => "stopped at `handles`: sets, streams and futures";
    "75" timer_flood => "stopped at `handles`";
    "76" subtask_that_never_ends => "stopped at `call_ms`, or at once where nothing could end it";
    "77" yields_without_end => "stopped at `cpu_ms`, with a stack and without";
    "78" task_that_goes_on => "ended when its turn is over and it has returned, or at `cpu_ms`";
    "79" a_gibibyte_through_a_stream => "1 MiB of it is kept, the rest is counted and dropped";
    "80" a_stack_for_each_instance => "no more stacks than instances, gone at `call_ms`";
    "81" recursion_in_a_callback => "a trap that says that the call stack is exhausted";
}

const CLOCK: &str = r#"(import "wasi:clocks/monotonic-clock@0.3.0" (instance $clock
    (export "wait-for" (func async (param "how-long" u64)))))"#;
const HOUR: &str = "(i64.const 3600000000000)";

/// `run`, which is async, with the stack of a function.
const RUN: &str = r#"(func (export "run") async (canon lift (core func $i "run")))"#;
/// `run`, which is async, by a callback.
const RUN_BY_CALLBACK: &str = r#"(func (export "run") async
    (canon lift (core func $i "run") async (callback (core func $i "go-on"))))"#;

/// A component with two others in it: `run` of the one has `body` and may call `$task`, an async
/// function of the other that has the core functions `f` and `go-on`. It may call `hold` first.
fn caller(f: &str, go_on: &str, body: &str) -> Vec<u8> {
    guest::bare(&format!(
        r#"(component $callee
            (core module $m
                (import "h" "return" (func $return))
                (import "h" "hold" (func $hold))
                (func (export "hold") (call $hold))
                (func (export "f") (result i32) {f})
                (func (export "go-on") (param i32 i32 i32) (result i32) {go_on}))
            (core func $return (canon task.return))
            (core func $hold (canon backpressure.inc))
            (core instance $i (instantiate $m (with "h" (instance
                (export "return" (func $return)) (export "hold" (func $hold))))))
            (func (export "hold") (canon lift (core func $i "hold")))
            (func (export "f") async
                (canon lift (core func $i "f") async (callback (core func $i "go-on")))))
        (component $caller
            (import "hold" (func $hold))
            (import "f" (func $f async))
            (core func $f (canon lower (func $f) async))
            (core func $hold (canon lower (func $hold)))
            (core module $m
                (import "h" "f" (func $task (result i32)))
                (import "h" "hold" (func $hold))
                (func (export "run") {body}))
            (core instance $i (instantiate $m (with "h" (instance
                (export "f" (func $f)) (export "hold" (func $hold))))))
            {RUN})
        (instance $callee (instantiate $callee))
        (instance $caller (instantiate $caller
            (with "hold" (func $callee "hold")) (with "f" (func $callee "f"))))
        (export "run" (func $caller "run"))"#
    ))
}

async fn task_flood(fixture: &mut Fixture) {
    let flood = caller(
        "(call $return) (i32.const 1)",
        "(i32.const 1)",
        "(loop $more (drop (call $task)) (br $more))",
    );
    let outcome = fixture.attack(flood, Bounds::tight()).await;
    stopped_at(outcome, "handles", 10_000);
}

async fn tasks_that_may_not_start(fixture: &mut Fixture) {
    let flood = caller(
        "unreachable",
        "unreachable",
        "(call $hold) (loop $more (drop (call $task)) (br $more))",
    );
    let outcome = fixture.attack(flood, Bounds::tight()).await;
    stopped_at(outcome, "handles", 10_000);
}

async fn waitable_flood(fixture: &mut Fixture) {
    let types = "(type $s (stream u8)) (type $f (future u8))";
    for (made, result) in [
        ("(canon waitable-set.new)", "i32"),
        ("(canon stream.new $s)", "i64"),
        ("(canon future.new $f)", "i64"),
    ] {
        let core = format!(
            r#"(import "h" "new" (func $new (result {result})))
            (func (export "run") (loop $more (drop (call $new)) (br $more)))"#
        );
        let flood = tasks(types, &[("new", made)], &core, guest::RUN);
        let outcome = fixture.attack(flood, Bounds::tight()).await;
        stopped_at(outcome, "handles", 10_000);
    }
}

async fn timer_flood(fixture: &mut Fixture) {
    let core = format!(
        r#"(import "h" "wait" (func $wait (param i64) (result i32)))
        (func (export "run") (loop $more (drop (call $wait {HOUR})) (br $more)))"#
    );
    let wait = r#"(canon lower (func $clock "wait-for") async)"#;
    let flood = tasks(CLOCK, &[("wait", wait)], &core, RUN);
    let outcome = fixture.attack(flood, Bounds::tight()).await;
    stopped_at(outcome, "handles", 10_000);
}

async fn subtask_that_never_ends(fixture: &mut Fixture) {
    fixture.limit(|limits| limits.call_ms = 300).await;
    let core = format!(
        r#"(import "h" "wait" (func $wait (param i64)))
        (func (export "run") (call $wait {HOUR}))"#
    );
    let wait = r#"(canon lower (func $clock "wait-for"))"#;
    let outcome = fixture
        .attack(tasks(CLOCK, &[("wait", wait)], &core, RUN), Bounds::tight())
        .await;
    stopped_at(outcome, "call_ms", 300);
    let nothing = tasks(
        "",
        &[("set", "(canon waitable-set.new)")],
        r#"(import "h" "set" (func $set (result i32)))
        (func (export "run") (result i32)
            (i32.or (i32.const 2) (i32.shl (call $set) (i32.const 4))))
        (func (export "go-on") (param i32 i32 i32) (result i32) unreachable)"#,
        RUN_BY_CALLBACK,
    );
    trapped(fixture.attack(nothing, Bounds::tight()).await, "deadlock");
}

async fn yields_without_end(fixture: &mut Fixture) {
    fixture.limit(|limits| limits.cpu_ms = 100).await;
    let by_callback = tasks(
        "",
        &[],
        r#"(func (export "run") (result i32) (i32.const 1))
        (func (export "go-on") (param i32 i32 i32) (result i32) (i32.const 1))"#,
        RUN_BY_CALLBACK,
    );
    let outcome = fixture.attack(by_callback, Bounds::tight()).await;
    stopped_at(outcome, "cpu_ms", 100);
    let with_stack = tasks(
        "",
        &[("yield", "(canon thread.yield)")],
        r#"(import "h" "yield" (func $yield (result i32)))
        (func (export "run") (loop $more (drop (call $yield)) (br $more)))"#,
        RUN,
    );
    let outcome = fixture.attack(with_stack, Bounds::tight()).await;
    stopped_at(outcome, "cpu_ms", 100);
}

async fn task_that_goes_on(fixture: &mut Fixture) {
    let mut config = HostConfig::new();
    (config.calls_in_flight_max, config.calls_waiting_max) = (1, 0);
    fixture.configure(config).await;
    // It yields for ever, or spins in a later turn.
    for go_on in ["(i32.const 1)", "(loop (br 0)) unreachable"] {
        let tool = fixture.load(returning("(i32.const 1)", go_on)).await;
        for _ in 0..3 {
            let mut bounds = Bounds::tight();
            bounds.time = Duration::from_secs(1);
            assert_eq!(reply(fixture.call(&tool, "", bounds).await).text(), "7");
        }
    }
    fixture.limit(|limits| limits.cpu_ms = 100).await;
    let same_turn = returning("(loop (br 0)) unreachable", "unreachable");
    stopped_at(
        fixture.attack(same_turn, Bounds::tight()).await,
        "cpu_ms",
        100,
    );
}

/// A component whose `run` answers 7 and goes on with `after`, and then with `go_on`.
fn returning(after: &str, go_on: &str) -> Vec<u8> {
    tasks(
        "",
        &[("return", "(canon task.return (result u32))")],
        &format!(
            r#"(import "h" "return" (func $return (param i32)))
            (func (export "run") (result i32) (call $return (i32.const 7)) {after})
            (func (export "go-on") (param i32 i32 i32) (result i32) {go_on})"#
        ),
        r#"(func (export "run") async (result u32)
            (canon lift (core func $i "run") async (callback (core func $i "go-on"))))"#,
    )
}

async fn a_gibibyte_through_a_stream(fixture: &mut Fixture) {
    let output = tasks(
        r#"(import "wasi:cli/types@0.3.0" (instance $types
            (type $code' (enum "io" "illegal-byte-sequence" "pipe"))
            (export "error-code" (type (eq $code')))))
        (alias export $types "error-code" (type $code))
        (type $bytes (stream u8))
        (import "wasi:cli/stdout@0.3.0" (instance $stdout
            (alias outer 1 $code (type $outer))
            (export "error-code" (type $c (eq $outer)))
            (type $done (future (result (error $c))))
            (type $s (stream u8))
            (export "write-via-stream" (func (param "data" $s) (result $done)))))"#,
        &[
            ("new", "(canon stream.new $bytes)"),
            (
                "write",
                "(canon stream.write $bytes async (memory $memory))",
            ),
            ("out", r#"(canon lower (func $stdout "write-via-stream"))"#),
            ("set", "(canon waitable-set.new)"),
            ("join", "(canon waitable.join)"),
            ("wait", "(canon waitable-set.wait (memory $memory))"),
        ],
        // A thousand and twenty-four writes of one mebibyte, each as far as it goes.
        r#"(import "h" "new" (func $new (result i64)))
        (import "h" "write" (func $write (param i32 i32 i32) (result i32)))
        (import "h" "out" (func $out (param i32) (result i32)))
        (import "h" "set" (func $set (result i32)))
        (import "h" "join" (func $join (param i32 i32)))
        (import "h" "wait" (func $wait (param i32 i32) (result i32)))
        (func (export "run") (local $ends i64) (local $end i32) (local $set i32)
            (local $sent i64) (local $done i32)
            (drop (memory.grow (i32.const 17)))
            (local.set $ends (call $new))
            (drop (call $out (i32.wrap_i64 (local.get $ends))))
            (local.set $end (i32.wrap_i64 (i64.shr_u (local.get $ends) (i64.const 32))))
            (local.set $set (call $set))
            (call $join (local.get $end) (local.get $set))
            (loop $more
                (local.set $done
                    (call $write (local.get $end) (i32.const 65536) (i32.const 0x100000)))
                (if (i32.eq (local.get $done) (i32.const -1)) (then
                    (drop (call $wait (local.get $set) (i32.const 16)))
                    (local.set $done (i32.load (i32.const 20)))))
                (local.set $sent (i64.add (local.get $sent)
                    (i64.extend_i32_u (i32.shr_u (local.get $done) (i32.const 4)))))
                (br_if $more (i64.lt_u (local.get $sent) (i64.const 0x40000000)))))"#,
        RUN,
    );
    let outcome = fixture.attack(output, Bounds::tight().and_seconds(5)).await;
    reply(outcome);
    let (text, dropped) = fixture.heard();
    assert_eq!(text.len(), 1 << 20);
    assert!(dropped >= (1 << 30) - (1 << 20), "{dropped}");
}

async fn a_stack_for_each_instance(fixture: &mut Fixture) {
    const INSTANCES: usize = 25;
    fixture.limit(|limits| limits.call_ms = 500).await;
    let each = |text: &dyn Fn(usize) -> String| (0..INSTANCES).map(text).collect::<String>();
    // Each goes deep before it waits, with a stack that nobody else uses.
    let text = format!(
        r#"{CLOCK}
        (component $sleeper
            (import "wait" (func $wait async (param "how-long" u64)))
            (core func $wait (canon lower (func $wait)))
            (core module $m
                (import "h" "wait" (func $wait (param i64)))
                (func (export "f") (call $down (i32.const 5000)))
                (func $down (param $left i32)
                    (if (local.get $left)
                        (then (call $down (i32.sub (local.get $left) (i32.const 1))))
                        (else (call $wait {HOUR})))))
            (core instance $i (instantiate $m (with "h" (instance
                (export "wait" (func $wait))))))
            (func (export "f") async (canon lift (core func $i "f"))))
        (component $caller
            {imports}
            {lowered}
            (core module $m
                {core_imports}
                (func (export "run") {calls}))
            (core instance $i (instantiate $m (with "h" (instance {exports}))))
            {RUN})
        {sleepers}
        (instance $caller (instantiate $caller {given}))
        (export "run" (func $caller "run"))"#,
        imports = each(&|n| format!(r#"(import "f{n}" (func $f{n} async))"#)),
        // It waits for the last one with its own stack.
        lowered = each(&|n| match n + 1 {
            INSTANCES => format!("(core func $f{n} (canon lower (func $f{n})))"),
            _ => format!("(core func $f{n} (canon lower (func $f{n}) async))"),
        }),
        core_imports = each(&|n| match n + 1 {
            INSTANCES => format!(r#"(import "h" "f{n}" (func $f{n}))"#),
            _ => format!(r#"(import "h" "f{n}" (func $f{n} (result i32)))"#),
        }),
        calls = each(&|n| match n + 1 {
            INSTANCES => format!("(call $f{n})"),
            _ => format!("(drop (call $f{n}))"),
        }),
        exports = each(&|n| format!(r#"(export "f{n}" (func $f{n}))"#)),
        sleepers = each(&|n| format!(
            r#"(instance $s{n} (instantiate $sleeper (with "wait" (func $clock "wait-for"))))"#
        )),
        given = each(&|n| format!(r#"(with "f{n}" (func $s{n} "f"))"#)),
    );
    let outcome = fixture
        .attack(guest::bare(&text), Bounds::tight().and_mib(16))
        .await;
    stopped_at(outcome, "call_ms", 500);
}

async fn recursion_in_a_callback(fixture: &mut Fixture) {
    let text = format!(
        r#"(core module $m {MEMORY}
            (func (export "run") (result i32) (i32.const 1))
            (func $go-on (export "go-on") (param i32 i32 i32) (result i32)
                (call $go-on (local.get 0) (local.get 1) (local.get 2))))
        (core instance $i (instantiate $m))
        {RUN_BY_CALLBACK}"#
    );
    let outcome = fixture.attack(guest::bare(&text), Bounds::tight()).await;
    trapped(outcome, "the tool's call stack is exhausted");
}
