//! Tests of Responses API replies with missing members, repeated ids or a cut-off stream.

use serde_json::{Value, json};

use crate::responses_replies::{call, response, streamed, sum, text};
use crate::support::{Reply, Served, question};

const PATH: &str = "/v1/responses";

/// The events of an answer in which the endpoint streams `replies`.
async fn events(replies: impl IntoIterator<Item = Reply>) -> (Vec<Value>, Served) {
    let served = Served::start(replies).await;
    let request = question(&json!({"stream": true}));
    (served.events(PATH, &request).await, served)
}

/// `reply` without `member`, in every event and item of it.
fn without(reply: Reply, member: &str) -> Reply {
    fn strip(value: &mut Value, member: &str) {
        match value {
            Value::Object(members) => {
                members.shift_remove(member);
                members.values_mut().for_each(|value| strip(value, member));
            }
            Value::Array(list) => list.iter_mut().for_each(|value| strip(value, member)),
            _ => {}
        }
    }
    let Reply::Stream(mut events, is_done) = reply else {
        panic!("it is a stream");
    };
    events.iter_mut().for_each(|event| strip(event, member));
    Reply::Stream(events, is_done)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_shown_to_its_end_whatever_is_left_out() {
    for (member, status) in [("call_id", "completed"), ("arguments", "failed")] {
        let calling = streamed(&response("resp_1", "completed", &[sum()]));
        let saying = streamed(&response("resp_2", "completed", &[text("Well.")]));
        let (events, served) = events([without(calling, member), saying]).await;
        let last = events.last().unwrap();
        assert_eq!(last["type"], "response.completed", "{member}");
        let shown = &last["response"]["output"][0];
        assert_eq!(shown["status"], status, "{member}");
        let told: Vec<&Value> = events
            .iter()
            .filter_map(|event| event.pointer("/item/id"))
            .take(2)
            .collect();
        assert_eq!(told, [&shown["id"], &shown["id"]], "{member}");
        let input = &served.asked()[1].body["input"];
        assert!(input[1]["call_id"].is_string(), "{input}");
        assert_eq!(input[1]["call_id"], input[2]["call_id"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_one_id_get_each_its_own_result() {
    let add = |n: u32| call(1, "guest__add", &json!({"a": n, "b": n}));
    let replies = [
        response("resp_1", "completed", &[add(1), add(2)]),
        response("resp_2", "completed", &[add(3)]),
        response("resp_3", "completed", &[text("Well.")]),
    ];
    for is_streamed in [false, true] {
        let served = Served::start(replies.clone().map(|reply| match is_streamed {
            true => streamed(&reply),
            false => Reply::Whole(reply),
        }))
        .await;
        let request = question(&json!({"stream": is_streamed}));
        let answer = match is_streamed {
            true => served.events(PATH, &request).await.pop().unwrap()["response"].take(),
            false => served.respond(&request).await,
        };
        let shown = answer["output"].as_array().unwrap();
        let outputs: Vec<&Value> = shown[..3].iter().map(|item| &item["output"]).collect();
        assert_eq!(outputs, ["2", "4", "6"]);
        let input = served.asked().pop().unwrap().body["input"].take();
        for (at, result, output) in [(1, 3, "2"), (2, 4, "4"), (5, 6, "6")] {
            assert_eq!(input[at]["call_id"], input[result]["call_id"], "{input}");
            assert_eq!(input[result]["output"], output);
        }
        assert_ne!(input[1]["call_id"], input[2]["call_id"]);
        assert_ne!(input[1]["call_id"], input[5]["call_id"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_is_cut_off_runs_nothing_in_any_round() {
    let calling = || streamed(&response("resp_1", "completed", &[sum()]));
    for rounds_before in [0, 1] {
        let Reply::Stream(mut cut, _) = calling() else {
            panic!("it is a stream");
        };
        cut.pop();
        let mut replies = vec![calling(); rounds_before];
        replies.push(Reply::Stream(cut, false));
        let (events, served) = events(replies).await;
        let last = events.last().unwrap();
        assert_eq!(last["type"], "error", "{last}");
        let message = last["message"].as_str().unwrap();
        assert!(message.contains("ends before the answer does"), "{message}");
        assert_eq!(served.asked().len(), rounds_before + 1);
    }
}
