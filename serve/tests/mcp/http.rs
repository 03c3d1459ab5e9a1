//! Tests of MCP over HTTP: who is answered, sessions, streams, and clients that leave.

use std::time::{Duration, Instant};

use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tool_hub_serve::MCP_PATH;

use crate::http_server::{Served, call, events};
use crate::{PATIENCE, check, text};

fn sum() -> Value {
    call("add", &json!({"a": 20, "b": 22}))
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_both_eras_are_answered() {
    let served = Served::start(4).await;
    let answered = served.answer(&sum()).await;
    check(&answered["result"], &json!({"content": text("42")}));
    // Without a session and without a word before it.
    let mut alone = sum();
    alone["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let response = served
        .request(&alone)
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "guest__add")
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let answered: Value = response.json().await.unwrap();
    check(
        &answered["result"],
        &json!({"content": text("42"), "resultType": "complete"}),
    );
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_is_streamed() {
    let served = Served::start(4).await;
    let mut work = call("work", &json!({}));
    work["params"]["_meta"] = json!({"progressToken": "p"});
    let response = served.within(&served.session, &work).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let stream = response.text().await.unwrap();
    let events = events(&stream);
    let [progress, result] = &events[..] else {
        panic!("{stream}");
    };
    assert_eq!(progress["method"], "notifications/progress");
    assert_eq!(progress["params"]["message"], "halfway");
    assert_eq!(result["result"]["isError"], false);
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_ask_is_not_answered() {
    let served = Served::start(4).await;
    let sum = sum();
    let cases: [(RequestBuilder, StatusCode); 7] = [
        (served.anonymous(&sum), StatusCode::UNAUTHORIZED),
        (
            served.anonymous(&sum).bearer_auth("0123456789abcdef"),
            StatusCode::UNAUTHORIZED,
        ),
        (
            served.request(&sum).header("host", "evil.example"),
            StatusCode::FORBIDDEN,
        ),
        (
            served
                .request(&sum)
                .header("origin", "https://evil.example"),
            StatusCode::FORBIDDEN,
        ),
        (
            served.request(&sum).header("origin", "null"),
            StatusCode::FORBIDDEN,
        ),
        (
            served
                .client
                .get(&served.url)
                .bearer_auth(served.token.expose()),
            StatusCode::NOT_ACCEPTABLE,
        ),
        (
            served.client.get(served.url.replace(MCP_PATH, "/")),
            StatusCode::UNAUTHORIZED,
        ),
    ];
    for (request, expect) in cases {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), expect);
        let challenge = response.headers().contains_key("www-authenticate");
        assert_eq!(challenge, expect == StatusCode::UNAUTHORIZED);
        if matches!(expect, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            assert_eq!(
                response.headers()["content-type"],
                "application/problem+json"
            );
        }
    }
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_message_is_refused_and_the_server_lives_on() {
    let served = Served::start(4).await;
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#,
        "x".repeat(21 << 20)
    );
    for (body, is_too_long) in [("{", false), ("[]", false), (&deep, false), (&long, true)] {
        // The connection of a body that nobody reads to its end is of no further use.
        let alone = Client::new().post(&served.url).body(body.to_owned());
        let response = alone
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .bearer_auth(served.token.expose())
            .timeout(PATIENCE)
            .send()
            .await
            .unwrap();
        let status = response.status();
        assert!(status.is_client_error(), "{status} for {body:.40}");
        assert_eq!(status == StatusCode::PAYLOAD_TOO_LARGE, is_too_long);
    }
    let answered = served.answer(&sum()).await;
    check(&answered["result"], &json!({"content": text("42")}));
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_ends_when_its_client_leaves() {
    // One call at once: were the endless one not stopped, no other would be answered.
    let served = Served::start(1).await;
    for era in ["2025-11-25", "2026-07-28"] {
        let mut times = Vec::new();
        for _ in 0..3 {
            times.push(after_leaving(&served, era).await);
        }
        // Now and then the machine has something else to do.
        let least = times.iter().min().unwrap();
        assert!(*least < Duration::from_millis(200), "{era}: {times:?}");
    }
    served.shut_down().await;
}

/// How long another call takes after the client of an endless one has left.
async fn after_leaving(served: &Served, era: &str) -> Duration {
    let mut spin = call("spin", &json!({}));
    spin["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": era,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let endless = match era {
        "2025-11-25" => served.within(&served.session, &spin),
        _ => served
            .request(&spin)
            .header("mcp-protocol-version", era)
            .header("mcp-method", "tools/call")
            .header("mcp-name", "guest__spin"),
    };
    let endless = async { endless.send().await.unwrap().text().await };
    let left = tokio::time::timeout(Duration::from_millis(300), endless).await;
    assert!(left.is_err(), "it is endless");
    let begun = Instant::now();
    let answered = served.answer(&sum()).await;
    check(&answered["result"], &json!({"content": text("42")}));
    begun.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_asked_on_the_stream_of_its_call() {
    let served = Served::start(4).await;
    let session = served.open(&json!({"elicitation": {}})).await;
    let confirm = served.within(&session, &call("confirm", &json!({})));
    let mut response = confirm.send().await.unwrap();
    let (mut stream, mut answered) = (String::new(), 0);
    let result = loop {
        let chunk = response.chunk().await.unwrap().unwrap();
        stream.push_str(std::str::from_utf8(&chunk).unwrap());
        let Some(message) = events(&stream).into_iter().nth(answered) else {
            continue;
        };
        if message["method"] != "elicitation/create" {
            break message;
        }
        answered += 1;
        let answer = json!({
            "jsonrpc": "2.0", "id": message["id"],
            "result": {"action": "accept", "content": {"ok": true}},
        });
        let accepted = served.within(&session, &answer).send().await.unwrap();
        assert_eq!(accepted.status(), StatusCode::ACCEPTED);
    };
    assert_eq!(answered, 2);
    assert_eq!(result["result"]["isError"], false, "{result}");
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_end_when_their_clients_or_too_many_others_say_so() {
    let served = Served::start(4).await;
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let status = async |session: &str| {
        let response = served.within(session, &list).send().await;
        response.unwrap().status()
    };
    assert_eq!(status("no-such-session").await, StatusCode::NOT_FOUND);
    let first = served.open(&json!({})).await;
    assert_eq!(status(&first).await, StatusCode::OK);
    let end = served.client.delete(&served.url);
    let end = end.bearer_auth(served.token.expose());
    let ended = end.header("mcp-session-id", &first).send().await.unwrap();
    assert!(ended.status().is_success(), "{}", ended.status());
    assert_eq!(status(&first).await, StatusCode::NOT_FOUND);
    // There is room for 256; the one that was left alone the longest goes.
    let old = served.open(&json!({})).await;
    for _ in 0..255 {
        served.open(&json!({})).await;
    }
    assert_eq!(status(&old).await, StatusCode::OK);
    assert_eq!(status(&served.session).await, StatusCode::NOT_FOUND);
    served.open(&json!({})).await;
    assert_eq!(status(&old).await, StatusCode::OK);
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_under_way_do_not_hold_a_shutdown_up() {
    let served = Served::start(4).await;
    let address = served.url["http://".len()..].trim_end_matches(MCP_PATH);
    let mut half = TcpStream::connect(address).await.unwrap();
    half.write_all(b"POST /mcp HTTP/1.1\r\nhost: loc")
        .await
        .unwrap();
    let endless = served.within(&served.session, &call("spin", &json!({})));
    let endless = tokio::spawn(async move { endless.send().await });
    tokio::time::sleep(Duration::from_millis(200)).await;
    let begun = Instant::now();
    served.shut_down().await;
    assert!(
        begun.elapsed() < Duration::from_secs(8),
        "{:?}",
        begun.elapsed()
    );
    endless.abort();
}
