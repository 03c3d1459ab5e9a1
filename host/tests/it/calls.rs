//! Tests of calls: results, the tool's own failures, wrong arguments, unknown functions, fairness.

use tool_hub_host::{CallerKey, ContentBody, FailureKind, Host, HostConfig, Tool};

use crate::support::{LIFT, component, failure, load, reply, try_load};

/// Functions over numbers and strings.
fn arithmetic() -> Vec<u8> {
    component(
        r#"
        (func (export "add") (param i32 i32) (result i32)
            (i32.add (local.get 0) (local.get 1)))
        (func (export "echo") (param i32 i32) (result i32)
            (i32.store (i32.const 16) (local.get 0))
            (i32.store (i32.const 20) (local.get 1))
            (i32.const 16))
        (func (export "nothing"))
        (func (export "fail") (param i32 i32) (result i32)
            (i32.store (i32.const 16) (i32.const 1))
            (i32.store (i32.const 20) (local.get 0))
            (i32.store (i32.const 24) (local.get 1))
            (i32.const 16))
        (func (export "trap") (unreachable))
        "#,
        &format!(
            r#"
            (func (export "add") (param "a" u32) (param "b" u32) (result u32)
                (canon lift (core func $i "add")))
            (func (export "echo") (param "text" string) (result string)
                (canon lift (core func $i "echo") {LIFT}))
            (func (export "nothing") (canon lift (core func $i "nothing")))
            (func (export "always-fails") (param "why" string) (result (result u32 (error string)))
                (canon lift (core func $i "fail") {LIFT}))
            (func (export "trap") (canon lift (core func $i "trap")))
            "#
        ),
    )
}

#[track_caller]
fn names(tool: &Tool) -> Vec<&str> {
    let functions = tool.functions().iter();
    functions.map(|function| function.name.as_str()).collect()
}

#[tokio::test]
async fn plain_values_come_back_as_text_and_as_json() {
    let tool = load(arithmetic()).await;
    assert_eq!(
        names(&tool),
        ["add", "echo", "nothing", "always_fails", "trap"]
    );
    let sum = reply(tool.call("add", r#"{"a": 1, "b": 41}"#).await);
    assert_eq!(
        (sum.text().as_str(), sum.structured.as_deref()),
        ("42", Some("42"))
    );
    let echo = reply(
        tool.call("echo", r#"{"text": "zwölf \"Boxkämpfer\"\n"}"#)
            .await,
    );
    assert_eq!(echo.text(), "zwölf \"Boxkämpfer\"\n");
    assert_eq!(
        echo.structured.as_deref(),
        Some("\"zwölf \\\"Boxkämpfer\\\"\\n\"")
    );
    assert!(matches!(echo.content[0].body, ContentBody::Text(_)));
    let nothing = reply(tool.call("nothing", "").await);
    assert_eq!((nothing.content.len(), nothing.structured), (0, None));
}

#[tokio::test]
async fn the_tool_s_own_failure_is_passed_on() {
    let tool = load(arithmetic()).await;
    let failed = failure(tool.call("always_fails", r#"{"why": "no ink"}"#).await);
    assert_eq!(
        (failed.kind, failed.message.as_str()),
        (FailureKind::Failed, "no ink")
    );
}

#[tokio::test]
async fn wrong_arguments_are_explained() {
    let tool = load(arithmetic()).await;
    for (arguments, argument, message) in [
        (r#"{"a": 1}"#, Some("b"), "argument `b` is missing"),
        (
            r#"{"a": 1, "b": -1}"#,
            Some("b"),
            "argument `b` should be a whole number from 0 to 4294967295, not -1",
        ),
        (
            r#"{"a": "x", "b": 1}"#,
            Some("a"),
            "argument `a` should be a whole number from 0 to 4294967295, not the string \"x\"",
        ),
        (
            r#"{"a": 1, "b": 2, "c": 3}"#,
            Some("c"),
            "argument `c` is unknown",
        ),
        (
            r#"{"a": 1, "a": 2}"#,
            Some("a"),
            "argument `a` is given twice",
        ),
        ("[1, 2]", None, "the arguments should be a JSON object"),
        (
            r#"{"a": 1, "b": 2} x"#,
            None,
            "the arguments are not valid JSON: trailing characters at line 1 column 18",
        ),
    ] {
        let failed = failure(tool.call("add", arguments).await);
        assert_eq!(failed.kind, FailureKind::MalformedArgument);
        assert_eq!(
            (failed.argument.as_deref(), failed.message.as_str()),
            (argument, message)
        );
    }
}

#[tokio::test]
async fn an_unknown_function_names_the_known_ones() {
    let tool = load(arithmetic()).await;
    let failed = failure(tool.call("multiply", "{}").await);
    assert_eq!(failed.kind, FailureKind::UnknownFunction);
    assert_eq!(failed.message, "tool `demo` has no function `multiply`");
    assert!(failed.fix.unwrap().contains("`add`"));
}

#[tokio::test]
async fn a_caller_with_many_calls_keeps_nobody_waiting() {
    let mut config = HostConfig::new();
    config.calls_in_flight_max = 8;
    config.limits.call_ms = 10_000;
    let host = Host::new(config).unwrap();
    let spin = component(
        r#"(func (export "spin") (loop (br 0))) (func (export "nap"))"#,
        r#"(func (export "spin") (canon lift (core func $i "spin")))
            (func (export "nap") (canon lift (core func $i "nap")))"#,
    );
    let tool = try_load(&host, spin).await.unwrap();
    let (ann, bob) = (CallerKey::new("ann"), CallerKey::new("bob"));
    assert!(tool.for_caller(ann.clone()).is(&tool));
    let of_ann: Vec<_> = (0..20)
        .map(|_| {
            let tool = tool.for_caller(ann.clone());
            tokio::spawn(async move { tool.call("spin", "").await })
        })
        .collect();
    // All calls are in their places or in the queue: this runtime has one thread.
    tokio::task::yield_now().await;
    reply(tool.for_caller(bob).call("nap", "").await);
    assert!(of_ann.iter().all(|call| !call.is_finished()));
    of_ann.iter().for_each(tokio::task::JoinHandle::abort);
}
