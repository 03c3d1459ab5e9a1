//! End-to-end tests of MCP: here on streams (lists, calls, questions), over HTTP in modules.
//! rmcp's own client and hand-written lines talk over an in-memory stream to a real component in
//! the real sandbox.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod argument_repair;
mod audit;
mod callers;
mod changes;
mod discovery;
mod http;
mod http_server;
mod list_size;
mod long_names;
mod names;
mod rest;
mod slow;
mod stored_results;
mod support;

use std::time::Duration;

use rmcp::ServiceError;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResponse, ClientRequest, ErrorCode,
};
use rmcp::service::PeerRequestOptions;
use serde_json::{Value, json};
use support::{Era, Person, Session, catalogue, lines, offers, params};
use tool_hub_serve::{Catalogue, End};

/// The longest time that a test waits for an answer.
const PATIENCE: Duration = Duration::from_secs(20);

#[track_caller]
fn check(result: &Value, expect: &Value) {
    for (member, expected) in expect.as_object().unwrap() {
        assert_eq!(&result[member], expected, "{member} of {result}");
    }
}

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_functions_in_order_with_everything_agents_read() {
    for era in [Era::Session, Era::Stateless] {
        let session = Session::open(era, Person::absent()).await;
        let tools = session.client.list_all_tools().await.unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        let functions = [
            "add", "echo", "refuse", "spin", "work", "confirm", "bounds", "picture",
        ];
        assert_eq!(names, functions.map(|name| format!("guest__{name}")));
        let bounds = serde_json::to_value(&tools[6]).unwrap();
        check(
            &bounds,
            &json!({
                "title": "Bounds",
                "description": "Gives both bounds back.",
                "annotations": {"readOnlyHint": true, "idempotentHint": true},
            }),
        );
        assert_eq!(bounds["inputSchema"]["required"], json!(["low", "high"]));
        let output = &bounds["outputSchema"];
        assert_eq!(output["type"], "object");
        assert_eq!(output["properties"]["high"]["type"], "integer");
        let add = serde_json::to_value(&tools[0]).unwrap();
        let wrapped = &add["outputSchema"]["properties"]["result"];
        assert_eq!(wrapped["type"], "integer");
        session.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_agents_would_refuse_is_not_offered() {
    let mut offers = offers(1).await;
    offers.truncate(2);
    for (name, schema, expect) in [
        (
            "guest__echo",
            json!({"type": "object"}),
            "two functions are called `guest__echo`",
        ),
        (
            "guest add",
            json!({"type": "object"}),
            "`guest add` cannot be offered: the name will be refused: \
             1 to 128 of A-Z, a-z, 0-9, `_`, `-` and `.`",
        ),
        (
            "guest__add",
            json!("no schema"),
            "`guest__add` cannot be offered: its definition is malformed",
        ),
    ] {
        let mut offers = offers.clone();
        offers[0].spec.name = name.to_owned();
        offers[0].spec.input_schema = schema;
        let refused = Catalogue::new(offers).err().unwrap();
        assert_eq!(refused.to_string(), expect);
    }
    assert_eq!(
        Catalogue::new(offers).unwrap().names().collect::<Vec<_>>(),
        ["guest__add", "guest__echo"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_calls_in_both_eras() {
    for era in [Era::Session, Era::Stateless] {
        let session = Session::open(era, Person::absent()).await;
        for (function, arguments, expect) in [
            (
                "add",
                json!({"a": 1, "b": 2}),
                json!({"structuredContent": {"result": 3}, "content": text("3"), "isError": false}),
            ),
            (
                "bounds",
                json!({"low": -1, "high": 2}),
                json!({"structuredContent": {"low": -1, "high": 2}, "isError": false}),
            ),
            (
                "echo",
                json!({"text": "ä\n\"€\""}),
                json!({"structuredContent": {"result": "ä\n\"€\""}, "content": text("ä\n\"€\"")}),
            ),
            (
                "picture",
                json!({}),
                json!({
                    "content": [{"type": "image", "data": "iVBORw==", "mimeType": "image/png"}],
                    "isError": false,
                }),
            ),
        ] {
            check(&session.call(function, arguments).await, &expect);
        }
        session.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_results_that_teach() {
    let session = Session::open(Era::Session, Person::absent()).await;
    let refused = session
        .call("refuse", json!({"text": "no notes yet"}))
        .await;
    check(
        &refused,
        &json!({
            "isError": true,
            "content": text("`guest__refuse` failed: no notes yet\nDo not repeat this call unchanged."),
            "structuredContent": null,
        }),
    );
    let wrong = session.call("add", json!({"a": "x", "b": 2})).await;
    assert_eq!(wrong["isError"], true);
    assert_eq!(wrong["_meta"]["tool-hub/failure"]["argument"], "a");
    let told = wrong["content"][0]["text"].as_str().unwrap();
    assert!(
        told.starts_with("`guest__add` failed (invalid argument)"),
        "{told}"
    );
    session.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_tool_is_an_error_of_the_protocol() {
    let session = Session::open(Era::Session, Person::absent()).await;
    for (name, message) in [
        (
            "guest__ad",
            "unknown tool `guest__ad`; did you mean `guest__add`?",
        ),
        (
            "guest__nope",
            "unknown tool `guest__nope`; list the tools to see every name",
        ),
        (
            "\u{1b}[2J",
            "unknown tool `\\u{1b}[2J`; list the tools to see every name",
        ),
    ] {
        let error = session
            .client
            .call_tool(CallToolRequestParams::new(name))
            .await
            .unwrap_err();
        let ServiceError::McpError(error) = error else {
            panic!("{error}");
        };
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
        assert_eq!(error.message, message);
    }
    session.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_arrives_before_the_result() {
    let person = Person::absent();
    let heard = person.heard.clone();
    let session = Session::open(Era::Session, person).await;
    let result = session.call("work", json!({})).await;
    check(&result, &json!({"structuredContent": {"result": 2}}));
    session.close().await;
    let heard = heard.lock().unwrap();
    assert_eq!(*heard, [(1.0, Some(2.0), Some("halfway".to_owned()))]);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_run_side_by_side_and_cancelling_stops_the_guest() {
    // Two calls at once: were an endless one not stopped, the third round would wait for
    // ever.
    let session = Session::open_with(2, Era::Session, Person::absent()).await;
    for _ in 0..3 {
        let endless = session
            .client
            .send_cancellable_request(
                ClientRequest::CallToolRequest(CallToolRequest::new(params("spin", json!({})))),
                PeerRequestOptions::no_options(),
            )
            .await
            .unwrap();
        let answered = session.call("add", json!({"a": 1, "b": 1}));
        let result = tokio::time::timeout(PATIENCE, answered).await.unwrap();
        check(&result, &json!({"structuredContent": {"result": 2}}));
        endless.cancel(None).await.unwrap();
    }
    session.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_reach_the_person_in_both_eras() {
    let answered = json!({"isError": false, "content": text(r#"{"ok":true}"#)});
    let refused = json!({
        "isError": true,
        "content": text("`guest__confirm` failed: nobody said yes\nDo not repeat this call unchanged."),
    });
    for era in [Era::Session, Era::Stateless] {
        let consenting = Person::answering(json!({"ok": true}));
        let asked = consenting.asked.clone();
        for (person, expect) in [
            (consenting, &answered),
            (Person::declining(), &refused),
            (Person::absent(), &refused),
        ] {
            let session = Session::open(era, person).await;
            check(&session.call("confirm", json!({})).await, expect);
            session.close().await;
        }
        assert_eq!(
            *asked.lock().unwrap(),
            [
                "The tool `guest__confirm` asks: Delete 12 notes?",
                "The tool `guest__confirm` asks: Really?",
            ]
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_runs_once_a_person_confirmed_it() {
    let question = "May `echo` of the tool `guest` run with text: \"drop\"? It does so only with your confirmation.";
    for era in [Era::Session, Era::Stateless] {
        let consenting = Person::answering(json!({"run": true}));
        let asked = consenting.asked.clone();
        for (person, text, failed) in [
            (consenting, "drop", None),
            (Person::absent(), "keep", None),
            (
                Person::answering(json!({"run": false})),
                "drop",
                Some("the person did not confirm this call"),
            ),
            (
                Person::declining(),
                "drop",
                Some("the person did not confirm this call"),
            ),
            (Person::absent(), "drop", Some("nobody can be asked here")),
        ] {
            let session = Session::open(era, person).await;
            let result = session.call("echo", json!({ "text": text })).await;
            assert_eq!(result["isError"], failed.is_some(), "{result}");
            let said = failed.unwrap_or(text);
            assert!(result["content"].to_string().contains(said), "{result}");
            session.close().await;
        }
        assert_eq!(*asked.lock().unwrap(), [question]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_cannot_be_put_before_another_call() {
    let person = Person::answering(json!({"ok": true}));
    let session = Session::open(Era::Stateless, person).await;
    let first = params("confirm", json!({}));
    let CallToolResponse::InputRequired(required) =
        session.client.call_tool_once(first.clone()).await.unwrap()
    else {
        panic!("the first round asks");
    };
    let state = required.request_state.unwrap();
    let questions = required.input_requests.unwrap();
    assert_eq!(questions.keys().collect::<Vec<_>>(), ["sure"]);
    let mut forged = state.clone();
    forged.pop();
    for (call, state) in [
        (first, forged),
        (params("echo", json!({"text": "x"})), state),
    ] {
        let call = call.with_request_state(state);
        let error = session.client.call_tool_once(call).await.unwrap_err();
        let ServiceError::McpError(error) = error else {
            panic!("{error}");
        };
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
        assert!(
            error
                .message
                .starts_with("requestState does not belong to this call"),
            "{error}"
        );
    }
    session.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn serving_ends_with_the_input_or_on_request() {
    let session = Session::open(Era::Session, Person::absent()).await;
    assert_eq!(session.close().await, End::InputClosed);

    let session = Session::open(Era::Session, Person::absent()).await;
    let endless = session
        .client
        .send_cancellable_request(
            ClientRequest::CallToolRequest(CallToolRequest::new(params("spin", json!({})))),
            PeerRequestOptions::no_options(),
        )
        .await
        .unwrap();
    let ended = tokio::time::timeout(PATIENCE, session.shut_down());
    assert_eq!(ended.await.unwrap(), End::ShutDown);
    drop(endless);

    // A client that leaves without a word is no error.
    let (out, end) = lines(catalogue(1).await, &[]).await;
    assert_eq!((out.len(), end), (0, End::InputClosed));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_output_is_one_message_a_line_and_nothing_else() {
    let (mut out, end) = lines(
        catalogue(1).await,
        &[
            json!({
                "jsonrpc": "2.0", "id": 1, "method": "initialize",
                "params": {
                    "protocolVersion": "2025-06-18", "capabilities": {},
                    "clientInfo": {"name": "lines", "version": "0"},
                },
            }),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({
                "jsonrpc": "2.0", "id": "two", "method": "tools/call",
                "params": {"name": "guest__add", "arguments": {"a": 2, "b": 3}},
            }),
        ],
    )
    .await;
    assert_eq!(end, End::InputClosed);
    let [opened, called] = &mut out[..] else {
        panic!("{out:?}");
    };
    let mark = called["result"].as_object_mut().unwrap().remove("_meta");
    assert_eq!(mark.unwrap()["tool-hub/untrusted"], true);
    assert_eq!(opened["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(opened["result"]["serverInfo"]["name"], "tool-hub");
    assert_eq!(
        *called,
        json!({
            "jsonrpc": "2.0", "id": "two",
            "result": {
                "content": text("5"),
                "structuredContent": {"result": 5},
                "isError": false,
            },
        })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_sessions_is_answered_at_once() {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "lines", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let (out, _) = lines(
        catalogue(1).await,
        &[
            json!({
                "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta},
            }),
            json!({
                "jsonrpc": "2.0", "id": 2, "method": "tools/call",
                "params": {"_meta": meta, "name": "guest__add", "arguments": {"a": 2, "b": 3}},
            }),
            json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {"_meta": meta}}),
        ],
    )
    .await;
    let by_id = |id: u32| {
        out.iter()
            .find(|message| message["id"] == id)
            .map(|message| &message["result"])
            .unwrap_or_else(|| panic!("{id} in {out:?}"))
    };
    let versions = by_id(1)["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")));
    assert!(versions.contains(&json!("2025-11-25")));
    assert_eq!(by_id(2)["resultType"], "complete");
    assert_eq!(by_id(2)["structuredContent"], json!({"result": 5}));
    assert_eq!(by_id(3)["cacheScope"], "private");
    assert_eq!(by_id(3)["tools"].as_array().unwrap().len(), 8);
}
