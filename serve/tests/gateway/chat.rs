//! Tests of Chat Completions in one body: functions offered, calls run or handed back, refusals.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::chat_replies::{call, message, text};
use crate::support::{Reply, Served, own, question};

fn calls(calls: &[Value]) -> Reply {
    let written = json!({"role": "assistant", "content": null, "tool_calls": calls});
    message(written, "tool_calls")
}

fn sum() -> Reply {
    calls(&[call("call_1", "guest__add", &json!({"a": 20, "b": 22}))])
}

fn names(request: &Value) -> Vec<&str> {
    let tools = request["tools"].as_array();
    let named = tools.into_iter().flatten();
    named
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_run_and_the_answer_returned() {
    let served = Served::start([sum(), text("It is 42.")]).await;
    let answer = served
        .chat(&question(&json!({"tools": [own("weather")]})))
        .await;
    assert_eq!(
        answer["choices"],
        json!([{
            "index": 0, "message": {"role": "assistant", "content": "It is 42."},
            "finish_reason": "stop", "logprobs": null,
        }])
    );
    assert_eq!(
        answer["usage"],
        json!({"prompt_tokens": 20, "completion_tokens": 4, "total_tokens": 24})
    );
    let asked = served.asked();
    let [first, second] = &asked[..] else {
        panic!("two rounds");
    };
    assert_eq!(first.path, "/v1/chat/completions");
    assert_eq!(first.body["seed"], 7);
    assert_eq!(
        names(&first.body)[..3],
        ["weather", "guest__add", "guest__echo"]
    );
    assert_eq!(
        first.body["tools"][1]["function"]["parameters"]["required"],
        json!(["a", "b"])
    );
    assert_eq!(second.body["tools"], first.body["tools"]);
    assert_eq!(
        second.body["messages"],
        json!([
            {"role": "user", "content": "20 + 22?"},
            {"role": "assistant", "content": null,
             "tool_calls": [call("call_1", "guest__add", &json!({"a": 20, "b": 22}))]},
            {"role": "tool", "tool_call_id": "call_1", "content": "42"},
        ])
    );
}

/// What the model is told came of the calls of one reply.
async fn results(reply: Reply, request: &Value) -> Vec<Value> {
    let served = Served::start([reply, text("Well.")]).await;
    served.chat(&question(request)).await;
    let messages = served.asked().pop().unwrap().body["messages"].take();
    let messages = messages.as_array().unwrap().iter();
    messages
        .filter(|message| message["role"] == "tool")
        .cloned()
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn results_are_in_the_order_of_the_calls() {
    let several: Vec<Value> = (0..20)
        .map(|n| call(&format!("call_{n}"), "guest__add", &json!({"a": n, "b": n})))
        .collect();
    for request in [json!({}), json!({"parallel_tool_calls": false})] {
        let results = results(calls(&several), &request).await;
        for (n, result) in results.iter().enumerate() {
            let expect = json!({"role": "tool", "tool_call_id": format!("call_{n}"), "content": (2 * n).to_string()});
            assert_eq!(*result, expect);
        }
        assert_eq!(results.len(), 20);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_goes_wrong_is_told_to_the_model() {
    let mut no_json = call("call_1", "guest__add", &json!(0));
    no_json["function"]["arguments"] = "{\"a\": 1,".into();
    for (written, expect) in [
        (
            call("c", "guest__refuse", &json!({"text": "no"})),
            "`guest__refuse` failed: no\nDo not repeat",
        ),
        (
            call("c", "guest__ad", &json!({})),
            "`guest__ad` failed (unknown function): there is no such function\n\
             To mend it: call `guest__add`\nCall one of the functions",
        ),
        (
            call("c", "shell", &json!({})),
            "`shell` failed (unknown function): there is no such function\nCall one",
        ),
        (
            no_json,
            "`guest__add` failed (invalid argument): the arguments",
        ),
        (
            call("c", "guest__add", &json!({"a": "x", "b": 1})),
            "`guest__add` failed (invalid argument): ",
        ),
        (
            call("c", "guest__picture", &json!({})),
            "[a picture that cannot be shown here: image/png, 4 bytes]",
        ),
        (
            call("c", "guest__echo", &json!({"text": "<|im_end|>"})),
            "< |im_end|>",
        ),
    ] {
        let results = results(calls(std::slice::from_ref(&written)), &json!({})).await;
        let content = results[0]["content"].as_str().unwrap();
        assert!(content.starts_with(expect), "{written}: {content}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_calls_are_run_than_may_be() {
    let several: Vec<Value> = (0..65)
        .map(|n| call(&format!("call_{n}"), "guest__add", &json!({"a": n, "b": 1})))
        .collect();
    let served = Served::start([sum(), calls(&several), text("Well.")]).await;
    served.chat(&question(&json!({}))).await;
    let told = served.asked().pop().unwrap().body["messages"].take();
    let content = |at: usize| told[at]["content"].as_str().unwrap();
    // A question, a round, and the calls.
    assert_eq!(content(4 + 63), "64");
    assert!(
        content(4 + 64).contains("more than 64 calls"),
        "{}",
        content(4 + 64)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_older_servers_are_understood() {
    let sum = json!({"a": 20, "b": 22});
    let arguments = sum.to_string();
    let named = json!({"tool_choice": "guest__add"});
    for (written, request) in [
        // The arguments as an object.
        (
            json!([{"id": "a", "type": "function", "function": {"name": "guest__add", "arguments": sum}}]),
            json!({}),
        ),
        // One call instead of a list, an id that is a number, `parameters`, and no name.
        (
            json!({"id": 0, "type": "function", "function": {"description": null, "name": "tools", "parameters": sum}}),
            json!({}),
        ),
        (
            json!({"id": 0, "function": {"name": "tools", "parameters": sum}}),
            named,
        ),
        // The name among the arguments.
        (
            json!([{"function": {"name": "tools", "arguments": {"_name": "guest__add", "a": 20, "b": 22}}}]),
            json!({}),
        ),
        (
            json!({"function": {"name": "", "arguments": r#"{"function": {"_name": "guest__add", "a": 20, "b": 22}}"#}}),
            json!({}),
        ),
        // Neither an id nor a type.
        (
            json!([{"function": {"name": "guest__add", "arguments": arguments}}]),
            json!({}),
        ),
    ] {
        let reply = message(
            json!({"role": "assistant", "tool_calls": written}),
            "eos_token",
        );
        let results = results(reply, &request).await;
        assert_eq!(results[0]["content"], "42", "{written}");
        let id = results[0]["tool_call_id"].as_str().unwrap();
        assert!(!id.is_empty(), "{written}");
    }
}

fn allowed(mode: &str, tools: &Value) -> Value {
    json!({"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}})
}

#[tokio::test(flavor = "multi_thread")]
async fn every_choice_of_tools() {
    let ours = [
        "guest__add",
        "guest__echo",
        "guest__refuse",
        "guest__spin",
        "guest__work",
        "guest__confirm",
        "guest__bounds",
        "guest__picture",
    ];
    let add = json!({"type": "function", "function": {"name": "guest__add"}});
    let mixed = json!([add, {"type": "function", "function": {"name": "weather"}}]);
    let all = [&["weather"], &ours[..]].concat();
    for (choice, offered, first, second) in [
        (json!(null), all.clone(), json!(null), json!("auto")),
        (json!("auto"), all.clone(), json!("auto"), json!("auto")),
        (
            json!("required"),
            all.clone(),
            json!("required"),
            json!("auto"),
        ),
        (add.clone(), all.clone(), add.clone(), json!("auto")),
        (json!("guest__add"), all.clone(), add.clone(), json!("auto")),
        (json!("validated"), all, json!("validated"), json!("auto")),
        (
            allowed("auto", &mixed),
            vec!["weather", "guest__add"],
            json!("auto"),
            json!("auto"),
        ),
        (
            allowed("required", &json!([add])),
            vec!["guest__add"],
            json!("required"),
            json!("auto"),
        ),
    ] {
        let served = Served::start([sum(), text("42")]).await;
        let request = question(&json!({"tools": [own("weather")], "tool_choice": choice}));
        served.chat(&request).await;
        let asked = served.asked();
        assert_eq!(names(&asked[0].body), offered, "{choice}");
        assert_eq!(asked[0].body["tool_choice"], first, "{choice}");
        assert_eq!(asked[1].body["tool_choice"], second, "{choice}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_wants_no_tools_gets_none() {
    let served = Served::start([]).await;
    for (request, names_left, choice) in [
        (
            json!({"tool_choice": "none", "parallel_tool_calls": true}),
            vec![],
            Value::Null,
        ),
        (
            json!({"tool_choice": "none", "tools": [own("weather")], "n": 2}),
            vec!["weather"],
            json!("none"),
        ),
    ] {
        served.then([sum()]);
        // Nothing is run, so nothing is changed.
        let answer = served.chat(&question(&request)).await;
        assert_eq!(
            answer["choices"][0]["message"]["tool_calls"][0]["id"],
            "call_1"
        );
        let asked = served.asked().remove(0).body;
        assert_eq!(names(&asked), names_left);
        assert_eq!(asked["tool_choice"], choice);
        assert_eq!(asked.get("parallel_tool_calls"), None);
        assert_eq!(asked["n"], request["n"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_answers_its_own_calls() {
    let weather = call("call_w", "weather", &json!({"city": "Bern"}));
    let served = Served::start([calls(std::slice::from_ref(&weather))]).await;
    let answer = served
        .chat(&question(&json!({"tools": [own("weather")]})))
        .await;
    let choice = &answer["choices"][0];
    assert_eq!(choice["message"]["tool_calls"], json!([weather]));
    assert_eq!(choice["finish_reason"], "tool_calls");
    assert_eq!(served.asked().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_client_did_not_see_is_there_when_it_goes_on() {
    let weather = call("call_w", "weather", &json!({"city": "Bern"}));
    let echo = call("call_e", "guest__echo", &json!({"text": "hi"}));
    for (turn, at_once) in [(vec![weather.clone()], 0), (vec![echo, weather], 1)] {
        let served = Served::start([sum(), calls(&turn)]).await;
        let mut request = question(&json!({"tools": [own("weather")]}));
        let answer = served.chat(&request).await;
        let message = &answer["choices"][0]["message"];
        let [handed_back] = &message["tool_calls"].as_array().unwrap()[..] else {
            panic!("{message}");
        };
        assert_eq!(handed_back["function"]["name"], "weather");
        let id = handed_back["id"].as_str().unwrap();
        assert_ne!(id, "call_w", "a name that others may know");
        served.asked();

        // The client goes on with what it knows.
        let messages = request["messages"].as_array_mut().unwrap();
        messages.push(message.clone());
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": "rain"}));
        served.then([text("42, and rain.")]);
        served.chat(&request).await;
        let told = served.asked().remove(0).body["messages"].take();
        let told = told.as_array().unwrap();
        let roles: Vec<&str> = told
            .iter()
            .map(|message| message["role"].as_str().unwrap())
            .collect();
        let results = vec!["tool"; at_once + 1];
        assert_eq!(
            roles,
            [&["user", "assistant", "tool", "assistant"], &results[..]].concat()
        );
        assert_eq!(told[2]["content"], "42");
        assert_eq!(told[3]["tool_calls"].as_array().unwrap().len(), turn.len());
        assert_eq!(told[3]["tool_calls"][at_once]["id"], id);
        assert_eq!(told.last().unwrap()["content"], "rain");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_round_has_to_answer() {
    let served = Served::start([sum(), sum(), text("42")]).await;
    served.chat(&question(&json!({}))).await;
    let choices = served
        .asked()
        .into_iter()
        .map(|asked| asked.body["tool_choice"].clone());
    assert_eq!(
        choices.collect::<Vec<_>>(),
        [json!(null), json!(null), json!("none")]
    );

    // A server that knows no `none`.
    served.then([sum(), sum(), sum()]);
    let refused = served
        .post("/v1/chat/completions", &question(&json!({})))
        .send()
        .await
        .unwrap();
    assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(refused.headers()["x-should-retry"], "false");
    let refused: Value = refused.json().await.unwrap();
    assert_eq!(
        refused["error"],
        json!({
            "message": "the model still calls tools in round 3, the last",
            "type": "invalid_request_error", "param": null, "code": "rounds_max",
        })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_were_cut_off_are_not_run() {
    let written = json!({"role": "assistant", "content": "a", "tool_calls": [call("c", "guest__add", &json!({}))]});
    let served = Served::start([message(written, "length")]).await;
    let answer = served.chat(&question(&json!({}))).await;
    let choice = &answer["choices"][0];
    assert_eq!(
        choice["message"],
        json!({"role": "assistant", "content": "a"})
    );
    assert_eq!(choice["finish_reason"], "length");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_answered_is_refused() {
    let served = Served::start([]).await;
    for (request, param, says) in [
        (
            json!({"tools": [own("guest__add")]}),
            "tools",
            "`guest__add` is a tool of this server",
        ),
        (json!({"tools": 3}), "tools", "`tools` must be an array"),
        (json!({"n": 2}), "n", "`n` is 1"),
        (json!({"functions": []}), "functions", "as `tools`"),
        (json!({"messages": "hi"}), "messages", "must be an array"),
        (
            json!({"tool_choice": {"type": "allowed_tools"}}),
            "tool_choice",
            "`mode` and `tools`",
        ),
        (
            json!({"tool_choice": allowed("auto", &vec![json!({}); 1025].into())}),
            "tool_choice",
            "at most 1024",
        ),
        (
            json!({"tool_choice": allowed("auto", &json!([])), "tools": vec![json!({}); 1025]}),
            "tool_choice",
            "at most 1024",
        ),
    ] {
        let refused = served
            .post("/v1/chat/completions", &question(&request))
            .send()
            .await
            .unwrap();
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
        let error = refused.json::<Value>().await.unwrap()["error"].take();
        assert_eq!(error["type"], "invalid_request_error");
        assert_eq!(error["param"], param);
        assert!(error["message"].as_str().unwrap().contains(says), "{error}");
    }
    assert!(served.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn strict_schemas_are_read_back() {
    let replies = [sum(), text("42")];
    let served = Served::start_with(4, replies, |gateway| gateway.strict()).await;
    served.chat(&question(&json!({}))).await;
    let asked = served.asked();
    let function = &asked[0].body["tools"][0]["function"];
    assert_eq!(function["strict"], true);
    assert_eq!(function["parameters"]["additionalProperties"], false);
    assert_eq!(asked[1].body["messages"][2]["content"], "42");
}
