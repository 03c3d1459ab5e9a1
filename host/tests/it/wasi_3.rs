//! Components for WASI 0.3: async functions, and the same gates as for WASI 0.2.

use std::sync::{Arc, Mutex};

use tool_hub_host::{ComponentAsync, FailureKind, Host, HostConfig, LoadEvent, Tool, inspect};
use tool_hub_manifest::{Grants, VariableName};

use crate::support::{HOST, approve, component, failure, load, package, reply, tasks};

const CLOCK: &str = r#"(import "wasi:clocks/monotonic-clock@0.3.0" (instance $clock
    (export "wait-for" (func async (param "how-long" u64)))))"#;

/// `run`, which is async and answers a number by `task.return`.
const RUN: &str = r#"(func (export "run") async (result u32)
    (canon lift (core func $i "run") async (callback (core func $i "go-on"))))"#;

const RETURN: (&str, &str) = ("return", "(canon task.return (result u32))");

async fn answer(tool: &Tool) -> String {
    reply(tool.call("run", "").await).text()
}

#[tokio::test]
async fn an_async_function_is_called_like_any_other() {
    let tool = load(tasks(
        "",
        &[RETURN],
        r#"(import "h" "return" (func $return (param i32)))
        (func (export "run") (result i32) (call $return (i32.const 42)) (i32.const 0))
        (func (export "go-on") (param i32 i32 i32) (result i32) unreachable)"#,
        RUN,
    ))
    .await;
    assert_eq!(answer(&tool).await, "42");
    assert_eq!(answer(&tool).await, "42");
}

/// Both engines keep their code in one cache, and each takes its own.
#[tokio::test]
async fn compiled_code_is_found_again_for_its_engine() {
    let directory = tempfile::tempdir().unwrap();
    let run = r#"(func (export "run") (result i32) (i32.const 7))"#;
    let plain = r#"(func (export "run") (result u32) (canon lift (core func $i "run")))"#;
    let with_tasks = r#"(func (export "run") async (result u32)
        (canon lift (core func $i "run")))"#;
    for is_cached in [false, true] {
        let mut config = HostConfig::new();
        config.cache = Some(directory.path().to_owned());
        let host = Host::new(config).unwrap();
        for lifted in [with_tasks, plain] {
            let events = Arc::<Mutex<Vec<LoadEvent>>>::default();
            let heard = events.clone();
            let approved = approve(component(run, lifted));
            let tool = host.load_with(approved, move |event| heard.lock().unwrap().push(event));
            assert_eq!(answer(&tool.await.unwrap()).await, "7");
            let cached = events.lock().unwrap().contains(&LoadEvent::Cached);
            assert_eq!(cached, is_cached, "{lifted}");
        }
    }
}

#[tokio::test]
async fn a_function_waits_with_its_stack_or_by_its_callback() {
    let blocks = load(tasks(
        CLOCK,
        &[("wait", r#"(canon lower (func $clock "wait-for"))"#)],
        r#"(import "h" "wait" (func $wait (param i64)))
        (func (export "run") (result i32) (call $wait (i64.const 1000000)) (i32.const 7))"#,
        r#"(func (export "run") async (result u32) (canon lift (core func $i "run")))"#,
    ));
    assert_eq!(answer(&blocks.await).await, "7");
    let returns = load(tasks(
        CLOCK,
        &[
            RETURN,
            ("wait", r#"(canon lower (func $clock "wait-for") async)"#),
            ("set", "(canon waitable-set.new)"),
            ("join", "(canon waitable.join)"),
        ],
        r#"(import "h" "return" (func $return (param i32)))
        (import "h" "wait" (func $wait (param i64) (result i32)))
        (import "h" "set" (func $set (result i32)))
        (import "h" "join" (func $join (param i32 i32)))
        (func (export "run") (result i32) (local $s i32)
            (local.set $s (call $set))
            (call $join (i32.shr_u (call $wait (i64.const 1000000)) (i32.const 4))
                (local.get $s))
            (i32.or (i32.const 2) (i32.shl (local.get $s) (i32.const 4))))
        (func (export "go-on") (param i32 i32 i32) (result i32)
            (call $return (local.get 0)) (i32.const 0))"#,
        RUN,
    ));
    // A subtask has news.
    assert_eq!(answer(&returns.await).await, "1");
}

#[tokio::test]
async fn a_task_that_waits_for_nothing_is_ended_at_once() {
    let tool = load(tasks(
        "",
        &[("set", "(canon waitable-set.new)")],
        r#"(import "h" "set" (func $set (result i32)))
        (func (export "run") (result i32)
            (i32.or (i32.const 2) (i32.shl (call $set) (i32.const 4))))
        (func (export "go-on") (param i32 i32 i32) (result i32) unreachable)"#,
        RUN,
    ))
    .await;
    let failed = failure(tool.call("run", "").await);
    assert_eq!(failed.kind, FailureKind::Trapped, "{failed}");
    assert!(failed.message.contains("deadlock"), "{failed}");
}

#[tokio::test]
async fn an_embedder_may_refuse_the_component_model_s_async() {
    let mut config = HostConfig::new();
    config.component_async = ComponentAsync::Refused;
    let host = Host::new(config).unwrap();
    let run = r#"(func (export "run") (result i32) (i32.const 7))"#;
    let lifted = |ty: &str| {
        format!(r#"(func (export "run") {ty} (result u32) (canon lift (core func $i "run")))"#)
    };
    let plain = host.load(approve(component(run, &lifted("")))).await;
    assert_eq!(answer(&plain.unwrap()).await, "7");
    let error = host.load(approve(component(run, &lifted("async")))).await;
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("component-model async (WASI 0.3)"),
        "{error}"
    );
}

#[tokio::test]
async fn only_granted_variables_are_there() {
    let environment = tasks(
        r#"(import "wasi:cli/environment@0.3.0" (instance $env
            (export "get-environment" (func (result (list (tuple string string)))))))"#,
        &[(
            "environment",
            r#"(canon lower (func $env "get-environment") (memory $memory) (realloc $realloc))"#,
        )],
        r#"(import "h" "environment" (func $environment (param i32)))
        (func (export "run") (result i32) (call $environment (i32.const 16)) (i32.const 16))"#,
        r#"(func (export "run") (result (list (tuple string string)))
            (canon lift (core func $i "run") (memory $memory)))"#,
    );
    let verified = package(environment, |manifest| {
        let text = "schema = 1\nname = \"x\"\nversion = \"0.1.0\"\n[capabilities]\n\
            variables = [{ name = \"NAME\" }, { name = \"OTHER\" }]";
        manifest.capabilities = text
            .parse::<tool_hub_manifest::Manifest>()
            .unwrap()
            .capabilities;
    });
    let name: VariableName = "NAME".parse().unwrap();
    let granted = Grants::none().plain_variable(name.clone());
    let approved = inspect(&verified).unwrap().approve(granted).unwrap();
    let approved = approved.with_variable(name, "value").unwrap();
    let tool = HOST.load(approved).await.unwrap();
    assert_eq!(answer(&tool).await, r#"[["NAME","value"]]"#);
    let approved = inspect(&verified).unwrap().approve(Grants::none()).unwrap();
    let tool = HOST.load(approved).await.unwrap();
    assert_eq!(answer(&tool).await, "[]");
}
