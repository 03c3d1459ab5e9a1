//! Streams and futures as results and as arguments: lists and values for whoever calls.

use tool_hub_host::{FailureKind, inspect};

use crate::stream_guest::{DROP, Writer};
use crate::support::{component, failure, load, package, reply, tasks};

/// The reply of a guest that writes `items` of `bytes` so many times.
#[track_caller]
fn check(ty: &str, bytes: &str, items: u32, writes: i32, expect: &str) {
    let guest = Writer {
        ty,
        bytes,
        items,
        writes,
        last: DROP,
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let text = runtime.block_on(async {
        let tool = load(guest.component()).await;
        reply(tool.call("run", "").await).text()
    });
    assert_eq!(text, expect, "{ty}");
}

#[test]
fn a_stream_is_read_to_its_end() {
    check("(stream u8)", "abc", 3, 2, r#""YWJjYWJj""#);
    check("(stream u8)", "", 0, 0, r#""""#);
    check("(stream u16)", "\\01\\00\\02\\01", 2, 1, "[1,258]");
    check(
        "(stream s64)",
        "\\ff\\ff\\ff\\ff\\ff\\ff\\ff\\ff",
        1,
        3,
        "[-1,-1,-1]",
    );
    check("(stream bool)", "\\00\\01", 2, 1, "[false,true]");
    check("(stream f32)", "\\00\\00\\c0\\3f", 1, 1, "[1.5]");
    let text = "\\08\\80\\00\\00\\02\\00\\00\\00hi";
    check("(stream string)", text, 1, 2, r#"["hi","hi"]"#);
    check("(stream (list u8))", text, 1, 2, r#"["aGk=","aGk="]"#);
}

#[test]
fn a_future_is_waited_for() {
    check("(future u32)", "\\07\\00\\00\\00", 1, 1, "7");
    let text = "\\08\\80\\00\\00\\02\\00\\00\\00hi";
    check("(future string)", text, 1, 1, "hi");
    check("(future (list u8))", text, 1, 1, r#""aGk=""#);
}

/// A guest whose `run` answers its argument.
fn echo(ty: &str) -> Vec<u8> {
    component(
        r#"(func (export "run") (param i32) (result i32) (local.get 0))"#,
        &format!(
            r#"(type $t {ty})
            (func (export "run") (param "it" $t) (result $t)
                (canon lift (core func $i "run") (memory $memory) (realloc $realloc)))"#
        ),
    )
}

#[tokio::test]
async fn what_is_given_as_a_stream_may_be_answered_as_one() {
    for (ty, value) in [
        ("(stream u8)", r#""YWJj""#),
        ("(stream string)", r#"["a","","é"]"#),
        ("(stream s16)", "[-1,0,32767]"),
        ("(future f64)", "0.5"),
        ("(future bool)", "true"),
    ] {
        let tool = load(echo(ty)).await;
        let answer = reply(tool.call("run", &format!(r#"{{"it":{value}}}"#)).await);
        assert_eq!(answer.structured.as_deref(), Some(value), "{ty}");
    }
}

#[tokio::test]
async fn streams_are_found_inside_of_other_values() {
    let core = r#"(func (export "run") (param i32 i32) (result i32)
        (i32.store (i32.const 16) (local.get 0))
        (i32.store (i32.const 20) (local.get 1))
        (i32.const 16))"#;
    for (ty, value) in [
        ("(list (stream u8))", r#"["YQ==","","Yg=="]"#),
        ("(option (future u32))", "7"),
        ("(option (future u32))", "null"),
        ("(tuple (stream u32) (future char))", r#"[[1,2],"x"]"#),
    ] {
        let lifted = format!(
            r#"(type $t {ty})
            (func (export "run") (param "it" $t) (result $t)
                (canon lift (core func $i "run") (memory $memory) (realloc $realloc)))"#
        );
        // An option's case is one byte in memory, as in the low byte of its number.
        let tool = load(component(core, &lifted)).await;
        let answer = reply(tool.call("run", &format!(r#"{{"it":{value}}}"#)).await);
        assert_eq!(answer.structured.as_deref(), Some(value), "{ty}");
    }
}

#[tokio::test]
async fn a_guest_reads_the_stream_of_its_argument() {
    let sum = tasks(
        "(type $s (stream u8))",
        &[
            ("read", "(canon stream.read $s async (memory $memory))"),
            ("set", "(canon waitable-set.new)"),
            ("join", "(canon waitable.join)"),
            ("wait", "(canon waitable-set.wait (memory $memory))"),
        ],
        // Reads seven bytes at once, and adds them up.
        r#"(import "h" "read" (func $read (param i32 i32 i32) (result i32)))
        (import "h" "set" (func $set (result i32)))
        (import "h" "join" (func $join (param i32 i32)))
        (import "h" "wait" (func $wait (param i32 i32) (result i32)))
        (func (export "run") (param $s i32) (result i32)
            (local $set i32) (local $got i32) (local $at i32) (local $sum i32)
            (local.set $set (call $set))
            (call $join (local.get $s) (local.get $set))
            (loop $more
                (local.set $got (call $read (local.get $s) (i32.const 64) (i32.const 7)))
                (if (i32.eq (local.get $got) (i32.const -1)) (then
                    (drop (call $wait (local.get $set) (i32.const 16)))
                    (local.set $got (i32.load (i32.const 20)))))
                (local.set $at (i32.shr_u (local.get $got) (i32.const 4)))
                (loop $next (if (local.get $at) (then
                    (local.set $at (i32.sub (local.get $at) (i32.const 1)))
                    (local.set $sum (i32.add (local.get $sum)
                        (i32.load8_u (i32.add (local.get $at) (i32.const 64)))))
                    (br $next))))
                (br_if $more (i32.eqz (i32.and (local.get $got) (i32.const 15)))))
            (local.get $sum))"#,
        r#"(func (export "run") async (param "bytes" $s) (result u32)
            (canon lift (core func $i "run")))"#,
    );
    let tool = load(sum).await;
    // Ten bytes from 1 to 10.
    let answer = reply(tool.call("run", r#"{"bytes":"AQIDBAUGBwgJCg=="}"#).await);
    assert_eq!(answer.text(), "55");
    let wrong = failure(tool.call("run", r#"{"bytes":7}"#).await);
    assert_eq!(wrong.kind, FailureKind::MalformedArgument, "{wrong}");
}

#[test]
fn items_that_cannot_be_read_are_named() {
    for ty in [
        "(stream (tuple u8 u8))",
        "(future)",
        "(stream)",
        "(future (list u16))",
    ] {
        let verified = package(echo(ty), |_| {});
        let inspection = inspect(&verified).unwrap();
        let text = serde_json::to_string(&inspection).unwrap();
        assert!(
            text.contains("of items that cannot be read one by one"),
            "{ty}: {text}"
        );
    }
}
