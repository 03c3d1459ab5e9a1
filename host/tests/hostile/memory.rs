//! Attacks on memory: guests that ask for more memory or tables than the limits allow.

use tool_hub_host::HostError;

use crate::case::cases;
use crate::fixture::{Bounds, Fixture, stopped_at};
use crate::guest::{self, bare, plain, running};
use crate::support::reply;

cases! {
    "05" memory_grow_loop => "-1 at `memory_bytes`; the host takes no more than that";
    "05" growth_in_many_memories => "one budget for all memories, stopped at `memory_bytes`";
    "05" abort_for_want_of_memory => "stopped at `memory_bytes` rather than \"unreachable\"";
    "06" four_gibibytes_from_the_start => "not loaded, limit `memory_bytes`, nothing allocated";
    "07" table_of_ten_million => "not loaded, limit `table_elements`";
    "07" table_grow_loop => "-1 at `table_elements`, for all tables together";
    "07" too_many_tables => "not loaded, limit `tables`";
    "08" instances_with_memories => "900 are not loaded, limit `instances`; 8 are not, limit `memories`";
}

/// Grows until it is refused, writes to every page, and answers how many there are.
const GROW: &str = r#"(func (export "run") (result i32) (local $at i32)
    (loop $more
        (local.set $at (i32.mul (memory.size) (i32.const 65536)))
        (if (i32.ne (memory.grow (i32.const 1)) (i32.const -1)) (then
            (memory.fill (local.get $at) (i32.const 7) (i32.const 65536))
            (br $more))))
    (memory.size))"#;

async fn memory_grow_loop(fixture: &mut Fixture) {
    let grow = fixture.load(plain(GROW, guest::RUN_NUMBER)).await;
    let outcome = fixture.call(&grow, "", Bounds::tight().and_mib(256)).await;
    assert_eq!(reply(outcome).text(), "4096");
    fixture.limit(|limits| limits.memory_bytes = 8 << 20).await;
    let grow = fixture.load(plain(GROW, guest::RUN_NUMBER)).await;
    let outcome = fixture.call(&grow, "", Bounds::tight().and_mib(8)).await;
    assert_eq!(reply(outcome).text(), "128");
}

async fn growth_in_many_memories(fixture: &mut Fixture) {
    fixture.limit(|limits| limits.memory_bytes = 64 << 20).await;
    let body = |name: &str| {
        format!(
            r#"(core module ${name}
                (memory 1)
                (func (export "run")
                    (if (i32.eq (memory.grow (i32.const 600)) (i32.const -1)) (then (unreachable)))
                    (memory.fill (i32.const 0) (i32.const 7) (i32.const 39000000))))
            (core instance ${name}i (instantiate ${name}))"#
        )
    };
    let both = bare(&format!(
        r#"{} {}
        (core module $m
            (import "a" "run" (func $a)) (import "b" "run" (func $b))
            (func (export "run") (call $a) (call $b)))
        (core instance $i (instantiate $m
            (with "a" (instance $ai)) (with "b" (instance $bi))))
        (func (export "run") (canon lift (core func $i "run")))"#,
        body("a"),
        body("b")
    ));
    let outcome = fixture.attack(both, Bounds::tight().and_mib(64)).await;
    stopped_at(outcome, "memory_bytes", 64 << 20);
}

async fn abort_for_want_of_memory(fixture: &mut Fixture) {
    let abort = "(if (i32.eq (memory.grow (i32.const 60000)) (i32.const -1)) (then (unreachable)))";
    let outcome = fixture.attack(running(abort), Bounds::tight()).await;
    stopped_at(outcome, "memory_bytes", 256 << 20);
}

async fn four_gibibytes_from_the_start(fixture: &mut Fixture) {
    let error = fixture
        .refused(module("(memory 65536)"), Bounds::tight())
        .await;
    too_much(&error, "memory_bytes", 256 << 20);
}

async fn table_of_ten_million(fixture: &mut Fixture) {
    let table = module("(table 10000000 funcref)");
    let error = fixture.refused(table, Bounds::tight()).await;
    too_much(&error, "table_elements", 20_000);
}

async fn table_grow_loop(fixture: &mut Fixture) {
    let grow = plain(
        r#"(table $a 0 funcref) (table $b 0 funcref)
        (func (export "run") (result i32)
            (loop $more (br_if $more
                (i32.ne (table.grow $a (ref.null func) (i32.const 100)) (i32.const -1))))
            (loop $more (br_if $more
                (i32.ne (table.grow $b (ref.null func) (i32.const 100)) (i32.const -1))))
            (i32.add (table.size $a) (table.size $b)))"#,
        guest::RUN_NUMBER,
    );
    let outcome = fixture.attack(grow, Bounds::tight()).await;
    assert_eq!(reply(outcome).text(), "20000");
}

async fn too_many_tables(fixture: &mut Fixture) {
    let error = fixture
        .refused(module(&"(table 1 funcref)".repeat(17)), Bounds::tight())
        .await;
    too_much(&error, "tables", 16);
}

async fn instances_with_memories(fixture: &mut Fixture) {
    let error = fixture.refused(instances(900), Bounds::tight()).await;
    too_much(&error, "instances", 64);
    let error = fixture.refused(instances(8), Bounds::tight()).await;
    too_much(&error, "memories", 4);
}

/// A component with `count` instances of a module that has a memory.
fn instances(count: usize) -> Vec<u8> {
    let instances: String = (0..count)
        .map(|number| format!("(core instance $i{number} (instantiate $m))"))
        .collect();
    bare(&format!(
        r#"(core module $m (memory 1) (func (export "run"))) {instances}
        (func (export "run") (canon lift (core func $i0 "run")))"#
    ))
}

/// A component with a module that has `what`.
fn module(what: &str) -> Vec<u8> {
    bare(&format!(
        r#"(core module $m {what} (func (export "run")))
        (core instance $i (instantiate $m)) {}"#,
        guest::RUN
    ))
}

#[track_caller]
fn too_much(error: &HostError, expected: &str, max: u64) {
    match error {
        HostError::NeedsTooMuch { limit, value, .. } => {
            assert_eq!((*limit, *value), (expected, max))
        }
        other => panic!("{other:?}"),
    }
    let text = format!("needs more than a call may have (limit {expected} = {max})");
    assert!(error.to_string().contains(&text), "{error}");
}
