//! A test component that logs its arguments and a secret, and a helper that calls it.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tool_hub_host::{Approved, Interaction, Outcome, Output};
use tool_hub_manifest::{Grants, VariableRequest, Verified};

use crate::support::{HOST, MEMORY, package};

/// Writes its variable, or what it is told, to its log so many times, and traps when it is
/// told to.
fn logging_component() -> Verified {
    let text = format!(
        r#"(component
        (import "wasi:logging/logging@0.1.0-draft" (instance $logging
            (type $level' (enum "trace" "debug" "info" "warn" "error" "critical"))
            (export "level" (type $level (eq $level')))
            (export "log" (func
                (param "level" $level) (param "context" string) (param "message" string)))))
        (import "wasi:cli/environment@0.2.0" (instance $env
            (export "get-environment" (func (result (list (tuple string string)))))))
        (core module $libc {MEMORY})
        (core instance $c (instantiate $libc))
        (alias core export $c "memory" (core memory $memory))
        (alias core export $c "realloc" (core func $realloc))
        (core func $log (canon lower (func $logging "log") (memory $memory) (realloc $realloc)))
        (core func $env (canon lower (func $env "get-environment") (memory $memory) (realloc $realloc)))
        (core module $m
            (import "h" "memory" (memory 1))
            (import "h" "log" (func $log (param i32 i32 i32 i32 i32)))
            (import "h" "env" (func $env (param i32)))
            (func (export "say") (param $level i32) (param $m i32) (param $ml i32) (param $times i32)
                (loop $more
                    (call $log (local.get $level) (i32.const 400) (i32.const 4) (local.get $m) (local.get $ml))
                    (local.set $times (i32.sub (local.get $times) (i32.const 1)))
                    (br_if $more (i32.gt_s (local.get $times) (i32.const 0)))))
            (func (export "leak") (result i32) (local $at i32)
                (call $env (i32.const 16))
                (local.set $at (i32.load (i32.const 16)))
                (call $log (i32.const 2)
                    (i32.load (i32.add (local.get $at) (i32.const 8)))
                    (i32.load (i32.add (local.get $at) (i32.const 12)))
                    (i32.load (i32.add (local.get $at) (i32.const 8)))
                    (i32.load (i32.add (local.get $at) (i32.const 12))))
                (i32.store8 (i32.const 128) (i32.const 1))
                (i32.store (i32.const 132) (i32.load (i32.add (local.get $at) (i32.const 8))))
                (i32.store (i32.const 136) (i32.load (i32.add (local.get $at) (i32.const 12))))
                (i32.const 128))
            (func (export "tell") (result i32) (local $at i32)
                (call $env (i32.const 16))
                (local.set $at (i32.load (i32.const 16)))
                (i32.store (i32.const 128) (i32.load (i32.add (local.get $at) (i32.const 8))))
                (i32.store (i32.const 132) (i32.load (i32.add (local.get $at) (i32.const 12))))
                (i32.const 128))
            (data (i32.const 400) "test"))
        (core instance $i (instantiate $m (with "h" (instance
            (export "memory" (memory $memory))
            (export "log" (func $log))
            (export "env" (func $env))))))
        (func (export "say") (param "level" u32) (param "message" string) (param "times" u32)
            (canon lift (core func $i "say") (memory $memory) (realloc $realloc)))
        (func (export "leak") (result (result (error string)))
            (canon lift (core func $i "leak") (memory $memory) (realloc $realloc)))
        (func (export "tell") (result string)
            (canon lift (core func $i "tell") (memory $memory) (realloc $realloc))))"#
    );
    package(wat::parse_str(text).unwrap(), |manifest| {
        manifest.capabilities.variables.push(VariableRequest {
            name: "API_KEY".parse().unwrap(),
            secret: true,
            why: String::new(),
        });
    })
}

#[derive(Default)]
struct OutputRecorder(Mutex<Output>);

impl Interaction for OutputRecorder {
    fn output(&self, output: &Output) {
        *self.0.lock().unwrap() = output.clone();
    }
}

pub(crate) const SECRET: &str = "canary-77aa01";

pub(crate) async fn talk(function: &str, arguments: Value) -> (Outcome, Output) {
    let name = || "API_KEY".parse().unwrap();
    let approved =
        Approved::from_lock_record(logging_component(), Grants::none().variable(name())).unwrap();
    let approved = approved.with_variable(name(), SECRET).unwrap();
    let tool = HOST.load(approved).await.unwrap();
    let listener = Arc::new(OutputRecorder::default());
    let outcome = tool
        .call_with(function, &arguments.to_string(), listener.clone())
        .await;
    let output = listener.0.lock().unwrap().clone();
    (outcome, output)
}
