//! Attacks that have the host hold resources: handles, pollables, random bytes, HTTP headers.

use crate::case::cases;
use crate::fixture::{Bounds, Fixture, stopped_at};
use crate::guest::{self, importing};
use crate::support::reply;

cases! {
    "10" pollable_flood => "stopped at `handles`";
    "10" one_pollable_a_million_times => "stopped at `handles`: what is lent counts";
    "10" resource_flood => "stopped at `handles`";
    "15" two_gigabytes_of_randomness => "stopped at `random_bytes`, from either source";
    "15" randomness_in_small_pieces => "given, and nothing of it kept";
    "16" a_million_headers => "stopped at `http_header_bytes`";
}

async fn pollable_flood(fixture: &mut Fixture) {
    let flood = importing(
        guest::CLOCK,
        &[("subscribe", r#"$clock "subscribe-duration""#)],
        r#"(import "h" "subscribe" (func $subscribe (param i64) (result i32)))
        (func (export "run")
            (loop $more (drop (call $subscribe (i64.const 3600000000000))) (br $more)))"#,
        guest::RUN,
    );
    let outcome = fixture.attack(flood, Bounds::tight()).await;
    stopped_at(outcome, "handles", 10_000);
}

async fn one_pollable_a_million_times(fixture: &mut Fixture) {
    let lender = importing(
        guest::CLOCK,
        &[
            ("subscribe", r#"$clock "subscribe-duration""#),
            ("poll", r#"$poll "poll""#),
        ],
        r#"(import "h" "subscribe" (func $subscribe (param i64) (result i32)))
        (import "h" "poll" (func $poll (param i32 i32 i32)))
        (func (export "run") (local $nap i32) (local $at i32)
            (drop (memory.grow (i32.const 100)))
            (local.set $nap (call $subscribe (i64.const 1)))
            (local.set $at (i32.const 65536))
            (loop $more
                (i32.store (local.get $at) (local.get $nap))
                (local.set $at (i32.add (local.get $at) (i32.const 4)))
                (br_if $more (i32.lt_u (local.get $at) (i32.const 4065536))))
            (call $poll (i32.const 65536) (i32.const 1000000) (i32.const 16)))"#,
        guest::RUN,
    );
    let outcome = fixture.attack(lender, Bounds::tight().and_mib(16)).await;
    stopped_at(outcome, "handles", 10_000);
}

async fn resource_flood(fixture: &mut Fixture) {
    let flood = guest::bare(
        r#"(type $r (resource (rep i32)))
        (core func $new (canon resource.new $r))
        (core module $m
            (import "h" "new" (func $new (param i32) (result i32)))
            (func (export "run") (loop $more (drop (call $new (i32.const 1))) (br $more))))
        (core instance $i (instantiate $m (with "h" (instance (export "new" (func $new))))))
        (func (export "run") (canon lift (core func $i "run")))"#,
    );
    let outcome = fixture.attack(flood, Bounds::tight()).await;
    stopped_at(outcome, "handles", 10_000);
}

const RANDOM: &str = r#"
    (import "wasi:random/random@0.2.0" (instance $random
        (export "get-random-bytes" (func (param "len" u64) (result (list u8))))))
    (import "wasi:random/insecure@0.2.0" (instance $insecure
        (export "get-insecure-random-bytes" (func (param "len" u64) (result (list u8))))))"#;

/// A guest that asks a source for `bytes`, `times` times over, and frees it each time.
fn random(source: &str, bytes: u64, times: u32) -> Vec<u8> {
    importing(
        RANDOM,
        &[("random", source)],
        &format!(
            r#"(import "h" "random" (func $random (param i64 i32)))
            (func (export "run") (local $left i32)
                (local.set $left (i32.const {times}))
                (loop $more
                    (call $random (i64.const {bytes}) (i32.const 16))
                    (local.set $left (i32.sub (local.get $left) (i32.const 1)))
                    (br_if $more (local.get $left))))"#
        ),
        guest::RUN,
    )
}

async fn two_gigabytes_of_randomness(fixture: &mut Fixture) {
    for source in [
        r#"$random "get-random-bytes""#,
        r#"$insecure "get-insecure-random-bytes""#,
    ] {
        let greedy = random(source, 2_000_000_000, 1);
        let outcome = fixture.attack(greedy, Bounds::tight()).await;
        stopped_at(outcome, "random_bytes", 1 << 20);
    }
}

async fn randomness_in_small_pieces(fixture: &mut Fixture) {
    let modest = random(r#"$random "get-random-bytes""#, 1 << 20, 100);
    let bounds = Bounds::tight().and_mib(101);
    reply(fixture.attack(modest, bounds).await);
}

async fn a_million_headers(fixture: &mut Fixture) {
    let headers = importing(
        r#"(import "wasi:http/types@0.2.0" (instance $http
            (export "fields" (type $fields (sub resource)))
            (type $error' (variant (case "invalid-syntax") (case "forbidden") (case "immutable")))
            (export "header-error" (type $error (eq $error')))
            (export "[constructor]fields" (func (result (own $fields))))
            (export "[method]fields.append" (func
                (param "self" (borrow $fields)) (param "name" string) (param "value" (list u8))
                (result (result (error $error)))))))"#,
        &[
            ("fields", r#"$http "[constructor]fields""#),
            ("append", r#"$http "[method]fields.append""#),
        ],
        r#"(import "h" "fields" (func $fields (result i32)))
        (import "h" "append" (func $append (param i32 i32 i32 i32 i32 i32)))
        (data (i32.const 64) "x-canary-0123456789-0123456789")
        (func (export "run") (local $left i32) (local $to i32)
            (local.set $to (call $fields))
            (local.set $left (i32.const 1000000))
            (loop $more
                (call $append (local.get $to)
                    (i32.const 64) (i32.const 30) (i32.const 64) (i32.const 30) (i32.const 16))
                (local.set $left (i32.sub (local.get $left) (i32.const 1)))
                (br_if $more (local.get $left))))"#,
        guest::RUN,
    );
    let outcome = fixture.attack(headers, Bounds::tight()).await;
    stopped_at(outcome, "http_header_bytes", 128 << 10);
}
