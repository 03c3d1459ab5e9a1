//! The same guest for WASI 0.3: its functions are async, and files are read and written as streams.

use super::{CORE, ERRORS, LOWERED};
use crate::support::tasks;

/// Reading and writing with streams, as the functions of WASI 0.2 do it without them.
const STREAMS: &str = r#"
    (global $set (mut i32) (i32.const 0))
    ;; Waits for what blocks, if it does.
    (func $done (param $end i32) (param $status i32) (result i32)
        (if (i32.ne (local.get $status) (i32.const -1)) (then (return (local.get $status))))
        (if (i32.eqz (global.get $set)) (then (global.set $set (call $new-set))))
        (call $join (local.get $end) (global.get $set))
        (drop (call $wait (global.get $set) (i32.const 320)))
        (call $join (local.get $end) (i32.const 0))
        (i32.load (i32.const 324)))
    (func $result (param $future i32) (param $at i32)
        (drop (call $done (local.get $future)
            (call $read-result (local.get $future) (local.get $at)))))
    (func $pread (param $d i32) (param $max i64) (param $offset i64) (param $at i32)
            (local $stream i32) (local $length i32)
        (call $reading (local.get $d) (local.get $offset) (i32.const 300))
        (local.set $stream (i32.load (i32.const 300)))
        (local.set $length (i32.shr_u
            (call $done (local.get $stream)
                (call $read-bytes (local.get $stream) (i32.const 1024) (i32.const 2048)))
            (i32.const 4)))
        (call $drop-readable (local.get $stream))
        (call $result (i32.load (i32.const 304)) (local.get $at))
        (if (i32.eqz (i32.load8_u (local.get $at))) (then
            (i32.store offset=4 (local.get $at) (i32.const 1024))
            (i32.store offset=8 (local.get $at) (local.get $length)))))
    (func $pwrite (param $d i32) (param $p i32) (param $pl i32) (param $offset i64) (param $at i32)
            (local $ends i64) (local $end i32) (local $future i32)
        (local.set $ends (call $new-stream))
        (local.set $end (i32.wrap_i64 (i64.shr_u (local.get $ends) (i64.const 32))))
        (local.set $future
            (call $writing (local.get $d) (i32.wrap_i64 (local.get $ends)) (local.get $offset)))
        (drop (call $done (local.get $end)
            (call $write-bytes (local.get $end) (local.get $p) (local.get $pl))))
        (call $drop-writable (local.get $end))
        (call $result (local.get $future) (i32.const 340))
        (i32.store8 (local.get $at) (i32.load8_u (i32.const 340)))
        (i32.store8 offset=8 (local.get $at) (i32.load8_u (i32.const 344))))
    ;; Reads a file while it holds a hundred streams of a directory that it does not read.
    (func (export "hoard") (param $p i32) (param $pl i32) (result i32) (local $left i32)
        (local.set $left (i32.const 100))
        (loop $more
            (call $list (call $directory) (i32.const 300))
            (local.set $left (i32.sub (local.get $left) (i32.const 1)))
            (br_if $more (local.get $left)))
        (call $read (local.get $p) (local.get $pl)))
"#;

/// Functions beside the methods, what makes them, and their types as core functions.
const BESIDE: [(&str, &str, &str); 12] = [
    ("new-set", "(canon waitable-set.new)", "(result i32)"),
    ("join", "(canon waitable.join)", "(param i32 i32)"),
    (
        "wait",
        "(canon waitable-set.wait (memory $memory))",
        "(param i32 i32) (result i32)",
    ),
    ("new-stream", "(canon stream.new $bytes)", "(result i64)"),
    (
        "read-bytes",
        "(canon stream.read $bytes async (memory $memory))",
        "(param i32 i32 i32) (result i32)",
    ),
    (
        "write-bytes",
        "(canon stream.write $bytes async (memory $memory))",
        "(param i32 i32 i32) (result i32)",
    ),
    (
        "drop-readable",
        "(canon stream.drop-readable $bytes)",
        "(param i32)",
    ),
    (
        "drop-writable",
        "(canon stream.drop-writable $bytes)",
        "(param i32)",
    ),
    (
        "read-result",
        "(canon future.read $done async (memory $memory) (realloc $realloc))",
        "(param i32 i32) (result i32)",
    ),
    (
        "reading",
        r#"(canon lower (func $types "[method]descriptor.read-via-stream") (memory $memory))"#,
        "(param i32 i64 i32)",
    ),
    (
        "list",
        r#"(canon lower (func $types "[method]descriptor.read-directory") (memory $memory))"#,
        "(param i32 i32)",
    ),
    (
        "writing",
        r#"(canon lower (func $types "[method]descriptor.write-via-stream"))"#,
        "(param i32 i32 i64) (result i32)",
    ),
];

/// The methods that are the same but async.
fn methods() -> impl Iterator<Item = (&'static str, &'static str, &'static str, &'static str)> {
    let methods = LOWERED.into_iter();
    methods.filter(|(name, ..)| !matches!(*name, "pread" | "pwrite"))
}

