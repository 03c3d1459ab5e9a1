//! Tests of the Responses API, whole and streamed: calls run and shown, and how requests go on.

use serde_json::{Value, json};

use crate::responses_replies::{call, response, streamed, sum, text};
use crate::support::{Reply, Served, question};

const PATH: &str = "/v1/responses";
const SHOWN: &str = "mcp_toolhub_call_1.fc_1";

fn weather() -> Value {
    call(2, "weather", &json!({"city": "Bern"}))
}

fn shown_sum(status: &str, output: Value) -> Value {
    json!({
        "type": "mcp_call", "id": SHOWN, "server_label": "tool-hub", "name": "guest__add",
        "arguments": json!({"a": 20, "b": 22}).to_string(), "output": output, "error": null,
        "status": status, "approval_request_id": null,
    })
}

fn own() -> Value {
    json!([{"type": "function", "name": "weather", "parameters": {}, "strict": false}])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_run_and_shown_as_a_server_s() {
    let served = Served::start([
        Reply::Whole(response("resp_1", "completed", &[sum()])),
        Reply::Whole(response("resp_2", "completed", &[text("It is 42.")])),
    ])
    .await;
    let answer = served
        .respond(&question(
            &json!({"tools": own(), "tool_choice": "required"}),
        ))
        .await;
    assert_eq!(answer["id"], "resp_2");
    assert_eq!(
        answer["output"],
        json!([shown_sum("completed", json!("42")), text("It is 42.")])
    );
    assert_eq!(answer["usage"]["total_tokens"], 24);
    assert_eq!(answer["usage"]["input_tokens_details"]["cached_tokens"], 2);
    assert_eq!(
        answer["tools"],
        json!([{"type": "function", "name": "weather"}])
    );
    assert_eq!(answer["tool_choice"], "required");
    let asked = served.asked();
    assert_eq!(asked[0].body["input"], "20 + 22?");
    assert_eq!(asked[0].body["tool_choice"], "required");
    let added = &asked[0].body["tools"][1];
    assert_eq!(
        (&added["name"], &added["strict"]),
        (&json!("guest__add"), &json!(false))
    );
    assert_eq!(asked[1].body["tool_choice"], "auto");
    assert_eq!(
        asked[1].body["input"],
        json!([
            {"role": "user", "content": "20 + 22?"},
            sum(),
            {"type": "function_call_output", "call_id": "call_1", "output": "42"},
        ])
    );

    // What the client carries to its next request is what the model knows.
    let carried = json!([shown_sum("completed", json!("42")), text("It is 42."), {"role": "user", "content": "Sure?"}]);
    served.then([Reply::Whole(response(
        "resp_3",
        "completed",
        &[text("Yes.")],
    ))]);
    served.respond(&question(&json!({"input": carried}))).await;
    let input = served.asked().remove(0).body["input"].take();
    let mut told = sum();
    told.as_object_mut().unwrap().remove("status");
    assert_eq!(input[0], told);
    assert_eq!(
        input[1],
        json!({"type": "function_call_output", "call_id": "call_1", "output": "42"})
    );
    assert_eq!(input[2], text("It is 42."));
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_and_failures_reach_the_model() {
    for (name, output, shown) in [
        (
            "guest__picture",
            json!([{"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,iVBORw=="}]),
            json!({"status": "completed", "output": "[a picture that cannot be shown here: image/png, 4 bytes]"}),
        ),
        (
            "guest__nothing",
            json!(
                "`guest__nothing` failed (unknown function): there is no such function\nCall one of the functions that are offered."
            ),
            json!({"status": "failed", "output": null}),
        ),
    ] {
        let served = Served::start([
            Reply::Whole(response(
                "resp_1",
                "completed",
                &[call(1, name, &json!({}))],
            )),
            Reply::Whole(response("resp_2", "completed", &[text("Well.")])),
        ])
        .await;
        let answer = served.respond(&question(&json!({}))).await;
        for (member, expect) in shown.as_object().unwrap() {
            assert_eq!(answer["output"][0][member], *expect);
        }
        let failed = answer["output"][0]["error"].is_object();
        assert_eq!(failed, answer["output"][0]["status"] == "failed");
        assert_eq!(served.asked()[1].body["input"][2]["output"], output);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_with_both_kinds_of_calls_goes_on() {
    let both = response("resp_1", "completed", &[sum(), weather()]);
    let rain = json!({"type": "function_call_output", "call_id": "call_2", "output": "rain"});
    let result = json!({"type": "function_call_output", "call_id": "call_1", "output": "42"});
    for (more, anchor) in [
        (json!({}), json!({"previous_response_id": "resp_1"})),
        (
            json!({"conversation": "conv_1"}),
            json!({"conversation": {"id": "conv_1"}}),
        ),
    ] {
        let served = Served::start([Reply::Whole(both.clone())]).await;
        let mut request = question(&json!({"tools": own()}));
        request
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let answer = served.respond(&request).await;
        assert_eq!(
            answer["output"],
            json!([shown_sum("completed", json!("42")), weather()])
        );
        served.asked();
        // The endpoint remembers both calls, and wants both results.
        let mut next = question(&anchor);
        next["input"] = json!([rain]);
        served.then([Reply::Whole(response(
            "resp_2",
            "completed",
            &[text("42, and rain.")],
        ))]);
        served.respond(&next).await;
        assert_eq!(served.asked()[0].body["input"], json!([result, rain]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_endpoint_knows_is_not_told_again() {
    let served = Served::start([
        Reply::Whole(response("resp_1", "completed", &[sum()])),
        Reply::Whole(response("resp_2", "completed", &[weather()])),
        Reply::Whole(response("resp_3", "completed", &[text("42, and rain.")])),
    ])
    .await;
    served.respond(&question(&json!({"tools": own()}))).await;
    let rain = json!([{"type": "function_call_output", "call_id": "call_2", "output": "rain"}]);
    let next = question(&json!({"previous_response_id": "resp_2", "input": rain}));
    served.respond(&next).await;
    assert_eq!(served.asked()[2].body["input"], rain);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_is_told_only_what_is_new() {
    let served = Served::start([
        Reply::Whole(response("resp_1", "completed", &[sum()])),
        Reply::Whole(response("resp_2", "completed", &[text("42")])),
    ])
    .await;
    served
        .respond(&question(&json!({"conversation": "conv_1"})))
        .await;
    let result = json!({"type": "function_call_output", "call_id": "call_1", "output": "42"});
    assert_eq!(served.asked()[1].body["input"], json!([result]));
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_all_rounds_are_numbered_as_one_answer_s() {
    let served = Served::start([
        streamed(&response(
            "resp_1",
            "completed",
            &[text("Let me see."), sum()],
        )),
        streamed(&response("resp_2", "completed", &[text("It is 42.")])),
    ])
    .await;
    let request = question(&json!({"stream": true, "tools": own()}));
    let events = served.events(PATH, &request).await;
    let kinds: Vec<(&str, Option<u64>)> = events
        .iter()
        .map(|event| {
            (
                event["type"].as_str().unwrap(),
                event["output_index"].as_u64(),
            )
        })
        .collect();
    assert_eq!(
        kinds,
        [
            ("response.created", None),
            ("response.in_progress", None),
            ("response.output_item.added", Some(0)),
            ("response.output_text.delta", Some(0)),
            ("response.output_item.done", Some(0)),
            ("response.output_item.added", Some(1)),
            ("response.mcp_call.in_progress", Some(1)),
            ("response.mcp_call_arguments.done", Some(1)),
            ("response.mcp_call.completed", Some(1)),
            ("response.output_item.done", Some(1)),
            ("response.output_item.added", Some(2)),
            ("response.output_text.delta", Some(2)),
            ("response.output_item.done", Some(2)),
            ("response.completed", None),
        ]
    );
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], number);
    }
    assert_eq!(events[9]["item"], shown_sum("completed", json!("42")));
    let last = &events[13]["response"];
    assert_eq!(last["id"], "resp_1");
    assert_eq!(last["usage"]["total_tokens"], 24);
    let output = json!([
        text("Let me see."),
        shown_sum("completed", json!("42")),
        text("It is 42.")
    ]);
    assert_eq!(last["output"], output);
    served.asked();

    // The name that the client was told leads to the last of the endpoint's responses.
    served.then([Reply::Whole(response(
        "resp_3",
        "completed",
        &[text("Yes.")],
    ))]);
    let answer = served
        .respond(&question(&json!({"previous_response_id": "resp_1"})))
        .await;
    assert_eq!(answer["id"], "resp_3");
    assert_eq!(served.asked()[0].body["previous_response_id"], "resp_2");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_s_own_call_streams_as_it_comes() {
    let served = Served::start([streamed(&response("resp_1", "completed", &[weather()]))]).await;
    let request = question(&json!({"stream": true, "tools": own()}));
    let events = served.events(PATH, &request).await;
    let kinds: Vec<&str> = events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    assert!(
        kinds.contains(&"response.function_call_arguments.delta"),
        "{kinds:?}"
    );
    assert_eq!(
        events.last().unwrap()["response"]["output"],
        json!([weather()])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_cut_off_is_not_run() {
    let cut = response("resp_1", "incomplete", &[sum()]);
    for is_streamed in [false, true] {
        let reply = if is_streamed {
            streamed(&cut)
        } else {
            Reply::Whole(cut.clone())
        };
        let served = Served::start([reply]).await;
        let request = question(&json!({"stream": is_streamed}));
        let answer = match is_streamed {
            true => served.events(PATH, &request).await.pop().unwrap()["response"].take(),
            false => served.respond(&request).await,
        };
        assert_eq!(answer["status"], "incomplete");
        assert_eq!(
            answer["output"],
            json!([shown_sum("incomplete", Value::Null)])
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_are_events_or_answers() {
    let served = Served::start([Reply::Stream(
        vec![json!({"type": "error", "code": "oom", "message": "out of memory", "param": null, "sequence_number": 5})],
        false,
    )])
    .await;
    let events = served
        .events(PATH, &question(&json!({"stream": true})))
        .await;
    let expect = json!({"type": "error", "code": "oom", "message": "out of memory", "param": null, "sequence_number": 0});
    assert_eq!(events, [expect]);
    let refused = served
        .post(PATH, &question(&json!({"background": true})))
        .send()
        .await
        .unwrap();
    assert_eq!(refused.status().as_u16(), 400);
}
