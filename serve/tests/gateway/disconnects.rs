//! Tests that the tool and the request to the endpoint end when the client leaves.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::chat_replies::{call, message};
use crate::support::{Reply, Served, question};

const SOON: Duration = Duration::from_millis(200);

fn calling(name: &str, is_streamed: bool) -> Reply {
    let arguments = match name {
        "guest__add" => json!({"a": 20, "b": 22}),
        _ => json!({}),
    };
    let written = call("call_1", name, &arguments);
    if !is_streamed {
        let written = json!({"role": "assistant", "content": null, "tool_calls": [written]});
        return message(written, "tool_calls");
    }
    let mut delta = json!({"tool_calls": [written]});
    delta["tool_calls"][0]["index"] = 0.into();
    let chunk = json!({"id": "a", "choices": [{"index": 0, "delta": delta, "finish_reason": "tool_calls"}]});
    Reply::Stream(vec![chunk], true)
}

/// Asks and leaves while something goes on that has no end.
async fn leave(served: &Served, body: &Value) {
    let asked = async {
        let response = served
            .post("/v1/chat/completions", body)
            .send()
            .await
            .unwrap();
        response.bytes().await
    };
    let left = tokio::time::timeout(Duration::from_millis(400), asked).await;
    assert!(left.is_err(), "it is endless");
}

#[tokio::test(flavor = "multi_thread")]
async fn guests_end_with_their_client() {
    for is_streamed in [false, true] {
        // One call at once: were the endless one not stopped, no other would be answered.
        let served = Served::start_with(1, [], |gateway| gateway).await;
        let mut times = Vec::new();
        for _ in 0..3 {
            served.then([calling("guest__spin", is_streamed)]);
            leave(&served, &question(&json!({"stream": is_streamed}))).await;
            let begun = Instant::now();
            served.then([
                calling("guest__add", false),
                message(json!({"content": "42"}), "stop"),
            ]);
            served.chat(&question(&json!({}))).await;
            times.push(begun.elapsed());
            let told = served.asked().pop().unwrap().body["messages"][2]["content"].take();
            assert_eq!(told, "42");
        }
        // Now and then the machine has something else to do.
        assert!(
            *times.iter().min().unwrap() < SOON,
            "{is_streamed}: {times:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_to_the_endpoint_end_with_their_client() {
    for is_streamed in [false, true] {
        let replies = [calling("guest__add", is_streamed), Reply::Nothing];
        let served = Served::start(replies).await;
        leave(&served, &question(&json!({"stream": is_streamed}))).await;
        assert_eq!(served.asked().len(), 2);
        let begun = Instant::now();
        while !served.was_left() {
            assert!(begun.elapsed() < 5 * SOON, "{is_streamed}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
