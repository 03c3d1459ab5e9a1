//! Tests of emulated tool calling: requests for servers without tools, and the replies to them.

use std::num::NonZeroUsize;

use super::*;

fn cache() -> ConstraintCache {
    ConstraintCache::new(NonZeroUsize::MIN)
}

fn request(choice: Value) -> serde_json::Map<String, Value> {
    let tool = json!({"type": "function", "function": {
        "name": "get_weather", "description": "Tells the weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}},
            "required": ["city"], "additionalProperties": false},
    }});
    let request = json!({
        "model": "m", "temperature": 0, "tools": [tool], "tool_choice": choice,
        "parallel_tool_calls": true,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Rome?"}],
    });
    request.as_object().unwrap().clone()
}

fn reply(content: &str) -> Value {
    json!({"choices": [{"index": 0, "finish_reason": "stop",
        "message": {"role": "assistant", "content": content}}]})
}

#[test]
fn a_request_with_tools_becomes_one_with_a_constraint() {
    let mut request = request(json!("auto"));
    let emulated = emulate_tools(&mut request, Backend::Vllm, &mut cache());
    assert!(emulated.unwrap().is_some());
    let names: Vec<&String> = request.keys().collect();
    assert_eq!(
        names,
        ["model", "temperature", "messages", "structured_outputs"]
    );
    assert_eq!(
        request["structured_outputs"]["json"]["anyOf"][0]["properties"]["name"],
        json!({"const": "get_weather"})
    );
    let system = request["messages"][0]["content"].as_str().unwrap();
    assert!(
        system.starts_with("Be brief.\n\nYou can call functions."),
        "{system}"
    );
    assert!(
        system.contains("\"description\":\"Tells the weather.\""),
        "{system}"
    );
    assert!(system.contains("{\"answer\": \"<text>\"}"), "{system}");
    assert_eq!(
        request["messages"][1],
        json!({"role": "user", "content": "Rome?"})
    );
}

