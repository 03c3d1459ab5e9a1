//! Tests of tools whose component holds a program, run by an interpreter that several tools share.

use std::path::Path;

use tool_hub_host::authoring::{self, WitSource, program_component};
use tool_hub_host::{FailureKind, Host, HostConfig, HostError, Tool, inspect};
use tool_hub_manifest::{Grants, Interpreter, Manifest, Package, Verified};

use crate::support::{HOST, LIFT, component, failure, reply};

/// An interpreter. A program that begins with `!` cannot be prepared, one that begins with `~` is
/// prepared for ever, `=` answers with the arguments, `#` with the numbers of preparations, calls
/// and restored memories that the instance has seen, and any other program is its own answer.
const CORE: &str = r#"
    (func $kept (param $program i32) (param $length i32)
        (i32.store (i32.const 144) (local.get $length))
        (memory.copy (i32.const 2048) (local.get $program) (local.get $length))
        (i32.store (i32.const 152) (i32.add (i32.load (i32.const 152)) (i32.const 1))))
    (func (export "prepare") (param $program i32) (param $length i32) (result i32)
        (call $kept (local.get $program) (local.get $length))
        (loop $for-ever
            (br_if $for-ever (i32.eq (i32.load8_u (i32.const 2048)) (i32.const 126))))
        (i32.store8 (i32.const 64) (i32.eq (i32.load8_u (i32.const 2048)) (i32.const 33)))
        (i32.store (i32.const 68) (i32.const 2048))
        (i32.store (i32.const 72) (local.get $length))
        (i32.const 64))
    (func $digit (param $at i32) (param $number i32)
        (i32.store8 (local.get $at)
            (i32.add (i32.load (local.get $number)) (i32.const 48))))
    (func (export "call") (param i32) (param i32) (param $arguments i32) (param $length i32)
        (result i32)
        (local $first i32)
        (i32.store (i32.const 156) (i32.add (i32.load (i32.const 156)) (i32.const 1)))
        (i32.store (i32.const 64) (i32.const 2048))
        (i32.store (i32.const 68) (i32.load (i32.const 144)))
        (local.set $first (i32.load8_u (i32.const 2048)))
        (if (i32.eq (local.get $first) (i32.const 61)) (then
            (i32.store (i32.const 64) (local.get $arguments))
            (i32.store (i32.const 68) (local.get $length))))
        (if (i32.eq (local.get $first) (i32.const 35)) (then
            (memory.copy (i32.const 512) (i32.const 1024) (i32.const 11))
            (call $digit (i32.const 514) (i32.const 152))
            (call $digit (i32.const 516) (i32.const 156))
            (call $digit (i32.const 518) (i32.const 160))
            (i32.store (i32.const 64) (i32.const 512))
            (i32.store (i32.const 68) (i32.const 11))))
        (i32.const 64))
    (data (i32.const 1024) "[\"0 0 0\",1]")

    (func (export "size") (result i32) memory.size)
    (func (export "grow") (param i32) (drop (memory.grow (local.get 0))))
    (func (export "read") (param i32 i32) (result i32)
        (i32.store (i32.const 0) (local.get 0))
        (i32.store (i32.const 4) (local.get 1))
        (i32.const 0))
    (func (export "restore") (param $change i32) (param $length i32)
        (local $end i32)
        (local.set $end (i32.add (local.get $change) (local.get $length)))
        (loop $next
            (memory.copy
                (i32.load (local.get $change))
                (i32.add (local.get $change) (i32.const 8))
                (i32.load offset=4 (local.get $change)))
            (local.set $change (i32.add (i32.add (local.get $change) (i32.const 8))
                (i32.load offset=4 (local.get $change))))
            (br_if $next (i32.lt_u (local.get $change) (local.get $end))))
        (i32.store (i32.const 160) (i32.add (i32.load (i32.const 160)) (i32.const 1))))
"#;

const WORLD: &str = "
    package demo:programs;

    world tool {
        export ask: func(question: string, times: u32) -> tuple<string, u32>;
    }
";