pub(super) fn component() -> Vec<u8> {
    let codes = ERRORS
        .split_whitespace()
        .filter(|code| *code != "would-block");
    let codes: String = codes.map(|code| format!("(case {code:?}) ")).collect();
    let declared: String = methods()
        .map(|(_, method, signature, _)| {
            format!("(export \"[method]descriptor.{method}\" (func async (param \"self\" (borrow $descriptor)) {signature}))\n")
        })
        .collect();
    let made: Vec<(&str, String)> = methods()
        .map(|(name, method, ..)| {
            (name, format!("(canon lower (func $types \"[method]descriptor.{method}\") (memory $memory) (realloc $realloc))"))
        })
        .collect();
    let preopens =
        r#"(canon lower (func $preopens "get-directories") (memory $memory) (realloc $realloc))"#;
    let mut functions: Vec<(&str, &str)> = vec![("preopens", preopens)];
    functions.extend(BESIDE.iter().map(|(name, made, _)| (*name, *made)));
    functions.extend(made.iter().map(|(name, made)| (*name, made.as_str())));
    let beside = BESIDE
        .iter()
        .map(|(name, _, ty)| format!("(import \"h\" {name:?} (func ${name} {ty}))\n"));
    let methods = methods().map(|(name, .., types)| {
        format!("(import \"h\" {name:?} (func ${name} (param {types})))\n")
    });
    let imported: String = beside.chain(methods).collect();
    let imports = format!(
        r#"(import "wasi:clocks/system-clock@0.3.0" (instance $clock
            (type $instant' (record (field "seconds" s64) (field "nanoseconds" u32)))
            (export "instant" (type (eq $instant')))))
        (alias export $clock "instant" (type $instant))
        (import "wasi:filesystem/types@0.3.0" (instance $types
            (alias outer 1 $instant (type $outer))
            (export "instant" (type $date (eq $outer)))
            (export "descriptor" (type $descriptor (sub resource)))
            (type $code' (variant {codes} (case "other" (option string))))
            (export "error-code" (type $code (eq $code')))
            (type $follow' (flags "symlink-follow"))
            (export "path-flags" (type $follow (eq $follow')))
            (type $how' (flags "create" "directory" "exclusive" "truncate"))
            (export "open-flags" (type $how (eq $how')))
            (type $flags' (flags "read" "write" "file-integrity-sync" "data-integrity-sync"
                "requested-write-sync" "mutate-directory"))
            (export "descriptor-flags" (type $flags (eq $flags')))
            (type $time' (variant (case "no-change") (case "now") (case "timestamp" $date)))
            (export "new-timestamp" (type $time (eq $time')))
            (type $kind' (variant (case "block-device") (case "character-device")
                (case "directory") (case "fifo") (case "symbolic-link") (case "regular-file")
                (case "socket") (case "other" (option string))))
            (export "descriptor-type" (type $kind (eq $kind')))
            (type $entry' (record (field "type" $kind) (field "name" string)))
            (export "directory-entry" (type $entry (eq $entry')))
            (type $entries (stream $entry))
            (type $bytes (stream u8))
            (type $ended (result (error $code)))
            (type $done (future $ended))
            (export "[method]descriptor.read-directory" (func
                (param "self" (borrow $descriptor)) (result (tuple $entries $done))))
            (export "[method]descriptor.read-via-stream" (func
                (param "self" (borrow $descriptor)) (param "offset" u64)
                (result (tuple $bytes $done))))
            (export "[method]descriptor.write-via-stream" (func
                (param "self" (borrow $descriptor)) (param "data" $bytes) (param "offset" u64)
                (result $done)))
            {declared}))
        (alias export $types "descriptor" (type $descriptor))
        (alias export $types "error-code" (type $code))
        (type $bytes (stream u8))
        (type $ended (result (error $code)))
        (type $done (future $ended))
        (import "wasi:filesystem/preopens@0.3.0" (instance $preopens
            (alias outer 1 $descriptor (type $outer))
            (export "descriptor" (type $d (eq $outer)))
            (export "get-directories" (func (result (list (tuple (own $d) string)))))))"#
    );
    // An error without content stands further behind: its type has one with content.
    let core = CORE.replace("(i32.const 65)", "(i32.const 68)");
    let core = format!(
        r#"(import "h" "preopens" (func $preopens (param i32))) {imported} {STREAMS} {core}"#
    );
    let lifted = r#"(func (export "read") async (param "path" string)
            (result (result string (error u32)))
            (canon lift (core func $i "read") (memory $memory) (realloc $realloc)))
        (func (export "hoard") async (param "path" string)
            (result (result string (error u32)))
            (canon lift (core func $i "hoard") (memory $memory) (realloc $realloc)))
        (func (export "readlink") async (param "path" string)
            (result (result string (error u32)))
            (canon lift (core func $i "readlink") (memory $memory) (realloc $realloc)))
        (func (export "act") async (param "act" u32) (param "path" string) (param "other" string)
            (result u32)
            (canon lift (core func $i "act") (memory $memory) (realloc $realloc)))"#;
    tasks(&imports, &functions, &core, lifted)
}

/// The number of an error of WASI 0.2 that has this number in WASI 0.3.
pub(super) fn number(number: usize) -> usize {
    match number {
        0 => 0,
        later => later + 1,
    }
}