#[test]
fn a_call_that_has_to_be_leaves_no_other_answer() {
    for choice in [json!("required"), json!("get_weather")] {
        let mut request = request(choice);
        let emulated = emulate_tools(&mut request, Backend::Tgi, &mut cache());
        let emulated = emulated.unwrap().unwrap();
        assert_eq!(request["response_format"]["type"], "json");
        let system = request["messages"][0]["content"].as_str().unwrap();
        assert!(!system.contains("answer"), "{system}");
        assert!(
            emulated
                .read_reply(&mut reply(r#"{"answer":"No."}"#))
                .is_err()
        );
    }
}

#[test]
fn after_calls_a_model_that_may_make_no_more_is_held_to_an_answer() {
    let mut request = request(json!("none"));
    let messages = request["messages"].as_array_mut().unwrap();
    let call = json!({"id": "a", "type": "function",
        "function": {"name": "get_weather", "arguments": "{\"city\":\"Rome\"}"}});
    messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
    messages.push(json!({"role": "tool", "tool_call_id": "a", "content": "sunny"}));
    let emulated = emulate_tools(&mut request, Backend::Vllm, &mut cache());
    let emulated = emulated.unwrap().unwrap();
    let schema = &request["structured_outputs"]["json"];
    assert_eq!(schema["required"], json!(["answer"]));
    let system = request["messages"][0]["content"].as_str().unwrap();
    assert!(
        system.contains("No more functions can be called"),
        "{system}"
    );
    let mut answered = reply(r#"{"answer":"Sunny."}"#);
    emulated.read_reply(&mut answered).unwrap();
    assert_eq!(answered["choices"][0]["message"]["content"], "Sunny.");
    let call = r#"{"name":"get_weather","arguments":{"city":"Rome"}}"#;
    let wrong = emulated.read_reply(&mut reply(call)).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        r#"Nothing can be called. Write {"answer": "…"}, and nothing else."#
    );
}

#[test]
fn what_no_tool_may_be_called_for_loses_its_tools() {
    let mut request = request(json!("none"));
    let emulated = emulate_tools(&mut request, Backend::LlamaCpp, &mut cache());
    assert_eq!(emulated, Ok(None));
    let names: Vec<&String> = request.keys().collect();
    assert_eq!(names, ["model", "temperature", "messages"]);
    assert_eq!(request["messages"][0]["content"], "Be brief.");
}

#[test]
fn a_reply_gets_its_call_back_and_the_conversation_goes_on_as_text() {
    let mut first = request(json!("auto"));
    let asked = first.clone();
    let emulated = emulate_tools(&mut first, Backend::LlamaCpp, &mut cache())
        .unwrap()
        .unwrap();
    let mut reply = reply(r#"{"name":"get_weather","arguments":{"city":"Rome"}}"#);
    emulated.read_reply(&mut reply).unwrap();
    let choice = &reply["choices"][0];
    assert_eq!(choice["finish_reason"], "tool_calls");
    assert_eq!(
        choice["message"],
        json!({"role": "assistant", "content": null, "tool_calls": [{
            "id": "call_1", "type": "function",
            "function": {"name": "get_weather", "arguments": r#"{"city":"Rome"}"#},
        }]})
    );
    let mut second = asked;
    let messages = second["messages"].as_array_mut().unwrap();
    messages.push(choice["message"].clone());
    messages.push(json!({"role": "tool", "tool_call_id": "call_1", "content": "Sunny."}));
    let emulated = emulate_tools(&mut second, Backend::LlamaCpp, &mut cache())
        .unwrap()
        .unwrap();
    assert_eq!(
        second["messages"].as_array().unwrap()[2..],
        [
            json!({"role": "assistant", "content": r#"{"name":"get_weather","arguments":{"city":"Rome"}}"#}),
            json!({"role": "user", "content": "Result of get_weather:\nSunny."}),
        ]
    );
    let mut answer = self::reply(r#"{"answer":"It is sunny."}"#);
    emulated.read_reply(&mut answer).unwrap();
    assert_eq!(answer["choices"][0]["message"]["content"], "It is sunny.");
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
    let mut next = self::reply(r#"{"name":"get_weather","arguments":{"city":"Oslo"}}"#);
    emulated.read_reply(&mut next).unwrap();
    assert_eq!(
        next["choices"][0]["message"]["tool_calls"][0]["id"],
        "call_2"
    );
}

#[test]
fn a_reply_that_is_no_call_is_told_and_left_alone() {
    let mut request = request(json!("auto"));
    let emulated = emulate_tools(&mut request, Backend::Sglang, &mut cache())
        .unwrap()
        .unwrap();
    for content in [
        "Sunny!",
        r#"{"name":"get_weather","arguments":{"town":"Rome"}}"#,
    ] {
        let mut reply = reply(content);
        let wrong = emulated.read_reply(&mut reply).unwrap_err().to_string();
        assert!(
            wrong.contains("not valid JSON") || wrong.contains("`arguments`"),
            "{wrong}"
        );
        assert_eq!(reply, self::reply(content));
    }
    let wrong = emulated.read_reply(&mut json!({})).unwrap_err();
    assert_eq!(wrong.to_string(), "The reply has no choices.");
}

#[test]
fn what_cannot_be_emulated_is_refused_and_left_alone() {
    let with = |member: &str, value: Value| {
        let mut request = request(json!("auto"));
        request.insert(member.to_owned(), value);
        request
    };
    for (request, message) in [
        (with("stream", json!(true)), "`stream` must be false"),
        (
            with("response_format", json!({})),
            "`response_format` must be absent beside tools",
        ),
        (
            with("tools", json!([{"type": "web_search"}])),
            "`tools` must be a list of functions with names",
        ),
        (with("messages", json!("Hi")), "`messages` must be a list"),
        (
            with("tool_choice", json!("get_time")),
            "`tool_choice` names `get_time`, which is not in `tools`",
        ),
    ] {
        let mut changed = request.clone();
        let refused = emulate_tools(&mut changed, Backend::Vllm, &mut cache());
        assert_eq!(refused.unwrap_err().to_string(), message);
        assert_eq!(changed, request);
    }
    let refused = emulate_tools(&mut request(json!("auto")), Backend::OpenAi, &mut cache());
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .starts_with("openai does not support a call")
    );
}
