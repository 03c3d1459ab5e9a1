//! Guests whose results are streams and futures: components from text, for both test targets.

use crate::support::tasks;

/// A guest whose `run` answers a stream or a future, and writes to it afterwards.
pub(crate) struct Writer<'a> {
    /// The type of its result.
    pub(crate) ty: &'a str,
    /// The bytes that it writes from, in hexadecimal as in WebAssembly text.
    pub(crate) bytes: &'a str,
    /// The items that each write has.
    pub(crate) items: u32,
    /// The writes. There is no end to them if it is negative.
    pub(crate) writes: i32,
    /// Its last instructions, with its end of the stream in `$writer`.
    pub(crate) last: &'a str,
}

/// Ends a stream or a future as one should.
pub(crate) const DROP: &str = "(call $drop (global.get $writer))";

impl Writer<'_> {
    /// The component.
    pub(crate) fn component(&self) -> Vec<u8> {
        let Self { ty, bytes, .. } = self;
        let kind = match ty.starts_with("(stream") {
            true => "stream",
            false => "future",
        };
        // A future has one item.
        let (count_type, count) = match kind {
            "stream" => ("i32", format!("(i32.const {})", self.items)),
            _ => ("", String::new()),
        };
        let core = format!(
            r#"(import "h" "new" (func $new (result i64)))
            (import "h" "return" (func $return (param i32)))
            (import "h" "write" (func $write (param i32 i32 {count_type}) (result i32)))
            (import "h" "drop" (func $drop (param i32)))
            (import "h" "set" (func $set (result i32)))
            (import "h" "join" (func $join (param i32 i32)))
            (global $writer (mut i32) (i32.const 0))
            (global $waits (mut i32) (i32.const 0))
            (global $left (mut i32) (i32.const {writes}))
            (data (i32.const 0x8000) "{bytes}")
            (func (export "run") (result i32) (local $ends i64)
                (local.set $ends (call $new))
                (global.set $writer (i32.wrap_i64 (i64.shr_u (local.get $ends) (i64.const 32))))
                (global.set $waits (call $set))
                (call $join (global.get $writer) (global.get $waits))
                (call $return (i32.wrap_i64 (local.get $ends)))
                (call $go))
            (func $go (result i32)
                (loop $more
                    (if (i32.eqz (global.get $left)) (then {last} (return (i32.const 0))))
                    (global.set $left (i32.sub (global.get $left) (i32.const 1)))
                    (br_if $more (i32.ne (i32.const -1)
                        (call $write (global.get $writer) (i32.const 0x8000) {count}))))
                (i32.or (i32.const 2) (i32.shl (global.get $waits) (i32.const 4))))
            (func (export "go-on") (param i32 i32 i32) (result i32) (call $go))"#,
            writes = self.writes,
            last = self.last,
        );
        let write = format!("(canon {kind}.write $t async (memory $memory) (realloc $realloc))");
        tasks(
            &format!("(type $t {ty})"),
            &[
                ("new", &format!("(canon {kind}.new $t)")),
                ("return", "(canon task.return (result $t))"),
                ("write", &write),
                ("drop", &format!("(canon {kind}.drop-writable $t)")),
                ("set", "(canon waitable-set.new)"),
                ("join", "(canon waitable.join)"),
            ],
            &core,
            r#"(func (export "run") async (result $t)
                (canon lift (core func $i "run") async (callback (core func $i "go-on"))))"#,
        )
    }
}
