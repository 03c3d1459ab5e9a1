//! Makes attacking guests from WebAssembly text: core module, imports and exports.

use tool_hub_manifest::{Capabilities, Manifest};

use crate::support::MEMORY;

/// `run`, without parameters and results.
pub(crate) const RUN: &str = r#"(func (export "run") (canon lift (core func $i "run")))"#;
/// `run`, which answers a number.
pub(crate) const RUN_NUMBER: &str =
    r#"(func (export "run") (result u32) (canon lift (core func $i "run")))"#;

pub(crate) const CLOCK: &str = r#"
    (import "wasi:io/poll@0.2.0" (instance $poll
        (export "pollable" (type $p (sub resource)))
        (export "[method]pollable.block" (func (param "self" (borrow $p))))
        (export "poll" (func (param "in" (list (borrow $p))) (result (list u32))))))
    (alias export $poll "pollable" (type $pollable))
    (import "wasi:clocks/monotonic-clock@0.2.0" (instance $clock
        (alias outer 1 $pollable (type $outer))
        (export "pollable" (type $p (eq $outer)))
        (export "subscribe-duration" (func (param "when" u64) (result (own $p))))))"#;

pub(crate) const OUTPUT: &str = r#"
    (import "wasi:io/error@0.2.0" (instance $error (export "error" (type (sub resource)))))
    (alias export $error "error" (type $io-error))
    (import "wasi:io/streams@0.2.0" (instance $streams
        (export "output-stream" (type $stream (sub resource)))
        (alias outer 1 $io-error (type $outer))
        (export "error" (type $e (eq $outer)))
        (type $failed' (variant (case "last-operation-failed" (own $e)) (case "closed")))
        (export "stream-error" (type $failed (eq $failed')))
        (export "[method]output-stream.write" (func
            (param "self" (borrow $stream)) (param "contents" (list u8))
            (result (result (error $failed)))))
        (export "[method]output-stream.write-zeroes" (func
            (param "self" (borrow $stream)) (param "len" u64)
            (result (result (error $failed)))))))
    (alias export $streams "output-stream" (type $output-stream))
    (import "wasi:cli/stdout@0.2.0" (instance $stdout
        (alias outer 1 $output-stream (type $outer))
        (export "output-stream" (type $s (eq $outer)))
        (export "get-stdout" (func (result (own $s))))))
    (import "wasi:cli/stderr@0.2.0" (instance $stderr
        (alias outer 1 $output-stream (type $outer))
        (export "output-stream" (type $s (eq $outer)))
        (export "get-stderr" (func (result (own $s))))))"#;

pub(crate) const INTERACTION: &str = r#"
    (import "tool-hub:tool/interaction@0.1.0" (instance $interaction
        (export "report-progress" (func
            (param "done" f64) (param "total" (option f64)) (param "message" (option string))))
        (type $error' (variant
            (case "declined") (case "cancelled") (case "unavailable")
            (case "invalid-question" string)))
        (export "ask-error" (type $ask-error (eq $error')))
        (export "ask" (func
            (param "key" string) (param "question" string) (param "schema" string)
            (result (result string (error $ask-error)))))))"#;

/// A component that imports `imports`, lowers `lowered`, pairs of a name in the core module
/// `h` and an `$instance "function"`, to a core module `core` that shares its memory, and
/// exports `lifted` of its instance `$i`.
pub(crate) fn importing(
    imports: &str,
    lowered: &[(&str, &str)],
    core: &str,
    lifted: &str,
) -> Vec<u8> {
    let lowerings = lowered.iter().map(|(name, function)| {
        format!("(core func ${name} (canon lower (func {function}) (memory $memory) (realloc $realloc)))\n")
    });
    let exports = lowered
        .iter()
        .map(|(name, _)| format!("(export {name:?} (func ${name}))"));
    let text = format!(
        r#"(component
            {imports}
            (core module $libc {MEMORY})
            (core instance $c (instantiate $libc))
            (alias core export $c "memory" (core memory $memory))
            (alias core export $c "realloc" (core func $realloc))
            {lowerings}
            (core module $m (import "h" "memory" (memory 1)) {core})
            (core instance $i (instantiate $m (with "h" (instance
                (export "memory" (memory $memory)) {exports}))))
            {lifted})"#,
        lowerings = lowerings.collect::<String>(),
        exports = exports.collect::<String>(),
    );
    wat::parse_str(text).expect("the component is written correctly")
}

/// A component without imports whose core module is `core`, with a memory and an allocator.
pub(crate) fn plain(core: &str, lifted: &str) -> Vec<u8> {
    crate::support::component(core, lifted)
}

/// A component whose function `run` has `body`.
pub(crate) fn running(body: &str) -> Vec<u8> {
    plain(&format!(r#"(func $run (export "run") {body})"#), RUN)
}

/// A component that `text` is the whole inside of.
pub(crate) fn bare(text: &str) -> Vec<u8> {
    wat::parse_str(format!("(component {text})")).expect("the component is written correctly")
}

/// A guest that sleeps for an hour.
pub(crate) fn sleeper() -> Vec<u8> {
    importing(
        CLOCK,
        &[
            ("block", r#"$poll "[method]pollable.block""#),
            ("subscribe", r#"$clock "subscribe-duration""#),
        ],
        r#"(import "h" "block" (func $block (param i32)))
        (import "h" "subscribe" (func $subscribe (param i64) (result i32)))
        (func (export "run") (call $block (call $subscribe (i64.const 3600000000000))))"#,
        RUN,
    )
}

/// A guest that answers all variables that it finds.
pub(crate) fn environment() -> Vec<u8> {
    importing(
        r#"(import "wasi:cli/environment@0.2.0" (instance $env
            (export "get-environment" (func (result (list (tuple string string)))))
            (export "get-arguments" (func (result (list string))))))"#,
        &[
            ("environment", r#"$env "get-environment""#),
            ("arguments", r#"$env "get-arguments""#),
        ],
        r#"(import "h" "environment" (func $environment (param i32)))
        (import "h" "arguments" (func $arguments (param i32)))
        (func (export "run") (result i32) (call $environment (i32.const 16)) (i32.const 16))
        (func (export "arguments") (result i32) (call $arguments (i32.const 16)) (i32.const 16))"#,
        r#"(func (export "run") (result (list (tuple string string)))
            (canon lift (core func $i "run") (memory $memory)))
        (func (export "arguments") (result (list string))
            (canon lift (core func $i "arguments") (memory $memory)))"#,
    )
}

/// The capabilities of a manifest that says `text` of them.
pub(crate) fn capabilities(text: &str) -> Capabilities {
    let text = format!("schema = 1\nname = \"x\"\nversion = \"0.1.0\"\n[capabilities]\n{text}");
    let manifest: Manifest = text.parse().expect("a manifest");
    manifest.capabilities
}

/// `bytes` as a string of the text format.
pub(crate) fn data(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:02x}")).collect()
}
