//! Tests of streamed Chat Completions: rounds joined to one answer, handed-back calls, errors.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::chat_replies::{call, chunk, usage};
use crate::support::{Reply, Served, question};

const PATH: &str = "/v1/chat/completions";

/// A round that says something and calls a function piece by piece.
fn calling(id: &str, name: &str, arguments: &str) -> Reply {
    let (head, tail) = arguments.split_at(arguments.len() / 2);
    let begun = json!({"tool_calls": [{
        "index": 0, "id": format!("call_{id}"), "type": "function",
        "function": {"name": name, "arguments": ""},
    }]});
    let grown = |text: &str| json!({"tool_calls": [{"index": 0, "function": {"arguments": text}}]});
    Reply::Stream(
        vec![
            chunk(id, json!({"role": "assistant", "content": ""}), None),
            chunk(id, json!({"content": "Let me "}), None),
            chunk(id, json!({"content": "see."}), None),
            chunk(id, begun, None),
            chunk(id, grown(head), None),
            chunk(id, grown(tail), None),
            chunk(id, json!({}), Some("tool_calls")),
            usage(id),
        ],
        true,
    )
}

fn saying(id: &str, text: &str) -> Reply {
    Reply::Stream(
        vec![
            chunk(id, json!({"role": "assistant", "content": ""}), None),
            chunk(id, json!({"content": text}), None),
            chunk(id, json!({}), Some("stop")),
            usage(id),
        ],
        true,
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn the_text_of_all_rounds_is_one_answer() {
    let replies = [
        calling("one", "guest__add", r#"{"a": 20, "b": 22}"#),
        saying("two", "It is 42."),
    ];
    let served = Served::start(replies).await;
    let request = question(&json!({"stream": true, "stream_options": {"include_usage": true}}));
    let events = served.events(PATH, &request).await;
    let mut summed = usage("one");
    summed["usage"] = json!({"prompt_tokens": 20, "completion_tokens": 4, "total_tokens": 24});
    assert_eq!(
        events,
        [
            chunk("one", json!({"role": "assistant", "content": ""}), None),
            chunk("one", json!({"content": "Let me "}), None),
            chunk("one", json!({"content": "see."}), None),
            chunk("one", json!({"content": "\n\nIt is 42."}), None),
            chunk("one", json!({}), Some("stop")),
            summed,
            json!("[DONE]"),
        ]
    );
    let asked = served.asked();
    assert_eq!(
        asked[0].body["stream_options"],
        json!({"include_usage": true})
    );
    assert_eq!(
        asked[1].body["messages"],
        json!([
            {"role": "user", "content": "20 + 22?"},
            {"role": "assistant", "content": "Let me see.",
             "tool_calls": [call("call_one", "guest__add", &json!({"a": 20, "b": 22}))
                 .as_object().map(|call| {
                     let mut call = call.clone();
                     call["function"]["arguments"] = r#"{"a": 20, "b": 22}"#.into();
                     call
                 })]},
            {"role": "tool", "tool_call_id": "call_one", "content": "42"},
        ])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_s_own_call_is_handed_back_whole() {
    let tools = json!([{"type": "function", "function": {"name": "weather"}}]);
    let request = question(&json!({"stream": true, "tools": tools}));
    let served = Served::start([calling("one", "weather", r#"{"city": "Bern"}"#)]).await;
    let events = served.events(PATH, &request).await;
    let [.., handed_back, reason, done] = &events[..] else {
        panic!("{events:?}");
    };
    let written = &handed_back["choices"][0]["delta"]["tool_calls"];
    assert_eq!(
        *written,
        json!([{
            "index": 0, "id": "call_one", "type": "function",
            "function": {"name": "weather", "arguments": r#"{"city": "Bern"}"#},
        }])
    );
    assert_eq!(reason["choices"][0]["finish_reason"], "tool_calls");
    // Who did not ask what it cost may not know a chunk without a choice.
    assert_eq!(reason["usage"], usage("one")["usage"]);
    assert_eq!(done, "[DONE]");
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_of_older_servers_are_understood() {
    // Tokens of one object without a name, in an object instead of a list.
    let token = |text: &str| {
        let function = json!({"name": null, "arguments": text});
        chunk(
            "",
            json!({"tool_calls": {"index": 0, "id": "", "type": "function", "function": function}}),
            None,
        )
    };
    let tokens = [
        "{\"function\": {\"_name\": ",
        "\"guest__add\", \"a\": 20,",
        " \"b\": 22}}",
    ];
    let mut events: Vec<Value> = tokens.map(token).into();
    events.push(chunk("", json!({}), Some("eos_token")));
    let served = Served::start([Reply::Stream(events, false), saying("", "42")]).await;
    served
        .events(PATH, &question(&json!({"stream": true})))
        .await;
    assert_eq!(served.asked()[1].body["messages"][2]["content"], "42");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_breaks_off_ends_with_an_error() {
    let error =
        json!({"message": "out of memory", "type": "server_error", "param": null, "code": null});
    let half = vec![chunk("one", json!({"content": "Let"}), None)];
    let failing = vec![half[0].clone(), json!({"error": error})];
    for (reply, says) in [
        (Reply::Stream(failing, true), "out of memory"),
        (Reply::Stream(half, false), "ends before the answer does"),
        (
            Reply::Other(
                200,
                &[("content-type", "text/event-stream")],
                "data: {\n\n".into(),
            ),
            "not valid JSON",
        ),
        (
            Reply::Other(200, &[("content-type", "application/json")], "{}".into()),
            "does not stream",
        ),
    ] {
        let served = Served::start([reply]).await;
        let events = served
            .events(PATH, &question(&json!({"stream": true})))
            .await;
        let [.., error, done] = &events[..] else {
            panic!("{events:?}");
        };
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains(says), "{message}");
        assert_eq!(done, "[DONE]");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_holds_only_so_many_calls() {
    let part = |n: u32| {
        let call = json!({"index": n, "function": {"name": "weather", "arguments": ""}});
        chunk("one", json!({"tool_calls": [call]}), None)
    };
    let served = Served::start([Reply::Stream((0..1025).map(part).collect(), true)]).await;
    let request = question(&json!({"stream": true}));
    let events = served.events(PATH, &request).await;
    let message = &events[events.len() - 2]["error"]["message"];
    assert!(
        message.as_str().unwrap().contains("1024 calls"),
        "{message}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_at_once_has_its_status() {
    let body = r#"{"error": {"message": "no such model"}}"#;
    let reply = Reply::Other(
        404,
        &[("content-type", "application/json"), ("x-request-id", "7")],
        body.into(),
    );
    let served = Served::start([reply]).await;
    let refused = served
        .post(PATH, &question(&json!({"stream": true})))
        .send()
        .await
        .unwrap();
    assert_eq!(refused.status(), StatusCode::NOT_FOUND);
    assert_eq!(refused.headers()["x-request-id"], "7");
    assert_eq!(refused.text().await.unwrap(), body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_last_event_without_an_empty_line_is_read() {
    let first = chunk("one", json!({"role": "assistant", "content": "42"}), None);
    let last = chunk("one", json!({}), Some("stop"));
    for end in ["", "\n", "\n\n"] {
        let kind = &[("content-type", "text/event-stream")];
        let reply = Reply::Other(200, kind, format!("data: {first}\n\ndata: {last}{end}"));
        let served = Served::start([reply]).await;
        let request = question(&json!({"stream": true}));
        let events = served.events(PATH, &request).await;
        assert_eq!(events, [first.clone(), last.clone(), json!("[DONE]")]);
    }
}
