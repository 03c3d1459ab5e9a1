//! Attacks on isolation: sockets, files, variables, exit, and what earlier calls left behind.

use serde_json::json;
use tool_hub_host::{Approved, Tool};
use tool_hub_manifest::{Access, Grants};

use crate::case::cases;
use crate::fixture::{Bounds, Fixture, trapped};
use crate::guest::{self, importing, plain};
use crate::support::{package, reply};

cases! {
    "24" sockets_of_its_own => "neither TCP, UDP nor a lookup: there is no socket to connect, bind or listen with";
    "26" files_of_the_process => "not found and not permitted, beside a directory that was granted";
    "27" variables_of_the_process => "absent, and so are its arguments";
    "36" call_after_a_trap => "a fresh instance: memory, globals and tables as at the start";
    "72" exit_of_the_process => "ends the guest, and nothing else";
    "37" memory_of_another_call => "zeros, in memory and on the stack of values";
}

/// A guest that wants a socket, or an address: 0 and 1 are TCP over IPv4 and IPv6, 2 and 3 are
/// UDP, 4 is a lookup. It answers 0 when it has it, else 1 and the number of the error.
fn connecting() -> Vec<u8> {
    importing(
        r#"(import "wasi:sockets/network@0.2.0" (instance $network
            (export "network" (type (sub resource)))
            (type $code' (enum "unknown" "access-denied" "not-supported" "invalid-argument"
                "out-of-memory" "timeout" "concurrency-conflict" "not-in-progress"
                "would-block" "invalid-state" "new-socket-limit" "address-not-bindable"
                "address-in-use" "remote-unreachable" "connection-refused"
                "connection-reset" "connection-aborted" "datagram-too-large"
                "name-unresolvable" "temporary-resolver-failure"
                "permanent-resolver-failure"))
            (export "error-code" (type (eq $code')))
            (type $family' (enum "ipv4" "ipv6"))
            (export "ip-address-family" (type (eq $family')))))
        (alias export $network "network" (type $net))
        (alias export $network "error-code" (type $code))
        (alias export $network "ip-address-family" (type $family))
        (import "wasi:sockets/instance-network@0.2.0" (instance $instance
            (alias outer 1 $net (type $outer))
            (export "network" (type $n (eq $outer)))
            (export "instance-network" (func (result (own $n))))))
        (import "wasi:sockets/tcp@0.2.0" (instance $tcp
            (export "tcp-socket" (type (sub resource)))))
        (alias export $tcp "tcp-socket" (type $tcp-socket))
        (import "wasi:sockets/tcp-create-socket@0.2.0" (instance $tcp-create
            (alias outer 1 $tcp-socket (type $outer))
            (export "tcp-socket" (type $s (eq $outer)))
            (alias outer 1 $code (type $outer-code))
            (export "error-code" (type $e (eq $outer-code)))
            (alias outer 1 $family (type $outer-family))
            (export "ip-address-family" (type $f (eq $outer-family)))
            (export "create-tcp-socket" (func
                (param "address-family" $f) (result (result (own $s) (error $e)))))))
        (import "wasi:sockets/udp@0.2.0" (instance $udp
            (export "udp-socket" (type (sub resource)))))
        (alias export $udp "udp-socket" (type $udp-socket))
        (import "wasi:sockets/udp-create-socket@0.2.0" (instance $udp-create
            (alias outer 1 $udp-socket (type $outer))
            (export "udp-socket" (type $s (eq $outer)))
            (alias outer 1 $code (type $outer-code))
            (export "error-code" (type $e (eq $outer-code)))
            (alias outer 1 $family (type $outer-family))
            (export "ip-address-family" (type $f (eq $outer-family)))
            (export "create-udp-socket" (func
                (param "address-family" $f) (result (result (own $s) (error $e)))))))
        (import "wasi:sockets/ip-name-lookup@0.2.0" (instance $lookup
            (alias outer 1 $net (type $outer))
            (export "network" (type $n (eq $outer)))
            (alias outer 1 $code (type $outer-code))
            (export "error-code" (type $e (eq $outer-code)))
            (export "resolve-address-stream" (type $s (sub resource)))
            (export "resolve-addresses" (func
                (param "network" (borrow $n)) (param "name" string)
                (result (result (own $s) (error $e)))))))"#,
        &[
            ("tcp", r#"$tcp-create "create-tcp-socket""#),
            ("udp", r#"$udp-create "create-udp-socket""#),
            ("network", r#"$instance "instance-network""#),
            ("resolve", r#"$lookup "resolve-addresses""#),
        ],
        r#"(import "h" "tcp" (func $tcp (param i32 i32)))
        (import "h" "udp" (func $udp (param i32 i32)))
        (import "h" "network" (func $network (result i32)))
        (import "h" "resolve" (func $resolve (param i32 i32 i32 i32)))
        (data (i32.const 64) "localhost")
        (func (export "run") (param $what i32) (result i32)
            (if (i32.lt_u (local.get $what) (i32.const 2))
                (then (call $tcp (local.get $what) (i32.const 16)))
                (else (if (i32.lt_u (local.get $what) (i32.const 4))
                    (then (call $udp
                        (i32.sub (local.get $what) (i32.const 2)) (i32.const 16)))
                    (else (call $resolve
                        (call $network) (i32.const 64) (i32.const 9) (i32.const 16))))))
            (if (result i32) (i32.load8_u (i32.const 16))
                (then (i32.add (i32.const 1) (i32.load8_u (i32.const 20))))
                (else (i32.const 0))))"#,
        r#"(func (export "run") (param "what" u32) (result u32)
            (canon lift (core func $i "run") (memory $memory) (realloc $realloc)))"#,
    )
}

async fn sockets_of_its_own(fixture: &mut Fixture) {
    let connecting = fixture.load(connecting()).await;
    let (denied, unresolved) = ("2", "21");
    for (what, expected) in [denied, denied, denied, denied, unresolved]
        .iter()
        .enumerate()
    {
        let arguments = json!({ "what": what }).to_string();
        let outcome = fixture.call(&connecting, &arguments, Bounds::tight()).await;
        assert_eq!(reply(outcome).text(), *expected, "{what}");
    }
}

/// Numbers of WASI's error codes, and one more: 0 is an open file.
const ACCESS: &str = "1";
const NO_ENTRY: &str = "21";
const NOT_A_DIRECTORY: &str = "25";
const NOT_PERMITTED: &str = "32";

/// A guest that opens the path that it is given in its first directory, and answers 0, or 1
/// and the number of the error.
fn opening() -> Vec<u8> {
    let codes = "access would-block already bad-descriptor busy deadlock quota exist \
        file-too-large illegal-byte-sequence in-progress interrupted invalid io is-directory \
        loop too-many-links message-size name-too-long no-device no-entry no-lock \
        insufficient-memory insufficient-space not-directory not-empty not-recoverable \
        unsupported no-tty no-such-device overflow not-permitted pipe read-only invalid-seek \
        text-file-busy cross-device";
    let codes: String = codes
        .split_whitespace()
        .map(|code| format!("{code:?} "))
        .collect();
    importing(
        &format!(
            r#"(import "wasi:filesystem/types@0.2.0" (instance $types
                (export "descriptor" (type $descriptor (sub resource)))
                (type $code' (enum {codes}))
                (export "error-code" (type $code (eq $code')))
                (type $path' (flags "symlink-follow"))
                (export "path-flags" (type $path (eq $path')))
                (type $open' (flags "create" "directory" "exclusive" "truncate"))
                (export "open-flags" (type $open (eq $open')))
                (type $how' (flags "read" "write" "file-integrity-sync" "data-integrity-sync"
                    "requested-write-sync" "mutate-directory"))
                (export "descriptor-flags" (type $how (eq $how')))
                (export "[method]descriptor.open-at" (func
                    (param "self" (borrow $descriptor)) (param "path-flags" $path)
                    (param "path" string) (param "open-flags" $open) (param "flags" $how)
                    (result (result (own $descriptor) (error $code)))))))
            (alias export $types "descriptor" (type $descriptor))
            (import "wasi:filesystem/preopens@0.2.0" (instance $preopens
                (alias outer 1 $descriptor (type $outer))
                (export "descriptor" (type $d (eq $outer)))
                (export "get-directories" (func (result (list (tuple (own $d) string)))))))"#
        ),
        &[
            ("directories", r#"$preopens "get-directories""#),
            ("open", r#"$types "[method]descriptor.open-at""#),
        ],
        r#"(import "h" "directories" (func $directories (param i32)))
        (import "h" "open" (func $open (param i32 i32 i32 i32 i32 i32 i32)))
        (func (export "run") (param i32 i32) (result i32)
            (call $directories (i32.const 16))
            (call $open (i32.load (i32.load (i32.const 16))) (i32.const 1)
                (local.get 0) (local.get 1) (i32.const 0) (i32.const 1) (i32.const 32))
            (if (result i32) (i32.load8_u (i32.const 32))
                (then (i32.add (i32.const 1) (i32.load8_u (i32.const 36))))
                (else (i32.const 0))))"#,
        r#"(func (export "run") (param "path" string) (result u32)
            (canon lift (core func $i "run") (memory $memory) (realloc $realloc)))"#,
    )
}

/// Loads [`opening`] with `directory` granted for reading.
async fn opener(fixture: &Fixture, directory: &std::path::Path) -> Tool {
    let verified = package(opening(), |manifest| {
        manifest.capabilities =
            guest::capabilities(r#"directories = [{ name = "notes", access = "read" }]"#);
    });
    let grants = Grants::none().directory("notes".parse().unwrap(), directory, Access::Read);
    let approved = Approved::from_lock_record(verified, grants).unwrap();
    fixture.host.load(approved).await.unwrap()
}

async fn files_of_the_process(fixture: &mut Fixture) {
    let granted = tempfile::tempdir().unwrap();
    std::fs::write(granted.path().join("note"), "mine").unwrap();
    let opener = opener(fixture, granted.path()).await;
    let open = async |path: &str| {
        let arguments = json!({ "path": path }).to_string();
        reply(fixture.call(&opener, &arguments, Bounds::tight()).await).text()
    };
    assert_eq!(open("note").await, "0");
    let canary = fixture.canaries.file();
    let canary = canary.to_str().unwrap();
    for (path, expected) in [
        ("/proc/self/environ", NOT_PERMITTED),
        ("proc/self/environ", NO_ENTRY),
        ("../proc/self/environ", NOT_PERMITTED),
        ("note/../../../../../../proc/self/environ", NOT_A_DIRECTORY),
        ("./../../../../../../../proc/self/environ", NOT_PERMITTED),
        ("/dev/fd/0", NOT_PERMITTED),
        (canary, NOT_PERMITTED),
        (&format!("../../../../../..{canary}"), NOT_PERMITTED),
    ] {
        let opened = open(path).await;
        assert!(
            [expected, ACCESS, NO_ENTRY].contains(&opened.as_str()),
            "{path}: {opened}"
        );
    }
}

async fn variables_of_the_process(fixture: &mut Fixture) {
    assert!(std::env::vars().count() > 0);
    let environment = fixture.load(guest::environment()).await;
    let variables = reply(fixture.call(&environment, "", Bounds::tight()).await);
    assert_eq!(variables.structured.as_deref(), Some("[]"));
    let arguments = reply(environment.call("arguments", "").await);
    assert_eq!(arguments.structured.as_deref(), Some("[]"));
}

async fn call_after_a_trap(fixture: &mut Fixture) {
    let trapping = plain(
        r#"(table $t 1 funcref) (elem declare func $f)
        (global $g (mut i32) (i32.const 0))
        (func $f)
        (func (export "run")
            (i32.store (i32.const 64) (i32.const 1))
            (global.set $g (i32.const 1))
            (table.set $t (i32.const 0) (ref.func $f))
            (unreachable))
        (func (export "look") (result i32)
            (i32.add
                (i32.add (i32.load (i32.const 64)) (global.get $g))
                (i32.eqz (ref.is_null (table.get $t (i32.const 0))))))"#,
        r#"(func (export "run") (canon lift (core func $i "run")))
        (func (export "look") (result u32) (canon lift (core func $i "look")))"#,
    );
    let tool = fixture.load(trapping).await;
    for _ in 0..50 {
        trapped(
            fixture.call(&tool, "", Bounds::tight()).await,
            "unreachable",
        );
        assert_eq!(reply(tool.call("look", "").await).text(), "0");
    }
}

async fn exit_of_the_process(fixture: &mut Fixture) {
    for (status, number) in [(0, 0), (1, 1)] {
        let exiting = importing(
            r#"(import "wasi:cli/exit@0.2.0" (instance $exit
                (export "exit" (func (param "status" (result))))))"#,
            &[("exit", r#"$exit "exit""#)],
            &format!(
                r#"(import "h" "exit" (func $exit (param i32)))
                (func (export "run") (call $exit (i32.const {status})))"#
            ),
            guest::RUN,
        );
        let outcome = fixture.attack(exiting, Bounds::tight()).await;
        trapped(
            outcome,
            &format!("the tool ended itself with status {number}"),
        );
    }
}

/// Grows a fresh instance to 4 MiB and counts the bytes in it that are not zero.
const FOUND: &str = r#"(func (export "run") (result i32) (local $at i32) (local $found i32)
    (drop (memory.grow (i32.const 64)))
    (loop $more
        (if (i32.load8_u (local.get $at))
            (then (local.set $found (i32.add (local.get $found) (i32.const 1)))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br_if $more (i32.lt_u (local.get $at) (i32.const 4194304))))
    (local.get $found))"#;

/// A guest with 4 MiB that keeps what it is given in each of its pages, and looks for it.
fn keeper() -> Vec<u8> {
    let keep = r#"(func (export "keep") (param i32 i32) (local $page i32)
        (drop (memory.grow (i32.const 64)))
        (local.set $page (i32.const 1))
        (loop $more
            (memory.copy (i32.mul (local.get $page) (i32.const 65536))
                (local.get 0) (local.get 1))
            (local.set $page (i32.add (local.get $page) (i32.const 1)))
            (br_if $more (i32.lt_u (local.get $page) (i32.const 64)))))"#;
    let lifted = r#"(func (export "keep") (param "secret" string)
        (canon lift (core func $i "keep") (memory $memory) (realloc $realloc)))"#;
    plain(
        &format!("{keep}{FOUND}"),
        &format!("{lifted}{}", guest::RUN_NUMBER),
    )
}

async fn memory_of_another_call(fixture: &mut Fixture) {
    // The same tool would be given the same slot of the pool again; another may be.
    let keeper = keeper();
    let thief = plain(FOUND, guest::RUN_NUMBER);
    let mut config = tool_hub_host::HostConfig::new();
    config.calls_in_flight_max = 1;
    fixture.configure(config).await;
    let (keeper, thief) = (fixture.load(keeper).await, fixture.load(thief).await);
    let secret = json!({"secret": fixture.canaries.secret()}).to_string();
    for _ in 0..10 {
        for tool in [&keeper, &thief] {
            reply(keeper.call("keep", &secret).await);
            fixture.bystander_is_well().await;
            let outcome = fixture.call(tool, "", Bounds::tight().and_mib(4)).await;
            assert_eq!(reply(outcome).text(), "0");
        }
    }
}
