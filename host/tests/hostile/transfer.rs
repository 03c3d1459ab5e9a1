//! Attacks by large data: strings, lists, output and results that are too long for the host.

use crate::canaries::GUEST_OUTPUT;
use crate::case::cases;
use crate::fixture::{Bounds, Fixture, stopped_at, trapped};
use crate::guest::{self, importing, plain};
use crate::support::reply;

cases! {
    "12" long_string_to_the_host => "stopped at `transfer_bytes` before it is copied";
    "12" long_list_to_the_host => "stopped at `transfer_bytes` before it is copied";
    "13" one_string_a_million_times => "stopped at `transfer_bytes`";
    "13" result_that_is_too_long => "stopped at `outcome_bytes`";
    "13" result_that_swells => "stopped at `outcome_bytes`; its JSON is not written to the end";
    "13" failure_that_is_too_long => "stopped at `outcome_bytes`";
    "14" zeroes_without_number => "a trap, and none of them is made";
    "14" a_gibibyte_of_output => "1 MiB of it is kept, the rest is counted and dropped";
}

/// Grows the memory by 128 MiB and a page.
const GROW: &str = "(drop (memory.grow (i32.const 2049)))";
const LONG: &str = "(i32.const 65536) (i32.const 0x8000000)";

async fn long_string_to_the_host(fixture: &mut Fixture) {
    let text = importing(
        guest::INTERACTION,
        &[("report", r#"$interaction "report-progress""#)],
        &format!(
            r#"(import "h" "report" (func $report (param f64 i32 f64 i32 i32 i32)))
            (func (export "run") {GROW}
                (call $report (f64.const 1) (i32.const 0) (f64.const 0) (i32.const 1) {LONG}))"#
        ),
        guest::RUN,
    );
    let outcome = fixture.attack(text, Bounds::tight()).await;
    stopped_at(outcome, "transfer_bytes", 120 << 20);
}

/// Writes `write`, a pointer and a length, to standard output.
fn writer(before: &str, write: &str) -> Vec<u8> {
    importing(
        guest::OUTPUT,
        &[
            ("stdout", r#"$stdout "get-stdout""#),
            ("stderr", r#"$stderr "get-stderr""#),
            ("write", r#"$streams "[method]output-stream.write""#),
            ("zeroes", r#"$streams "[method]output-stream.write-zeroes""#),
        ],
        &format!(
            r#"(import "h" "stdout" (func $stdout (result i32)))
            (import "h" "stderr" (func $stderr (result i32)))
            (import "h" "write" (func $write (param i32 i32 i32 i32)))
            (import "h" "zeroes" (func $zeroes (param i32 i64 i32)))
            (data (i32.const 64) "{GUEST_OUTPUT}")
            (func (export "run") (local $out i32) (local $left i32)
                (local.set $out (call $stdout))
                {before}
                {write})"#
        ),
        guest::RUN,
    )
}

async fn long_list_to_the_host(fixture: &mut Fixture) {
    let write = format!("(call $write (local.get $out) {LONG} (i32.const 16))");
    let outcome = fixture.attack(writer(GROW, &write), Bounds::tight()).await;
    stopped_at(outcome, "transfer_bytes", 120 << 20);
}

async fn zeroes_without_number(fixture: &mut Fixture) {
    for length in ["0x7fffffffffffffff", "0x10000000000", "0x40000000"] {
        let write = format!("(call $zeroes (local.get $out) (i64.const {length}) (i32.const 16))");
        let outcome = fixture.attack(writer("", &write), Bounds::tight()).await;
        trapped(outcome, "cannot write more zeroes");
    }
}

async fn a_gibibyte_of_output(fixture: &mut Fixture) {
    const PIECES: u64 = 16 << 10;
    let write = format!(
        "(local.set $left (i32.const {PIECES}))
        (loop $more
            (call $write (local.get $out) (i32.const 64) (i32.const 65472) (i32.const 16))
            (local.set $left (i32.sub (local.get $left) (i32.const 1)))
            (br_if $more (local.get $left)))"
    );
    // Without optimisation it takes longer than a call may.
    fixture
        .limit(|limits| (limits.call_ms, limits.cpu_ms) = (60_000, 60_000))
        .await;
    let bounds = Bounds::tight().and_seconds(55);
    reply(fixture.attack(writer("", &write), bounds).await);
    let (kept, dropped) = fixture.heard();
    assert!(kept.starts_with(GUEST_OUTPUT));
    assert_eq!(kept.len(), 1 << 20);
    assert_eq!(dropped, PIECES * 65_472 - (1 << 20));
}

/// A guest that answers `count` times the same `length` bytes.
fn aliases(count: u32, length: u32) -> Vec<u8> {
    plain(
        &format!(
            r#"(func (export "run") (result i32) (local $n i32) (local $at i32)
                (drop (memory.grow (i32.const 200)))
                (loop $more
                    (local.set $at (i32.add (i32.const 65536) (i32.mul (local.get $n) (i32.const 8))))
                    (i32.store (local.get $at) (i32.const 4096))
                    (i32.store offset=4 (local.get $at) (i32.const {length}))
                    (local.set $n (i32.add (local.get $n) (i32.const 1)))
                    (br_if $more (i32.lt_u (local.get $n) (i32.const {count}))))
                (i32.store (i32.const 16) (i32.const 65536))
                (i32.store (i32.const 20) (i32.const {count}))
                (i32.const 16))"#
        ),
        r#"(func (export "run") (result (list string))
            (canon lift (core func $i "run") (memory $memory)))"#,
    )
}

async fn one_string_a_million_times(fixture: &mut Fixture) {
    let bounds = Bounds::tight().and_mib(8 + 120);
    let outcome = fixture.attack(aliases(1_000_000, 1_000), bounds).await;
    stopped_at(outcome, "transfer_bytes", 120 << 20);
}

async fn result_that_is_too_long(fixture: &mut Fixture) {
    let bounds = Bounds::tight().and_mib(8 + 120);
    let outcome = fixture.attack(aliases(1_000, 60_000), bounds).await;
    stopped_at(outcome, "outcome_bytes", 16 << 20);
}

/// A guest with a result that is six times as long as JSON.
async fn result_that_swells(fixture: &mut Fixture) {
    let controls = plain(
        r#"(func (export "run") (result i32)
            (drop (memory.grow (i32.const 1024)))
            (memory.fill (i32.const 65536) (i32.const 1) (i32.const 0x3f00000))
            (i32.store (i32.const 16) (i32.const 65536))
            (i32.store (i32.const 20) (i32.const 0x3f00000))
            (i32.const 16))"#,
        r#"(func (export "run") (result string)
            (canon lift (core func $i "run") (memory $memory)))"#,
    );
    let bounds = Bounds::tight().and_mib(64 + 63);
    stopped_at(
        fixture.attack(controls, bounds).await,
        "outcome_bytes",
        16 << 20,
    );
}

async fn failure_that_is_too_long(fixture: &mut Fixture) {
    let failing = plain(
        r#"(func (export "run") (result i32)
            (drop (memory.grow (i32.const 512)))
            (memory.fill (i32.const 65536) (i32.const 0x78) (i32.const 0x1f00000))
            (i32.store (i32.const 16) (i32.const 1))
            (i32.store (i32.const 20) (i32.const 65536))
            (i32.store (i32.const 24) (i32.const 0x1f00000))
            (i32.const 16))"#,
        r#"(func (export "run") (result (result (error string)))
            (canon lift (core func $i "run") (memory $memory)))"#,
    );
    // The message is copied out of the result.
    let bounds = Bounds::tight().and_mib(32 + 2 * 31);
    stopped_at(
        fixture.attack(failing, bounds).await,
        "outcome_bytes",
        16 << 20,
    );
}
