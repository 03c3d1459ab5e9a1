//! The WebAssembly text of the guest that sends HTTP requests, and the names of its errors.

pub(crate) mod wasi_3;

use crate::support::MEMORY;

/// The cases of `error-code`, in order. Those that carry something say what.
pub(super) const ERRORS: [(&str, &str); 39] = [
    ("DNS-timeout", ""),
    ("DNS-error", "$dns"),
    ("destination-not-found", ""),
    ("destination-unavailable", ""),
    ("destination-IP-prohibited", ""),
    ("destination-IP-unroutable", ""),
    ("connection-refused", ""),
    ("connection-terminated", ""),
    ("connection-timeout", ""),
    ("connection-read-timeout", ""),
    ("connection-write-timeout", ""),
    ("connection-limit-reached", ""),
    ("TLS-protocol-error", ""),
    ("TLS-certificate-error", ""),
    ("TLS-alert-received", "$alert"),
    ("HTTP-request-denied", ""),
    ("HTTP-request-length-required", ""),
    ("HTTP-request-body-size", "(option u64)"),
    ("HTTP-request-method-invalid", ""),
    ("HTTP-request-URI-invalid", ""),
    ("HTTP-request-URI-too-long", ""),
    ("HTTP-request-header-section-size", "(option u32)"),
    ("HTTP-request-header-size", "(option $field)"),
    ("HTTP-request-trailer-section-size", "(option u32)"),
    ("HTTP-request-trailer-size", "$field"),
    ("HTTP-response-incomplete", ""),
    ("HTTP-response-header-section-size", "(option u32)"),
    ("HTTP-response-header-size", "$field"),
    ("HTTP-response-body-size", "(option u64)"),
    ("HTTP-response-trailer-section-size", "(option u32)"),
    ("HTTP-response-trailer-size", "$field"),
    ("HTTP-response-transfer-coding", "(option string)"),
    ("HTTP-response-content-coding", "(option string)"),
    ("HTTP-response-timeout", ""),
    ("HTTP-upgrade-failed", ""),
    ("HTTP-protocol-error", ""),
    ("loop-detected", ""),
    ("configuration-error", ""),
    ("internal-error", "(option string)"),
];

