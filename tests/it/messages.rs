//! Tests of `tool messages`, which converts conversations from the form of one API to another's.

use serde_json::{Value, json};

use crate::support::{Home, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "messages::a_conversation_goes_from_one_api_to_another_and_back",
            a_conversation_goes_from_one_api_to_another_and_back,
        ),
        test(
            "messages::what_is_lost_and_what_is_wrong_is_said",
            what_is_lost_and_what_is_wrong_is_said,
        ),
    ]
}

fn chat() -> Value {
    json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather in Bern?"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"type": "function", "id": "call_a", "function": {"name": "weather", "arguments": "{\"city\":\"Bern\"}"}},
        ]},
        {"role": "tool", "tool_call_id": "call_a", "content": "rain"},
    ])
}

fn a_conversation_goes_from_one_api_to_another_and_back() {
    let home = Home::new();
    home.write("chat.json", chat().to_string());
    let request = home
        .tool("messages chat.json --from openai --to anthropic")
        .json();
    assert_eq!(request["system"], "Be brief.");
    assert_eq!(
        request["messages"][1]["content"][0]["input"]["city"],
        "Bern"
    );
    for dialect in ["hf", "responses", "anthropic"] {
        let there = home
            .tool(&format!("messages chat.json --from openai --to {dialect}"))
            .ok();
        let back = home.run_with_input(&format!("messages - --from {dialect} --to openai"), &there);
        assert_eq!(back.json(), chat(), "{dialect}");
        assert_eq!(back.stderr(), "", "{dialect}");
    }
}

fn what_is_lost_and_what_is_wrong_is_said() {
    let home = Home::new();
    let mut lossy = chat();
    lossy[1]["content"] =
        json!([{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}]);
    lossy[3]["tool_call_id"] = json!("call_z");
    home.write("lossy.json", lossy.to_string());
    let ran = home.tool("messages lossy.json --from openai --to anthropic");
    ran.ok();
    let told = ran.stderr();
    let no_call = "warning: messages[3]: no call before it has the id `call_z`";
    assert!(told.contains(no_call), "{told}");
    let audio = "messages[1]: the audio is replaced by a text";
    assert!(told.contains(audio), "{told}");

    home.write("broken.json", "[{\"role\": ");
    let mut wrong = chat();
    wrong[2]["tool_calls"][0]["function"]["arguments"] = json!("{\"city\": Bern}");
    home.write("wrong.json", wrong.to_string());
    for (arguments, said) in [
        (
            "nowhere.json --from hf --to openai",
            "nowhere.json cannot be read",
        ),
        (
            "broken.json --from hf --to openai",
            "broken.json is not JSON",
        ),
        (
            "wrong.json --from openai --to hf",
            "messages[2].tool_calls[0].function.arguments: the arguments cannot be read",
        ),
        (
            "lossy.json --from mcp --to hf",
            "expected one of `hf`, `openai`, `responses`, `anthropic`, found `mcp`",
        ),
    ] {
        let ran = home.tool(&format!("messages {arguments}"));
        let told = ran.stderr();
        assert_eq!(ran.code(), 1, "{arguments}: {told}");
        assert!(told.contains(said), "{arguments}: {told}");
    }
}