/// The exports that give the host access to the interpreter's memory.
const MEMORY_ACCESS: &str = r#"
        (type $bytes (list u8))
        (func $size (result u32) (canon lift (core func $i "size")))
        (func $grow (param "pages" u32) (canon lift (core func $i "grow")))
        (func $read (param "offset" u32) (param "length" u32) (result $bytes)
            (canon lift (core func $i "read") (memory $memory)))
        (func $restore (param "changes" $bytes)
            (canon lift (core func $i "restore") (memory $memory) (realloc $realloc)))
        (instance $access
            (export "size" (func $size)) (export "grow" (func $grow))
            (export "read" (func $read)) (export "restore" (func $restore)))
        (export "tool-hub:tool/interpreter-memory@0.1.0" (instance $access))
"#;

fn interpreter(has_memory: bool) -> Interpreter {
    interpreter_with(if has_memory { MEMORY_ACCESS } else { "" })
}

fn interpreter_with(more: &str) -> Interpreter {
    let lifted = format!(
        r#"
        (func $prepare (param "program" string) (result (result (error string)))
            (canon lift (core func $i "prepare") {LIFT}))
        (func $call (param "function" string) (param "arguments" string) (result string)
            (canon lift (core func $i "call") {LIFT}))
        (instance $interpreter
            (export "prepare" (func $prepare)) (export "call" (func $call)))
        (export "tool-hub:tool/interpreter@0.1.0" (instance $interpreter))
        {more}"#
    );
    Interpreter::hashed(component(CORE, &lifted))
}

fn verified(component: Vec<u8>, interpreter: Interpreter) -> Verified {
    let name = "demo".parse().unwrap();
    let mut manifest: Manifest = authoring::derive_manifest(&component, name).unwrap();
    manifest.interpreter = Some(interpreter.claim());
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
        interpreter: Some(interpreter),
        sbom: None,
    };
    Verified::check(package).unwrap()
}

fn with_program(program: &str) -> Vec<u8> {
    let source = WitSource {
        path: Path::new("world.wit"),
        contents: WORLD,
    };
    program_component(&[source], None, program).unwrap()
}

async fn try_load(host: &Host, program: &str, interpreter: Interpreter) -> Result<Tool, HostError> {
    let verified = verified(with_program(program), interpreter);
    host.load(inspect(&verified)?.approve(Grants::none())?)
        .await
}

async fn load(program: &str, interpreter: Interpreter) -> Tool {
    try_load(&HOST, program, interpreter).await.unwrap()
}

const ARGUMENTS: &str = r#"{"question": "what \"for\"?", "times": 2}"#;

async fn ask(tool: &Tool) -> String {
    let reply = reply(tool.call("ask", ARGUMENTS).await);
    reply.structured.unwrap()
}