/// The interfaces, as far as the guest uses them.
fn imports() -> String {
    let errors: String = ERRORS
        .iter()
        .map(|(name, payload)| format!("(case {name:?} {payload})"))
        .collect();
    format!(
        r#"
    (import "wasi:io/error@0.2.0" (instance $ioerror (export "error" (type (sub resource)))))
    (alias export $ioerror "error" (type $io-error))
    (import "wasi:io/poll@0.2.0" (instance $poll
        (export "pollable" (type $p (sub resource)))
        (export "[method]pollable.block" (func (param "self" (borrow $p))))))
    (alias export $poll "pollable" (type $pollable))
    (import "wasi:io/streams@0.2.0" (instance $streams
        (alias outer 1 $io-error (type $outer))
        (export "error" (type $e (eq $outer)))
        (type $failed' (variant (case "last-operation-failed" (own $e)) (case "closed")))
        (export "stream-error" (type $failed (eq $failed')))
        (export "input-stream" (type $in (sub resource)))
        (export "output-stream" (type $out (sub resource)))
        (export "[method]input-stream.blocking-read" (func
            (param "self" (borrow $in)) (param "len" u64)
            (result (result (list u8) (error $failed)))))
        (export "[method]output-stream.blocking-write-and-flush" (func
            (param "self" (borrow $out)) (param "contents" (list u8))
            (result (result (error $failed)))))))
    (alias export $streams "input-stream" (type $input))
    (alias export $streams "output-stream" (type $output))
    (import "wasi:http/types@0.2.0" (instance $http
        (alias outer 1 $pollable (type $outer-pollable))
        (export "pollable" (type $p (eq $outer-pollable)))
        (alias outer 1 $input (type $outer-input))
        (export "input-stream" (type $in (eq $outer-input)))
        (alias outer 1 $output (type $outer-output))
        (export "output-stream" (type $out (eq $outer-output)))
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
        (type $header' (variant (case "invalid-syntax") (case "forbidden") (case "immutable")))
        (export "header-error" (type $header (eq $header')))
        (export "fields" (type $fields (sub resource)))
        (export "outgoing-request" (type $request (sub resource)))
        (export "request-options" (type $options (sub resource)))
        (export "outgoing-body" (type $sent (sub resource)))
        (export "future-incoming-response" (type $future (sub resource)))
        (export "incoming-response" (type $response (sub resource)))
        (export "incoming-body" (type $body (sub resource)))
        (export "[static]fields.from-list" (func
            (param "entries" (list (tuple string (list u8))))
            (result (result (own $fields) (error $header)))))
        (export "[constructor]outgoing-request" (func
            (param "headers" (own $fields)) (result (own $request))))
        (export "[method]outgoing-request.set-method" (func
            (param "self" (borrow $request)) (param "method" $method) (result (result))))
        (export "[method]outgoing-request.set-scheme" (func
            (param "self" (borrow $request)) (param "scheme" (option $scheme)) (result (result))))
        (export "[method]outgoing-request.set-authority" (func
            (param "self" (borrow $request)) (param "authority" (option string)) (result (result))))
        (export "[method]outgoing-request.set-path-with-query" (func
            (param "self" (borrow $request)) (param "path-with-query" (option string))
            (result (result))))
        (export "[method]outgoing-request.body" (func
            (param "self" (borrow $request)) (result (result (own $sent)))))
        (export "[method]outgoing-body.write" (func
            (param "self" (borrow $sent)) (result (result (own $out)))))
        (export "[static]outgoing-body.finish" (func
            (param "this" (own $sent)) (param "trailers" (option (own $fields)))
            (result (result (error $code)))))
        (export "[constructor]request-options" (func (result (own $options))))
        (export "[method]request-options.set-connect-timeout" (func
            (param "self" (borrow $options)) (param "duration" (option u64)) (result (result))))
        (export "[method]request-options.set-first-byte-timeout" (func
            (param "self" (borrow $options)) (param "duration" (option u64)) (result (result))))
        (export "[method]request-options.set-between-bytes-timeout" (func
            (param "self" (borrow $options)) (param "duration" (option u64)) (result (result))))
        (export "[method]future-incoming-response.subscribe" (func
            (param "self" (borrow $future)) (result (own $p))))
        (export "[method]future-incoming-response.get" (func
            (param "self" (borrow $future))
            (result (option (result (result (own $response) (error $code)))))))
        (export "[method]incoming-response.status" (func
            (param "self" (borrow $response)) (result u16)))
        (export "[method]incoming-response.consume" (func
            (param "self" (borrow $response)) (result (result (own $body)))))
        (export "[method]incoming-body.stream" (func
            (param "self" (borrow $body)) (result (result (own $in)))))))
    (alias export $http "outgoing-request" (type $request))
    (alias export $http "request-options" (type $options))
    (alias export $http "future-incoming-response" (type $future))
    (alias export $http "error-code" (type $code))
    (import "wasi:http/outgoing-handler@0.2.0" (instance $handler
        (alias outer 1 $request (type $outer-request))
        (export "outgoing-request" (type $r (eq $outer-request)))
        (alias outer 1 $options (type $outer-options))
        (export "request-options" (type $o (eq $outer-options)))
        (alias outer 1 $future (type $outer-future))
        (export "future-incoming-response" (type $f (eq $outer-future)))
        (alias outer 1 $code (type $outer-code))
        (export "error-code" (type $c (eq $outer-code)))
        (export "handle" (func (param "request" (own $r)) (param "options" (option (own $o)))
            (result (result (own $f) (error $c)))))))
"#
    )
}

/// The functions of the host that the guest calls, with their types as core functions.
const LOWERED: [(&str, &str, &str); 21] = [
    (
        "from-list",
        r#"$http "[static]fields.from-list""#,
        "i32 i32 i32",
    ),
    (
        "request",
        r#"$http "[constructor]outgoing-request""#,
        "i32 > i32",
    ),
    (
        "set-method",
        r#"$http "[method]outgoing-request.set-method""#,
        "i32 i32 i32 i32 > i32",
    ),
    (
        "set-scheme",
        r#"$http "[method]outgoing-request.set-scheme""#,
        "i32 i32 i32 i32 i32 > i32",
    ),
    (
        "set-authority",
        r#"$http "[method]outgoing-request.set-authority""#,
        "i32 i32 i32 i32 > i32",
    ),
    (
        "set-path",
        r#"$http "[method]outgoing-request.set-path-with-query""#,
        "i32 i32 i32 i32 > i32",
    ),
    (
        "sent",
        r#"$http "[method]outgoing-request.body""#,
        "i32 i32",
    ),
    ("write", r#"$http "[method]outgoing-body.write""#, "i32 i32"),
    (
        "finish",
        r#"$http "[static]outgoing-body.finish""#,
        "i32 i32 i32 i32",
    ),
    (
        "options",
        r#"$http "[constructor]request-options""#,
        "> i32",
    ),
    (
        "connect",
        r#"$http "[method]request-options.set-connect-timeout""#,
        "i32 i32 i64 > i32",
    ),
    (
        "first",
        r#"$http "[method]request-options.set-first-byte-timeout""#,
        "i32 i32 i64 > i32",
    ),
    (
        "between",
        r#"$http "[method]request-options.set-between-bytes-timeout""#,
        "i32 i32 i64 > i32",
    ),
    (
        "subscribe",
        r#"$http "[method]future-incoming-response.subscribe""#,
        "i32 > i32",
    ),
    (
        "get",
        r#"$http "[method]future-incoming-response.get""#,
        "i32 i32",
    ),
    (
        "status",
        r#"$http "[method]incoming-response.status""#,
        "i32 > i32",
    ),
    (
        "consume",
        r#"$http "[method]incoming-response.consume""#,
        "i32 i32",
    ),
    (
        "stream",
        r#"$http "[method]incoming-body.stream""#,
        "i32 i32",
    ),
    (
        "read",
        r#"$streams "[method]input-stream.blocking-read""#,
        "i32 i64 i32",
    ),
    (
        "put",
        r#"$streams "[method]output-stream.blocking-write-and-flush""#,
        "i32 i32 i32 i32",
    ),
    ("block", r#"$poll "[method]pollable.block""#, "i32"),
];

/// `fetch` sends one request and reads the whole answer. A result is at 256: on success the
/// status at 264 and the bytes of the body at 272, else at which stage it failed at 264 and
/// the number of the error at 268. `flood` makes requests and answers how many of them had an
/// answer, how many met the limit of those under way, and how many anything else.
const CORE: &str = r#"
    (func $fail (param $stage i32) (param $error i32) (result i32)
        (i32.store8 (i32.const 256) (i32.const 1))
        (i32.store (i32.const 264) (local.get $stage))
        (i32.store (i32.const 268) (local.get $error))
        (i32.const 256))
    ;; The handle of a request, or less than zero.
    (func $make (param $m i32) (param $ml i32) (param $scheme i32) (param $a i32) (param $al i32)
            (param $p i32) (param $pl i32) (param $h i32) (param $hl i32) (result i32)
        (local $r i32)
        (call $from-list (local.get $h) (local.get $hl) (i32.const 16))
        (if (i32.load8_u (i32.const 16)) (then (return (i32.const -1))))
        (local.set $r (call $request (i32.load (i32.const 20))))
        (if (call $set-method (local.get $r) (i32.const 9) (local.get $m) (local.get $ml))
            (then (return (i32.const -2))))
        (if (call $set-scheme (local.get $r) (i32.const 1) (local.get $scheme) (i32.const 0) (i32.const 0))
            (then (return (i32.const -3))))
        (if (call $set-authority (local.get $r) (i32.const 1) (local.get $a) (local.get $al))
            (then (return (i32.const -4))))
        (if (call $set-path (local.get $r) (i32.const 1) (local.get $p) (local.get $pl))
            (then (return (i32.const -5))))
        (local.get $r))
    (func (export "fetch") (param $m i32) (param $ml i32) (param $scheme i32)
            (param $a i32) (param $al i32) (param $p i32) (param $pl i32)
            (param $h i32) (param $hl i32) (param $b i32) (param $bl i32) (param $ns i64)
            (result i32)
        (local $r i32) (local $f i32) (local $o i32) (local $body i32) (local $out i32)
        (local $in i32) (local $bytes i64)
        (local.set $r (call $make (local.get $m) (local.get $ml) (local.get $scheme)
            (local.get $a) (local.get $al) (local.get $p) (local.get $pl)
            (local.get $h) (local.get $hl)))
        (if (i32.lt_s (local.get $r) (i32.const 0))
            (then (return (call $fail (i32.const 1) (i32.sub (i32.const 0) (local.get $r))))))
        (if (local.get $bl) (then
            (call $sent (local.get $r) (i32.const 16))
            (local.set $body (i32.load (i32.const 20)))
            (call $write (local.get $body) (i32.const 16))
            (local.set $out (i32.load (i32.const 20)))))
        (if (i64.ge_s (local.get $ns) (i64.const 0)) (then
            (local.set $o (call $options))
            (drop (call $connect (local.get $o) (i32.const 1) (local.get $ns)))
            (drop (call $first (local.get $o) (i32.const 1) (local.get $ns)))
            (drop (call $between (local.get $o) (i32.const 1) (local.get $ns)))))
        (call $handle (local.get $r) (i64.ge_s (local.get $ns) (i64.const 0)) (local.get $o) (i32.const 32))
        (if (i32.load8_u (i32.const 32))
            (then (return (call $fail (i32.const 2) (i32.load8_u (i32.const 40))))))
        (local.set $f (i32.load (i32.const 40)))
        (if (local.get $bl) (then
            (call $put (local.get $out) (local.get $b) (local.get $bl) (i32.const 64))
            (if (i32.load8_u (i32.const 64)) (then (return (call $fail (i32.const 4) (i32.const 0)))))
            (call $drop-output (local.get $out))
            (call $finish (local.get $body) (i32.const 0) (i32.const 0) (i32.const 64))
            (if (i32.load8_u (i32.const 64))
                (then (return (call $fail (i32.const 5) (i32.load8_u (i32.const 72))))))))
        (call $block (call $subscribe (local.get $f)))
        (call $get (local.get $f) (i32.const 128))
        (if (i32.load8_u (i32.const 144))
            (then (return (call $fail (i32.const 3) (i32.load8_u (i32.const 152))))))
        (local.set $r (i32.load (i32.const 152)))
        (call $consume (local.get $r) (i32.const 16))
        (call $stream (i32.load (i32.const 20)) (i32.const 24))
        (local.set $in (i32.load (i32.const 28)))
        (block $end (loop $more
            (call $read (local.get $in) (i64.const 65536) (i32.const 64))
            (if (i32.load8_u (i32.const 64)) (then
                (if (i32.load8_u (i32.const 68)) (then (br $end)))
                (return (call $fail (i32.const 6) (i32.const 0)))))
            (local.set $bytes (i64.add (local.get $bytes) (i64.extend_i32_u (i32.load (i32.const 72)))))
            (call $forget)
            (br $more)))
        (i32.store8 (i32.const 256) (i32.const 0))
        (i32.store (i32.const 264) (call $status (local.get $r)))
        (i64.store (i32.const 272) (local.get $bytes))
        (i32.const 256))
    (func (export "flood") (param $a i32) (param $al i32) (param $count i32) (result i32)
        (local $r i32) (local $n i32) (local $at i32) (local $futures i32)
        (local.set $futures (call $realloc (i32.const 0) (i32.const 0) (i32.const 4)
            (i32.mul (local.get $count) (i32.const 4))))
        (loop $make
            (local.set $r (call $make (i32.const 400) (i32.const 3) (i32.const 0)
                (local.get $a) (local.get $al) (i32.const 404) (i32.const 1) (i32.const 0) (i32.const 0)))
            (call $handle (local.get $r) (i32.const 0) (i32.const 0) (i32.const 32))
            (if (i32.load8_u (i32.const 32)) (then unreachable))
            (i32.store (i32.add (local.get $futures) (i32.mul (local.get $n) (i32.const 4)))
                (i32.load (i32.const 40)))
            (local.set $n (i32.add (local.get $n) (i32.const 1)))
            (br_if $make (i32.lt_u (local.get $n) (local.get $count))))
        (local.set $n (i32.const 0))
        (loop $look
            (local.set $r (i32.load (i32.add (local.get $futures) (i32.mul (local.get $n) (i32.const 4)))))
            (local.set $at (call $subscribe (local.get $r)))
            (call $block (local.get $at))
            (call $drop-pollable (local.get $at))
            (call $get (local.get $r) (i32.const 128))
            (local.set $at (i32.const 300))
            (if (i32.load8_u (i32.const 144)) (then
                (local.set $at (select (i32.const 304) (i32.const 308)
                    (i32.eq (i32.load8_u (i32.const 152)) (i32.const 11))))))
            (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
            (local.set $n (i32.add (local.get $n) (i32.const 1)))
            (br_if $look (i32.lt_u (local.get $n) (local.get $count))))
        (i32.const 300))
    (data (i32.const 400) "GET /")
"#;

/// The guest.
pub(super) fn component() -> Vec<u8> {
    let lowerings: String = LOWERED
        .iter()
        .map(|(name, function, _)| {
            format!("(core func ${name} (canon lower (func {function}) (memory $memory) (realloc $realloc)))\n")
        })
        .collect();
    let exports: String = LOWERED
        .iter()
        .map(|(name, ..)| format!("(export {name:?} (func ${name}))"))
        .collect();
    let core_imports: String = LOWERED
        .iter()
        .map(|(name, _, types)| {
            let (parameters, result) = match types.split_once('>') {
                Some((parameters, result)) => (parameters, format!("(result {result})")),
                None => (*types, String::new()),
            };
            format!("(import \"h\" {name:?} (func ${name} (param {parameters}) {result}))\n")
        })
        .collect();
    // An allocator that is told to forget, so that long answers do not fill the memory.
    let memory = MEMORY.replace(
        "(func (export \"realloc\")",
        "(func (export \"forget\") (global.set $next (i32.const 65536)))\n(func (export \"realloc\")",
    );
    let imports = imports();
    let text = format!(
        r#"(component
        {imports}
        (core module $libc {memory})
        (core instance $c (instantiate $libc))
        (alias core export $c "memory" (core memory $memory))
        (alias core export $c "realloc" (core func $realloc))
        (alias core export $c "forget" (core func $forget))
        {lowerings}
        (core func $handle (canon lower (func $handler "handle") (memory $memory) (realloc $realloc)))
        (core func $drop-output (canon resource.drop $output))
        (core func $drop-pollable (canon resource.drop $pollable))
        (core module $m
            (import "h" "memory" (memory 1))
            (import "h" "forget" (func $forget))
            (import "h" "realloc" (func $realloc (param i32 i32 i32 i32) (result i32)))
            (import "h" "handle" (func $handle (param i32 i32 i32 i32)))
            (import "h" "drop-output" (func $drop-output (param i32)))
            (import "h" "drop-pollable" (func $drop-pollable (param i32)))
            {core_imports}
            {CORE})
        (core instance $i (instantiate $m (with "h" (instance
            (export "memory" (memory $memory))
            (export "forget" (func $forget))
            (export "realloc" (func $realloc))
            (export "handle" (func $handle))
            (export "drop-output" (func $drop-output))
            (export "drop-pollable" (func $drop-pollable))
            {exports}))))
        (func (export "fetch") (param "method" string) (param "scheme" u32)
            (param "authority" string) (param "path" string)
            (param "headers" (list (tuple string (list u8)))) (param "body" string)
            (param "timeout-ns" s64)
            (result (result (tuple u32 u64) (error (tuple u32 u32))))
            (canon lift (core func $i "fetch") (memory $memory) (realloc $realloc)))
        (func (export "flood") (param "authority" string) (param "count" u32)
            (result (tuple u32 u32 u32))
            (canon lift (core func $i "flood") (memory $memory) (realloc $realloc))))"#
    );
    wat::parse_str(text).expect("the component is written correctly")
}
