//! Tests of several callers on one server: separate tools, sessions and state, and fair turns.

use std::time::{Duration, Instant};

use reqwest::StatusCode;
use serde_json::{Value, json};
use tool_hub_serve::{Catalogue, Toolset};

use crate::http_server::{Served, call};
use crate::support::{catalogue, offers};
use crate::{PATIENCE, check, text};

/// Ann has all functions, and Robin the first one.
async fn served() -> Served {
    let mut few = offers(1).await;
    few.truncate(1);
    let few = Toolset::new(Catalogue::new(few).unwrap());
    let all = Toolset::new(catalogue(1).await);
    Served::start_with(&[("ann", all), ("robin", few)]).await
}

const ROBINS: &str = "robinrobinrobinrobin";

#[tokio::test(flavor = "multi_thread")]
async fn each_token_leads_to_its_own_tools() {
    let served = served().await;
    let list = |token: &str| {
        let list = served.client.get(served.rest("/tools")).bearer_auth(token);
        async { list.send().await.unwrap().json::<Value>().await.unwrap() }
    };
    let anns = list(served.token.expose()).await;
    let robins = list(ROBINS).await;
    assert_eq!(anns["tools"].as_array().unwrap().len(), 8);
    assert_eq!(robins["tools"], json!([anns["tools"][0]]));

    let echo = call("echo", &json!({"text": "hi"}));
    check(
        &served.answer(&echo).await["result"],
        &json!({"content": text("hi")}),
    );
    // Ann's session is none of Robin's.
    let theirs = served.anonymous(&echo).bearer_auth(ROBINS);
    let theirs = theirs
        .header("mcp-protocol-version", "2025-11-25")
        .header("mcp-session-id", &served.session);
    let refused = theirs.send().await.unwrap();
    assert_eq!(refused.status(), StatusCode::NOT_FOUND);
    let refused = served
        .client
        .post(served.rest("/tools/guest__echo"))
        .bearer_auth(ROBINS);
    let refused = refused.json(&json!({"text": "hi"})).send().await.unwrap();
    assert_eq!(refused.status(), StatusCode::NOT_FOUND);
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whose_calls_never_end_keeps_nobody_out() {
    let both = Toolset::new(catalogue(8).await);
    let served = Served::start_with(&[("ann", both.clone()), ("robin", both)]).await;
    let call = |function: &str, token: &str, arguments: Value| {
        let request = served
            .client
            .post(served.rest(&format!("/tools/guest__{function}")));
        request.bearer_auth(token).json(&arguments).send()
    };
    let anns = served.token.expose();
    let endless: Vec<_> = (0..40)
        .map(|_| tokio::spawn(call("spin", anns, json!({}))))
        .collect();
    // By now, as many of them run as may.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let begun = Instant::now();
    let answered = call("add", ROBINS, json!({"a": 20, "b": 22}))
        .await
        .unwrap();
    let answered: Value = answered.json().await.unwrap();
    assert_eq!(answered["structured"], json!({"result": 42}));
    // The other caller's calls take at least ten seconds.
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
    assert!(endless.iter().all(|call| !call.is_finished()));
    endless.iter().for_each(tokio::task::JoinHandle::abort);
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_sealed_for_one_caller_opens_for_no_other() {
    let both = Toolset::new(catalogue(1).await);
    let served = Served::start_with(&[("ann", both.clone()), ("robin", both)]).await;
    let mut confirm = call("confirm", &json!({}));
    confirm["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    });
    let send = |token: String, body: Value| {
        let request = served
            .client
            .post(&served.url)
            .bearer_auth(token)
            .json(&body);
        let request = request
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/call")
            .header("mcp-name", "guest__confirm")
            .timeout(PATIENCE);
        async { request.send().await.unwrap().json::<Value>().await.unwrap() }
    };
    let anns = served.token.expose().to_owned();
    let asked = send(anns.clone(), confirm.clone()).await;
    let state = asked["result"]["requestState"].clone();
    assert!(state.is_string(), "{asked}");
    confirm["params"]["requestState"] = state;
    confirm["params"]["inputResponses"] =
        json!({"sure": {"action": "accept", "content": {"ok": true}}});
    let refused = send(ROBINS.to_owned(), confirm.clone()).await;
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("does not belong to this call"),
        "{message}"
    );
    let asked_again = send(anns, confirm).await;
    assert!(
        asked_again["result"]["requestState"].is_string(),
        "{asked_again}"
    );
    served.shut_down().await;
}