#[tokio::test]
async fn values_go_both_ways_as_json() {
    let tool = load("=", interpreter(true)).await;
    assert_eq!(ask(&tool).await, r#"["what \"for\"?",2]"#);
}

#[tokio::test]
async fn each_call_finds_what_was_prepared_once() {
    let tool = load("#", interpreter(true)).await;
    for _ in 0..3 {
        // One preparation, this call, and one memory that was restored.
        assert_eq!(ask(&tool).await, r#"["1 1 1",1]"#);
    }
    let fresh = load("#", interpreter(true)).await;
    let at_once = futures::future::join_all((0..8).map(|_| ask(&fresh))).await;
    assert_eq!(at_once, vec![r#"["1 1 1",1]"#; 8]);
    fresh.prepare().await.unwrap();
}

#[tokio::test]
async fn without_access_to_its_memory_an_interpreter_prepares_each_call() {
    let tool = load("#", interpreter(false)).await;
    for _ in 0..3 {
        assert_eq!(ask(&tool).await, r#"["1 1 0",1]"#);
    }
}

#[tokio::test]
async fn tools_with_one_interpreter_do_not_reach_each_other() {
    let shared = interpreter(true);
    let mine = load(r#"["mine",1]"#, shared.clone()).await;
    let yours = load(r#"["yours",2]"#, shared).await;
    for _ in 0..3 {
        assert_eq!(ask(&mine).await, r#"["mine",1]"#);
        assert_eq!(ask(&yours).await, r#"["yours",2]"#);
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_a_failure() {
    for (program, said) in [
        (r#"["a"]"#, "should be"),
        (r#"["a",-1]"#, "`[1]` should be"),
        (r#"["a",1]]"#, "trailing characters"),
        ("nothing", "expected"),
    ] {
        let tool = load(program, interpreter(true)).await;
        let failure = failure(tool.call("ask", ARGUMENTS).await);
        assert_eq!(failure.kind, FailureKind::Trapped);
        assert!(failure.message.contains(said), "{program}: {failure}");
    }
}

#[tokio::test]
async fn a_program_that_cannot_be_prepared_is_not_called() {
    let tool = load("! line 3", interpreter(true)).await;
    for _ in 0..2 {
        let failure = failure(tool.call("ask", ARGUMENTS).await);
        assert_eq!(failure.kind, FailureKind::Trapped);
        assert_eq!(failure.message, "! line 3");
    }
    let error = tool.prepare().await.unwrap_err();
    assert!(
        matches!(&error, HostError::Program { reason, .. } if reason == "! line 3"),
        "{error}"
    );
    let mut config = HostConfig::new();
    config.limits.cpu_ms = 100;
    let host = Host::new(config).unwrap();
    let tool = try_load(&host, "~", interpreter(true)).await.unwrap();
    let error = tool.prepare().await.unwrap_err();
    let says_why = |reason: &str| reason.contains("limit cpu_ms");
    assert!(
        matches!(&error, HostError::Program { reason, .. } if says_why(reason)),
        "{error}"
    );
}

#[test]
fn what_is_no_program_or_no_interpreter_is_refused() {
    let inspected = |component: Vec<u8>, interpreter: Interpreter| {
        let error = inspect(&verified(component, interpreter)).unwrap_err();
        assert!(matches!(error, HostError::Malformed { .. }), "{error}");
        error.to_string()
    };
    let plain = component(
        r#"(func (export "f") (result i32) (i32.const 1))"#,
        r#"(func $f (result u32) (canon lift (core func $i "f"))) (export "f" (func $f))"#,
    );
    let said = inspected(plain.clone(), interpreter(true));
    assert!(said.contains("no section tool-hub:program"), "{said}");
    let said = inspected(with_program("="), Interpreter::hashed(plain));
    assert!(
        said.contains("does not export tool-hub:tool/interpreter"),
        "{said}"
    );
}

#[test]
fn an_inspection_shows_the_interpreter_and_its_imports() {
    let importing = r#"
        (type $environment (instance
            (export "get-environment" (func (result (list (tuple string string)))))))
        (import "wasi:cli/environment@0.2.6" (instance (type $environment)))"#;
    let text = interpreter_with(importing);
    let shown = inspect(&verified(with_program("="), text.clone())).unwrap();
    assert_eq!(shown.interpreter.unwrap().digest, text.digest());
    let names: Vec<&str> = shown
        .imports
        .iter()
        .map(|it| it.interface.as_str())
        .collect();
    assert_eq!(names, ["wasi:cli/environment@0.2.6"]);
    assert_eq!(shown.functions.len(), 1);
    assert!(shown.not_callable.is_empty(), "{:?}", shown.not_callable);
}

/// The world of a program says whether the program talks to a person, and not its interpreter.
#[test]
fn an_interface_of_the_contract_is_shown_where_the_program_imports_it() {
    let importing = r#"
        (type $interaction (instance (export "report-progress"
            (func (param "done" f64) (param "total" (option f64)) (param "message" (option string))))))
        (import "tool-hub:tool/interaction@0.1.0" (instance (type $interaction)))"#;
    let interpreter = interpreter_with(importing);
    let names = |component: Vec<u8>| -> Vec<String> {
        let shown = inspect(&verified(component, interpreter.clone())).unwrap();
        shown.imports.into_iter().map(|it| it.interface).collect()
    };
    assert!(names(with_program("=")).is_empty());
    let world = WORLD.replace(
        "world tool {",
        "world tool { import tool-hub:tool/interaction@0.1.0;",
    );
    let world = WitSource {
        path: Path::new("world.wit"),
        contents: &world,
    };
    let declaring = program_component(&[world], None, "=").unwrap();
    assert_eq!(names(declaring), ["tool-hub:tool/interaction@0.1.0"]);
}
