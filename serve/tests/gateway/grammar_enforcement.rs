//! Tests that tool calls are emulated by a grammar on an endpoint that knows no tools.

use serde_json::{Value, json};
use tool_hub_agent::constraint::Backend;

use crate::chat_replies::{chunk, text, usage};
use crate::support::{Reply, Served, own, question};

async fn start(replies: impl IntoIterator<Item = Reply>) -> Served {
    Served::start_with(4, replies, |gateway| gateway.held_by(Backend::Vllm)).await
}

fn sum() -> Reply {
    text(r#"{"name": "guest__add", "arguments": {"a": 20, "b": 22}}"#)
}

fn said() -> Reply {
    text(r#"{"answer": "It is 42."}"#)
}

fn named(name: &str) -> Value {
    json!({"type": "function", "function": {"name": name}})
}

/// What the model is told of calling, in the first message.
fn instructions(request: &Value) -> &str {
    let first = &request["messages"][0];
    assert_eq!(first["role"], "system", "{request}");
    first["content"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_choice_of_tools_is_a_grammar() {
    for (choice, may_answer, may_call_others) in [
        (json!(null), true, true),
        (json!("auto"), true, true),
        (json!("required"), false, true),
        (named("guest__add"), false, false),
        (json!("guest__add"), false, false),
    ] {
        let served = start([sum(), said()]).await;
        let tools = [own("weather")];
        let request = question(&json!({"tools": tools, "tool_choice": choice}));
        let answer = served.chat(&request).await;
        let message = json!({"role": "assistant", "content": "It is 42."});
        assert_eq!(answer["choices"][0]["message"], message, "{choice}");
        let asked = served.asked();
        let [first, second] = &asked[..] else {
            panic!("two rounds");
        };
        for request in [&first.body, &second.body] {
            assert!(request.get("tools").is_none(), "{request}");
            assert!(request.get("tool_choice").is_none(), "{request}");
            assert!(!request["structured_outputs"].is_null(), "{request}");
            assert_eq!(request["seed"], 7);
        }
        let told = instructions(&first.body);
        assert!(told.contains("guest__add"), "{told}");
        assert_eq!(told.contains(r#"{"answer": "#), may_answer, "{choice}");
        assert_eq!(told.contains("weather"), may_call_others, "{choice}");
        // A choice that forces a call forces one.
        let told = instructions(&second.body);
        assert!(told.contains(r#"{"answer": "#), "{choice}");
        let messages = second.body["messages"].as_array().unwrap();
        let (call, result) = (&messages[2], &messages[3]);
        assert_eq!(call["role"], "assistant");
        assert_eq!(
            call["content"],
            r#"{"name":"guest__add","arguments":{"a":20,"b":22}}"#
        );
        let expect = json!({"role": "user", "content": "Result of guest__add:\n42"});
        assert_eq!(result, &expect);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_wants_no_tools_is_asked_as_ever() {
    let served = start([text("Forty-two.")]).await;
    let request = question(&json!({"tools": [own("weather")], "tool_choice": "none"}));
    let answer = served.chat(&request).await;
    assert_eq!(answer["choices"][0]["message"]["content"], "Forty-two.");
    let asked = served.asked();
    assert_eq!(asked[0].body["messages"], request["messages"]);
    assert!(asked[0].body.get("structured_outputs").is_none());
}

/// A reply that comes in pieces.
fn pieces(id: &str, pieces: &[&str], reason: &str) -> Reply {
    let first = json!({"role": "assistant", "content": ""});
    let further = pieces.iter().map(|piece| json!({ "content": piece }));
    let chunks = std::iter::once(first).chain(further);
    let chunks = chunks.map(|delta| chunk(id, delta, None));
    let last = [chunk(id, json!({}), Some(reason)), usage(id)];
    Reply::Stream(chunks.chain(last).collect(), true)
}

#[tokio::test(flavor = "multi_thread")]
async fn who_wants_a_stream_gets_an_answer_as_it_is_written() {
    let call = [
        "{\"name\": \"guest__add\", ",
        "\"arguments\": {\"a\": 20, \"b\": 22}}",
    ];
    let answer = ["{\"ans", "wer\": \"It", " is\\", "u0020", "42.\"", "}"];
    let served = start([pieces("one", &call, "stop"), pieces("two", &answer, "stop")]).await;
    let request = question(&json!({"stream": true, "stream_options": {"include_usage": true}}));
    let events = served.events("/v1/chat/completions", &request).await;
    let texts = events
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["content"].as_str());
    assert_eq!(texts.collect::<Vec<_>>(), ["", "It", " is", " ", "42."]);
    let [.., reason, summed, done] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(reason["choices"][0]["finish_reason"], "stop");
    assert_eq!(summed["usage"]["total_tokens"], 24, "{events:?}");
    assert_eq!(done, "[DONE]");
    let asked = served.asked();
    for asked in &asked {
        assert_eq!(asked.body["stream"], true);
        assert_eq!(asked.body["stream_options"], request["stream_options"]);
    }
    let messages = asked[1].body["messages"].as_array().unwrap();
    let expect = json!({"role": "user", "content": "Result of guest__add:\n42"});
    assert_eq!(messages.last(), Some(&expect));
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_chunks_break_nothing() {
    let mut first = chunk("one", json!({"content": "{\"answer\": \"4"}), None);
    first["choices"][0]["logprobs"] = json!({"content": [{"token": "{\"", "logprob": -0.1}]});
    let chunks = [
        json!({"choices": ["odd"]}),
        json!({"choices": [{"delta": "odd"}]}),
        json!({"choices": null}),
        first,
        chunk("one", json!({"content": 3}), None),
        chunk("one", json!({"content": "2\"}"}), Some("stop")),
    ];
    let served = start([Reply::Stream(chunks.into(), false)]).await;
    let request = question(&json!({"stream": true}));
    let events = served.events("/v1/chat/completions", &request).await;
    let said = |event: &Value| event["choices"][0]["delta"]["content"].clone();
    let said: Vec<Value> = events.iter().map(said).collect();
    let texts = said.iter().filter_map(Value::as_str);
    assert_eq!(texts.collect::<String>(), "42", "{events:?}");
    assert!(
        !json!(events).to_string().contains("logprob\""),
        "{events:?}"
    );
    assert_eq!(events.last(), Some(&json!("[DONE]")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_streamed_call_is_handed_back_whole() {
    let call = [
        "{\"name\": \"weather\", \"argu",
        "ments\": {\"city\": \"Ulm\"}}",
    ];
    let served = start([pieces("one", &call, "stop")]).await;
    let request = question(&json!({"stream": true, "tools": [own("weather")]}));
    let events = served.events("/v1/chat/completions", &request).await;
    let [_, handed_back, reason, _] = &events[..] else {
        panic!("{events:?}");
    };
    let written = &handed_back["choices"][0]["delta"]["tool_calls"][0];
    assert_eq!(written["index"], 0);
    let expect = json!({"name": "weather", "arguments": r#"{"city":"Ulm"}"#});
    assert_eq!(written["function"], expect);
    assert_eq!(reason["choices"][0]["finish_reason"], "tool_calls");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_is_neither_answer_nor_call_breaks_off() {
    for (wrong, shown) in [
        (&["{\"answer\": \"It is"][..], "It is"),
        (&["{\"answer\": \"It", "\"} or not"], "It"),
        (&["Forty", "-two."], ""),
        (&["{\"name\": \"weather\", \"arguments\": {}}"], ""),
    ] {
        let served = start([pieces("one", wrong, "stop")]).await;
        let request = question(&json!({"stream": true}));
        let events = served.events("/v1/chat/completions", &request).await;
        let texts = events
            .iter()
            .filter_map(|event| event["choices"][0]["delta"]["content"].as_str());
        assert_eq!(texts.collect::<String>(), shown, "{wrong:?}");
        let error = &events[events.len() - 2]["error"];
        assert_eq!(error["code"], "endpoint_malformed", "{events:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_answers_its_own_calls() {
    let call = r#"{"name": "weather", "arguments": {"city": "Ulm"}}"#;
    let served = start([text(call)]).await;
    let request = question(&json!({"tools": [own("weather")]}));
    let mut answer = served.chat(&request).await;
    let choice = &mut answer["choices"][0];
    assert_eq!(choice["finish_reason"], "tool_calls");
    let message = choice["message"].take();
    let written = &message["tool_calls"][0];
    assert_eq!(written["function"]["name"], "weather");
    assert_eq!(written["function"]["arguments"], r#"{"city":"Ulm"}"#);

    served.asked();
    served.then([said()]);
    let result = json!({"role": "tool", "tool_call_id": written["id"], "content": "rain"});
    let mut again = request.clone();
    let messages = again["messages"].as_array_mut().unwrap();
    messages.extend([message, result]);
    served.chat(&again).await;
    let asked = served.asked();
    let last = asked[0].body["messages"].as_array().unwrap().last();
    let expect = json!({"role": "user", "content": "Result of weather:\nrain"});
    assert_eq!(last, Some(&expect));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_call_is_refused() {
    for wrong in [
        "Forty-two.",
        r#"{"name": "weather", "arguments": {}}"#,
        r#"{"name": "guest__add", "arguments": {"a": "x", "b": 1}}"#,
    ] {
        let served = start([text(wrong)]).await;
        let response = served.post("/v1/chat/completions", &question(&json!({})));
        let response = response.send().await.unwrap();
        assert_eq!(response.status(), 502, "{wrong}");
        let body: Value = response.json().await.unwrap();
        assert_eq!(body["error"]["code"], "endpoint_malformed", "{wrong}");
    }
    let served = start([]).await;
    let response = served.post("/v1/responses", &question(&json!({})));
    let response = response.send().await.unwrap();
    assert_eq!(response.status(), 400);
    let body: Value = response.json().await.unwrap();
    let message = body["error"]["message"].as_str().unwrap();
    assert!(message.contains("/v1/chat/completions"), "{message}");
}
