//! Tests of endpoint replies that are too large, have odd line ends or an invalid status.

use serde_json::{Value, json};

use crate::support::{Reply, Served, question};

const CHAT: &str = "/v1/chat/completions";
const EVENTS: &[(&str, &str)] = &[("content-type", "text/event-stream")];

async fn refusal(reply: Reply) -> (u16, Value) {
    let served = Served::start([reply]).await;
    let asked = served.post(CHAT, &question(&json!({}))).send();
    let response = asked.await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}

fn whole(text: String) -> Reply {
    Reply::Other(200, &[("content-type", "application/json")], text)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_takes_too_much_is_refused() {
    let message = |more: &str| {
        let message = r#"{"role": "assistant", "content": "a", "x": "#;
        format!(r#"{{"choices": [{{"index": 0, "message": {message}{more}}}}}]}}"#)
    };
    for (reply, said) in [
        // Few bytes, and hundreds of megabytes as values.
        (
            message(&format!("[{}0]", r#"{"a":{}},"#.repeat(400_000))),
            "takes more memory than one may",
        ),
        (
            message(&format!("\"{}\"", "x".repeat(4 << 20))),
            "has more than 4194304 bytes",
        ),
    ] {
        let (status, body) = refusal(whole(reply)).await;
        assert_eq!(status, 502);
        assert_eq!(body["error"]["code"], "endpoint_malformed");
        assert_eq!(body["error"]["type"], "server_error");
        let message = body["error"]["message"].as_str().unwrap();
        assert!(message.contains(said), "{message}");
    }
    let (status, body) = refusal(whole(message("[0]"))).await;
    assert_eq!(status, 200, "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_takes_too_much_ends_the_stream() {
    let chunk = |text: &str| {
        let delta = json!({"choices": [{"index": 0, "delta": {"content": text}}]});
        format!("data: {delta}\n\n")
    };
    for (stream, said) in [
        (
            chunk(&"x".repeat(1 << 20)),
            "an event has more than 1048576 bytes",
        ),
        (
            format!(
                "data: {{\"choices\":[{}0]}}\n\n",
                "{\"a\":0},".repeat(100_000)
            ),
            "takes more memory than one may",
        ),
        // What is put together from many.
        (
            chunk(&"x".repeat(1 << 19)).repeat(9),
            "more than 4194304 bytes in all rounds",
        ),
    ] {
        let served = Served::start([Reply::Other(200, EVENTS, stream)]).await;
        let request = question(&json!({"stream": true}));
        let events = served.events(CHAT, &request).await;
        let error = &events[events.len() - 2]["error"];
        assert_eq!(error["code"], "endpoint_malformed", "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(said), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_end_as_the_standard_says() {
    for end in ["\n", "\r\n", "\r"] {
        let chunk = json!({"choices": [{"index": 0, "delta": {"content": "Hi"}}]});
        let stream = format!("\u{feff}data: {chunk}{end}{end}data: [DONE]{end}{end}");
        let served = Served::start([Reply::Other(200, EVENTS, stream)]).await;
        let request = question(&json!({"stream": true}));
        let events = served.events(CHAT, &request).await;
        assert_eq!(events[0]["choices"][0]["delta"]["content"], "Hi", "{end:?}");
        assert_eq!(events.last(), Some(&json!("[DONE]")), "{end:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_that_is_none_is_not_handed_on() {
    let (status, body) = refusal(Reply::Other(999, &[], String::new())).await;
    assert_eq!(status, 502);
    assert_eq!(body["error"]["code"], "endpoint_malformed");
}
