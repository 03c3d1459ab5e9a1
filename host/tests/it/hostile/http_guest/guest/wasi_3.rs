//! The same guest for WASI 0.3, without the flood: it has one future for the whole exchange.

use super::ERRORS;
use crate::support::tasks;

/// The interfaces, as far as the guest uses them.
fn imports() -> String {
    let errors = ERRORS
        .iter()
        .map(|(name, payload)| format!("(case {name:?} {payload})"));
    let errors: String = errors.collect();
    let set_timeout = |which: &str| {
        format!(
            r#"(export "[method]request-options.set-{which}-timeout" (func
                (param "self" (borrow $options)) (param "duration" (option $duration))
                (result (result (error $unset)))))"#
        )
    };
    format!(
        r#"
    (import "wasi:clocks/types@0.3.0" (instance $clocks
        (type $duration' u64)
        (export "duration" (type (eq $duration')))))
    (alias export $clocks "duration" (type $duration))
    (import "wasi:http/types@0.3.0" (instance $http
        (alias outer 1 $duration (type $outer-duration))
        (export "duration" (type $duration (eq $outer-duration)))
        (type $method' (variant (case "get") (case "head") (case "post") (case "put")
            (case "delete") (case "connect") (case "options") (case "trace") (case "patch")
            (case "other" string)))
        (export "method" (type $method (eq $method')))
        (type $scheme' (variant (case "HTTP") (case "HTTPS") (case "other" string)))
        (export "scheme" (type $scheme (eq $scheme')))
        (type $dns' (record (field "rcode" (option string)) (field "info-code" (option u16))))
        (export "DNS-error-payload" (type $dns (eq $dns')))
        (type $alert' (record (field "alert-id" (option u8)) (field "alert-message" (option string))))
        (export "TLS-alert-received-payload" (type $alert (eq $alert')))
        (type $field' (record (field "field-name" (option string)) (field "field-size" (option u32))))
        (export "field-size-payload" (type $field (eq $field')))
        (type $code' (variant {errors}))
        (export "error-code" (type $code (eq $code')))
        (type $header' (variant (case "invalid-syntax") (case "forbidden") (case "immutable")
            (case "size-exceeded") (case "other" (option string))))
        (export "header-error" (type $header (eq $header')))
        (type $unset' (variant (case "not-supported") (case "immutable")
            (case "other" (option string))))
        (export "request-options-error" (type $unset (eq $unset')))
        (export "fields" (type $fields (sub resource)))
        (export "headers" (type $headers (eq $fields)))
        (export "trailers" (type $trailers (eq $fields)))
        (export "request" (type $request (sub resource)))
        (export "request-options" (type $options (sub resource)))
        (export "response" (type $response (sub resource)))
        (type $bytes (stream u8))
        (type $sent (future (result (error $code))))
        (type $last (future (result (option (own $trailers)) (error $code))))
        (export "[static]fields.from-list" (func
            (param "entries" (list (tuple string (list u8))))
            (result (result (own $fields) (error $header)))))
        (export "[static]request.new" (func
            (param "headers" (own $headers)) (param "contents" (option $bytes))
            (param "trailers" $last) (param "options" (option (own $options)))
            (result (tuple (own $request) $sent))))
        (export "[method]request.set-method" (func
            (param "self" (borrow $request)) (param "method" $method) (result (result))))
        (export "[method]request.set-scheme" (func
            (param "self" (borrow $request)) (param "scheme" (option $scheme)) (result (result))))
        (export "[method]request.set-authority" (func
            (param "self" (borrow $request)) (param "authority" (option string)) (result (result))))
        (export "[method]request.set-path-with-query" (func
            (param "self" (borrow $request)) (param "path-with-query" (option string))
            (result (result))))
        (export "[constructor]request-options" (func (result (own $options))))
        {connect} {first} {between}
        (export "[method]response.get-status-code" (func
            (param "self" (borrow $response)) (result u16)))
        (export "[static]response.consume-body" (func
            (param "this" (own $response)) (param "res" $sent)
            (result (tuple $bytes $last))))))
    (alias export $http "request" (type $request))
    (alias export $http "response" (type $response))
    (alias export $http "trailers" (type $trailers))
    (alias export $http "error-code" (type $code))
    (type $bytes (stream u8))
    (type $sent (future (result (error $code))))
    (type $last (future (result (option (own $trailers)) (error $code))))
    (import "wasi:http/client@0.3.0" (instance $client
        (alias outer 1 $request (type $outer-request))
        (export "request" (type $r (eq $outer-request)))
        (alias outer 1 $response (type $outer-response))
        (export "response" (type $a (eq $outer-response)))
        (alias outer 1 $code (type $outer-code))
        (export "error-code" (type $c (eq $outer-code)))
        (export "send" (func async (param "request" (own $r))
            (result (result (own $a) (error $c)))))))
"#,
        connect = set_timeout("connect"),
        first = set_timeout("first-byte"),
        between = set_timeout("between-bytes"),
    )
}

/// The functions that the guest calls: a name, what makes it, and its type as a core function.
const FUNCTIONS: [(&str, &str, &str); 24] = [
    (
        "from-list",
        r#"(func $http "[static]fields.from-list")"#,
        "i32 i32 i32",
    ),
    (
        "request",
        r#"(func $http "[static]request.new")"#,
        "i32 i32 i32 i32 i32 i32 i32",
    ),
    (
        "set-method",
        r#"(func $http "[method]request.set-method")"#,
        "i32 i32 i32 i32 > i32",
    ),
    (
        "set-scheme",
        r#"(func $http "[method]request.set-scheme")"#,
        "i32 i32 i32 i32 i32 > i32",
    ),
    (
        "set-authority",
        r#"(func $http "[method]request.set-authority")"#,
        "i32 i32 i32 i32 > i32",
    ),
    (
        "set-path",
        r#"(func $http "[method]request.set-path-with-query")"#,
        "i32 i32 i32 i32 > i32",
    ),
    (
        "options",
        r#"(func $http "[constructor]request-options")"#,
        "> i32",
    ),
    (
        "connect",
        r#"(func $http "[method]request-options.set-connect-timeout")"#,
        "i32 i32 i64 i32",
    ),
    (
        "first",
        r#"(func $http "[method]request-options.set-first-byte-timeout")"#,
        "i32 i32 i64 i32",
    ),
    (
        "between",
        r#"(func $http "[method]request-options.set-between-bytes-timeout")"#,
        "i32 i32 i64 i32",
    ),
    (
        "status",
        r#"(func $http "[method]response.get-status-code")"#,
        "i32 > i32",
    ),
    (
        "consume",
        r#"(func $http "[static]response.consume-body")"#,
        "i32 i32 i32",
    ),
    ("send", r#"async (func $client "send")"#, "i32 i32 > i32"),
    ("new-set", "canon waitable-set.new", "> i32"),
    ("join", "canon waitable.join", "i32 i32"),
    (
        "wait",
        "canon waitable-set.wait (memory $memory)",
        "i32 i32 > i32",
    ),
    ("new-bytes", "canon stream.new $bytes", "> i64"),
    (
        "write",
        "canon stream.write $bytes async (memory $memory)",
        "i32 i32 i32 > i32",
    ),
    (
        "read",
        "canon stream.read $bytes async (memory $memory)",
        "i32 i32 i32 > i32",
    ),
    ("drop-writable", "canon stream.drop-writable $bytes", "i32"),
    ("new-last", "canon future.new $last", "> i64"),
    (
        "write-last",
        "canon future.write $last async (memory $memory)",
        "i32 i32 > i32",
    ),
    ("new-sent", "canon future.new $sent", "> i64"),
    (
        "read-last",
        "canon future.read $last async (memory $memory) (realloc $realloc)",
        "i32 i32 > i32",
    ),
];

/// `fetch` as for WASI 0.2. Zeros at 1600 are what goes into futures: it went well.
const CORE: &str = r#"
    (global $set (mut i32) (i32.const 0))
    (func $fail (param $stage i32) (param $error i32) (result i32)
        (i32.store8 (i32.const 256) (i32.const 1))
        (i32.store (i32.const 264) (local.get $stage))
        (i32.store (i32.const 268) (local.get $error))
        (i32.const 256))
    ;; Waits for news of one thing, and answers them.
    (func $news (param $of i32) (result i32)
        (call $join (local.get $of) (global.get $set))
        (drop (call $wait (global.get $set) (i32.const 320)))
        (call $join (local.get $of) (i32.const 0))
        (i32.load (i32.const 324)))
    (func $done (param $end i32) (param $status i32) (result i32)
        (if (i32.ne (local.get $status) (i32.const -1)) (then (return (local.get $status))))
        (call $news (local.get $end)))
    (func $high (param $ends i64) (result i32)
        (i32.wrap_i64 (i64.shr_u (local.get $ends) (i64.const 32))))
    (func (export "fetch") (param $m i32) (param $ml i32) (param $scheme i32)
            (param $a i32) (param $al i32) (param $p i32) (param $pl i32)
            (param $h i32) (param $hl i32) (param $b i32) (param $bl i32) (param $ns i64)
            (result i32)
        (local $r i32) (local $o i32) (local $task i32) (local $in i32) (local $got i32)
        (local $bytes i64) (local $body i64) (local $last i64) (local $status i32)
        (drop (memory.grow (i32.const 40)))
        (if (i32.eqz (global.get $set)) (then (global.set $set (call $new-set))))
        (call $from-list (local.get $h) (local.get $hl) (i32.const 16))
        (if (i32.load8_u (i32.const 16)) (then (return (call $fail (i32.const 1) (i32.const 1)))))
        (if (i64.ge_s (local.get $ns) (i64.const 0)) (then
            (local.set $o (call $options))
            (call $connect (local.get $o) (i32.const 1) (local.get $ns) (i32.const 32))
            (call $first (local.get $o) (i32.const 1) (local.get $ns) (i32.const 32))
            (call $between (local.get $o) (i32.const 1) (local.get $ns) (i32.const 32))))
        (if (local.get $bl) (then (local.set $body (call $new-bytes))))
        (local.set $last (call $new-last))
        (call $request (i32.load (i32.const 20))
            (i32.ne (local.get $bl) (i32.const 0)) (i32.wrap_i64 (local.get $body))
            (i32.wrap_i64 (local.get $last))
            (i64.ge_s (local.get $ns) (i64.const 0)) (local.get $o) (i32.const 32))
        (local.set $r (i32.load (i32.const 32)))
        (if (call $set-method (local.get $r) (i32.const 9) (local.get $m) (local.get $ml))
            (then (return (call $fail (i32.const 1) (i32.const 2)))))
        (if (call $set-scheme (local.get $r) (i32.const 1) (local.get $scheme) (i32.const 0) (i32.const 0))
            (then (return (call $fail (i32.const 1) (i32.const 3)))))
        (if (call $set-authority (local.get $r) (i32.const 1) (local.get $a) (local.get $al))
            (then (return (call $fail (i32.const 1) (i32.const 4)))))
        (if (call $set-path (local.get $r) (i32.const 1) (local.get $p) (local.get $pl))
            (then (return (call $fail (i32.const 1) (i32.const 5)))))
        (drop (call $write-last (call $high (local.get $last)) (i32.const 1600)))
        (local.set $task (call $send (local.get $r) (i32.const 128)))
        (if (local.get $bl) (then
            (drop (call $done (call $high (local.get $body))
                (call $write (call $high (local.get $body)) (local.get $b) (local.get $bl))))
            (call $drop-writable (call $high (local.get $body)))))
        (if (i32.ne (i32.and (local.get $task) (i32.const 15)) (i32.const 2)) (then
            (loop $again (br_if $again (i32.ne (i32.const 2)
                (call $news (i32.shr_u (local.get $task) (i32.const 4))))))))
        (if (i32.load8_u (i32.const 128))
            (then (return (call $fail (i32.const 3) (i32.load8_u (i32.const 136))))))
        (local.set $r (i32.load (i32.const 136)))
        (local.set $status (call $status (local.get $r)))
        (call $consume (local.get $r) (i32.wrap_i64 (call $new-sent)) (i32.const 16))
        (local.set $in (i32.load (i32.const 16)))
        (loop $more
            (local.set $got (call $done (local.get $in)
                (call $read (local.get $in) (i32.const 0x100000) (i32.const 65536))))
            (local.set $bytes (i64.add (local.get $bytes)
                (i64.extend_i32_u (i32.shr_u (local.get $got) (i32.const 4)))))
            (br_if $more (i32.eqz (i32.and (local.get $got) (i32.const 15)))))
        (drop (call $done (i32.load (i32.const 20))
            (call $read-last (i32.load (i32.const 20)) (i32.const 400))))
        (if (i32.load8_u (i32.const 400)) (then (return (call $fail (i32.const 6) (i32.const 0)))))
        (i32.store8 (i32.const 256) (i32.const 0))
        (i32.store (i32.const 264) (local.get $status))
        (i64.store (i32.const 272) (local.get $bytes))
        (i32.const 256))
"#;

pub(crate) fn component() -> Vec<u8> {
    let made = FUNCTIONS.map(|(name, made, _)| {
        let lowered = |options: &str, function: &str| {
            format!("(canon lower {function} {options} (memory $memory) (realloc $realloc))")
        };
        let made = match (made.strip_prefix("async "), made.starts_with("canon")) {
            (Some(function), _) => lowered("async", function),
            (None, true) => format!("({made})"),
            (None, false) => lowered("", made),
        };
        (name, made)
    });
    let made: Vec<(&str, &str)> = made
        .iter()
        .map(|(name, made)| (*name, made.as_str()))
        .collect();
    let imported = FUNCTIONS.map(|(name, _, types)| {
        let (parameters, result) = match types.split_once('>') {
            Some((parameters, result)) => (parameters, format!("(result {result})")),
            None => (types, String::new()),
        };
        format!("(import \"h\" {name:?} (func ${name} (param {parameters}) {result}))\n")
    });
    let core = imported.concat() + CORE;
    tasks(
        &imports(),
        &made,
        &core,
        r#"(func (export "fetch") async (param "method" string) (param "scheme" u32)
            (param "authority" string) (param "path" string)
            (param "headers" (list (tuple string (list u8)))) (param "body" string)
            (param "timeout-ns" s64)
            (result (result (tuple u32 u64) (error (tuple u32 u32))))
            (canon lift (core func $i "fetch") (memory $memory) (realloc $realloc)))"#,
    )
}
