//! Tests that no answer repeats a name or an argument of 100 KB that a client sent.

use std::time::Duration;

use serde_json::{Value, json};

use crate::http_server::Served;

/// Longer than any name or message needs.
const ANSWER_BYTES_MAX: usize = 4 << 10;

fn long() -> String {
    "long".repeat(25_000)
}

/// Requests that name something that is not there, or is of the wrong kind.
fn requests() -> Vec<Value> {
    let long = long();
    let asked = [
        ("tools/call", json!({"name": long, "arguments": {}})),
        (
            "tools/call",
            json!({"name": "guest__add", "arguments": {long.clone(): 1}}),
        ),
        (
            "tools/call",
            json!({"name": "guest__add", "arguments": {"a": long, "b": long}}),
        ),
        (
            "tools/call",
            json!({"name": "read_answer", "arguments": {"id": long}}),
        ),
        (
            "tools/call",
            json!({"name": "read_answer", "arguments": {long.clone(): 1}}),
        ),
        (
            "tools/call",
            json!({"name": "read_answer", "arguments": {"id": "a", "page": long}}),
        ),
        (
            "tools/call",
            json!({"name": "guest__add", "arguments": long}),
        ),
        ("tools/list", json!({"cursor": long})),
        ("prompts/get", json!({"name": long})),
        ("resources/read", json!({"uri": long})),
        ("resources/subscribe", json!({"uri": long})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": long}, "argument": {"name": long, "value": long}}),
        ),
        (&long, json!({})),
    ];
    let asked = asked.into_iter().enumerate();
    asked
        .map(|(id, (method, params))| {
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        })
        .collect()
}

#[track_caller]
fn is_cut(request: &Value, answer: &str) {
    let request = request.to_string().replace(&long(), "LONG");
    assert!(!answer.contains(&long()[..1_000]), "{request}");
    assert!(
        answer.len() < ANSWER_BYTES_MAX,
        "{request}: {}",
        answer.len()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_repeats_a_long_name() {
    let served = Served::start(1).await;
    for request in requests() {
        let answer = served.answer_text(&request).await;
        is_cut(&request, &answer);
    }
    let rest = async |path: &str, body: String| {
        let request = served.client.post(served.rest(path));
        let request = request
            .header("content-type", "application/json")
            .body(body.clone());
        let request = request.bearer_auth(served.token.expose());
        let answer = request
            .timeout(Duration::from_secs(20))
            .send()
            .await
            .unwrap();
        assert!(answer.status().is_client_error(), "{}", answer.status());
        is_cut(&json!(body), &answer.text().await.unwrap());
    };
    rest(&format!("/tools/{}", "long".repeat(2_000)), "{}".into()).await;
    for arguments in [
        json!({long(): 1}),
        json!({"a": long(), "b": 1}),
        json!(long()),
    ] {
        rest("/tools/guest__add", arguments.to_string()).await;
    }
    served.shut_down().await;
}
