//! Tests of reading and writing conversations in every dialect, and of converting between them.

mod properties;

use serde_json::{Value, json};

use super::MessageDialect::{Anthropic, HuggingFace, OpenAi, Responses};
use super::json_reader::MESSAGE_PARTS_MAX;
use super::*;
use crate::conversation::message::Content;

#[track_caller]
fn read(dialect: MessageDialect, value: &Value) -> Conversation {
    Conversation::read(dialect, value).unwrap_or_else(|error| panic!("{error}: {value:#}"))
}

/// Asserts that a conversation is written as it was read, and that no loss is reported.
#[track_caller]
fn keeps(dialect: MessageDialect, value: Value) {
    let written = read(dialect, &value).write(dialect);
    assert_eq!(written.value, value, "{:#}\n{value:#}", written.value);
    assert_eq!(written.losses, [], "{value:#}");
}

/// `value` of one dialect is written as `expect` in another one, with these losses.
#[track_caller]
fn becomes(from: MessageDialect, value: Value, to: MessageDialect, expect: Value, losses: &[&str]) {
    let written = read(from, &value).write(to);
    assert_eq!(written.value, expect, "{:#}", written.value);
    let reported: Vec<String> = written.losses.iter().map(MessageLoss::to_string).collect();
    assert_eq!(reported, losses);
}

#[track_caller]
fn refused(dialect: MessageDialect, value: &Value, expect: &str) {
    let error = Conversation::read(dialect, value).expect_err(expect);
    assert_eq!(error.to_string(), expect);
}

fn openai_chat() -> Value {
    json!([
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "name": "ann", "content": [
            {"type": "text", "text": "What is this?"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo=", "detail": "low"}},
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
            {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
            {"type": "file", "file": {"file_id": "file-1"}},
            {"type": "file", "file": {"file_data": "data:application/pdf;base64,JVBERi0=", "filename": "a.pdf"}},
        ]},
        {"role": "assistant", "content": null, "refusal": null, "annotations": [], "tool_calls": [
            {"id": "call_a", "type": "function", "function": {"name": "f", "arguments": "{ \"x\" : 1.0 }"}},
            {"id": "call_b", "type": "function", "function": {"name": "g", "arguments": ""}},
        ]},
        {"role": "tool", "tool_call_id": "call_b", "content": ""},
        {"role": "tool", "tool_call_id": "call_a", "content": [{"type": "text", "text": "one"}]},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
        {"role": "assistant", "refusal": "No."},
        {"role": "assistant", "content": "", "audio": {"id": "audio_1"}},
        {"role": "assistant", "content": "Yes.", "reasoning": "Hm."},
        {"role": "assistant", "tool_calls": [{"type": "custom", "id": "c", "custom": {"name": "n", "input": "i"}}]},
        {"role": "user", "content": []},
    ])
}

fn hf_chat() -> Value {
    json!([
        {"role": "system", "content": ""},
        {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "Hi"}]},
        {"role": "user", "content": [
            {"type": "image", "url": "https://example.org/a.png"}, {"type": "image", "image": "a.png"},
            {"type": "image", "base64": "iVBORw0KGgo="}, {"type": "audio", "path": "a.wav"},
            {"type": "video", "video": "https://example.org/a.mp4"}, {"type": "video", "video": ["a.png", "b.png"]},
            {"type": "image_url", "image_url": {"url": "https://example.org/b.png"}}, {"type": "box", "at": [1, 2]},
        ]},
        {"role": "assistant", "thinking": "Let me see.", "tool_calls": [
            {"type": "function", "function": {"name": "f", "arguments": {"city": "Zürich", "days": 2}}},
            {"function": {"name": "f", "arguments": {}}, "id": null},
        ]},
        {"role": "tool", "name": "f", "content": "22.0"},
        {"role": "tool", "content": {"temperature": 22.0}},
        {"role": "assistant", "content": "It is 22.", "reasoning_content": "So.", "weight": 0},
    ])
}

fn responses_items() -> Value {
    json!([
        {"role": "developer", "content": "Be brief."},
        {"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "Look."},
            {"type": "input_image", "detail": "high", "image_url": "https://example.org/a.png"},
            {"type": "input_image", "file_id": "file-2", "detail": "auto"},
            {"type": "input_file", "file_url": "https://example.org/a.pdf"},
            {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
        ]},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Looked."}], "encrypted_content": "gAAA"},
        {"type": "reasoning", "id": "rs_2", "summary": [], "content": [{"type": "reasoning_text", "text": "a"}, {"type": "reasoning_text", "text": "b"}]},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "phase": "commentary",
            "content": [{"type": "output_text", "text": "Wait.", "annotations": [], "logprobs": []}]},
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{\"a\":1}", "status": "completed"},
        {"type": "function_call", "call_id": "call_2", "name": "f", "arguments": "{\"a\": 2}"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "function_call_output", "call_id": "call_2", "output": "two"},
        {"type": "function_call_output", "call_id": "call_1", "output": [{"type": "input_text", "text": "one"}]},
        {"type": "item_reference", "id": "x"},
        {"type": "message", "role": "assistant", "content": []},
        {"role": "assistant", "content": "One and two."},
        {"type": "message", "id": "msg_2", "role": "assistant", "status": "completed",
            "content": [{"type": "refusal", "refusal": "No more."}]},
    ])
}

fn anthropic_request() -> Value {
    json!({
        "model": "a-model", "max_tokens": 100,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "sig"},
                {"type": "redacted_thinking", "data": "opaque"},
                {"type": "thinking", "thinking": "", "signature": "of nothing shown"},
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}},
                {"type": "tool_use", "id": "toolu_2", "name": "g", "input": {}, "cache_control": {"type": "ephemeral"}},
                {"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {}},
                {"type": "text", "text": "Wait."},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_2", "content": [
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
                ]},
                {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": true},
                {"type": "text", "text": "Go on.", "cache_control": {"type": "ephemeral"}},
                {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Words."}, "title": "A", "context": "c"},
                {"type": "document", "source": {"type": "content", "content": []}},
                {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
            ]},
            {"role": "user", "content": [{"type": "text", "text": "again"}, {"type": "tool_result", "tool_use_id": "toolu_1", "content": "late"}]},
            {"role": "user", "content": "after a result"},
            {"role": "system", "content": "From now on be long."},
            {"role": "user", "content": []},
            {"role": "assistant", "content": ""},
        ],
    })
}

#[test]
fn what_is_read_is_written_as_it_was() {
    keeps(OpenAi, openai_chat());
    keeps(
        OpenAi,
        json!({"model": "m", "messages": openai_chat(), "temperature": 0}),
    );
    keeps(HuggingFace, hf_chat());
    keeps(Responses, responses_items());
    keeps(
        Responses,
        json!({"input": responses_items(), "instructions": "Be kind.", "store": false}),
    );
    keeps(Responses, json!({"input": "Hi", "instructions": null}));
    let request = anthropic_request();
    keeps(Anthropic, request["messages"].clone());
    keeps(Anthropic, request);
    keeps(Anthropic, json!({"messages": []}));
    keeps(Anthropic, json!({"system": "Be kind.", "messages": []}));
    for &dialect in MessageDialect::ALL {
        keeps(dialect, json!([]));
    }
}

/// A conversation as all four say it.
fn same() -> [(MessageDialect, Value); 4] {
    let picture = "data:image/png;base64,iVBORw0KGgo=";
    let arguments = json!({"city": "Bern", "days": [1, 2.5, null]});
    let text = arguments.to_string();
    [
        (
            HuggingFace,
            json!([
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": [{"type": "text", "text": "Look."}, {"type": "image", "url": picture}]},
                {"role": "assistant", "content": "I call.", "tool_calls": [
                    {"type": "function", "id": "a", "function": {"name": "weather", "arguments": arguments}},
                    {"type": "function", "id": "b", "function": {"name": "time", "arguments": {}}},
                ]},
                {"role": "tool", "name": "time", "tool_call_id": "b", "content": "noon"},
                {"role": "tool", "name": "weather", "tool_call_id": "a", "content": "rain"},
                {"role": "user", "content": "Thanks."},
            ]),
        ),
        (
            OpenAi,
            json!([
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": [{"type": "text", "text": "Look."}, {"type": "image_url", "image_url": {"url": picture}}]},
                {"role": "assistant", "content": "I call.", "tool_calls": [
                    {"type": "function", "id": "a", "function": {"name": "weather", "arguments": text}},
                    {"type": "function", "id": "b", "function": {"name": "time", "arguments": "{}"}},
                ]},
                {"role": "tool", "tool_call_id": "b", "content": "noon"},
                {"role": "tool", "tool_call_id": "a", "content": "rain"},
                {"role": "user", "content": "Thanks."},
            ]),
        ),
        (
            Responses,
            json!([
                {"type": "message", "role": "system", "content": "Be brief."},
                {"type": "message", "role": "user", "content": [
                    {"type": "input_text", "text": "Look."}, {"type": "input_image", "detail": "auto", "image_url": picture},
                ]},
                {"type": "message", "role": "assistant", "content": "I call."},
                {"type": "function_call", "call_id": "a", "name": "weather", "arguments": text},
                {"type": "function_call", "call_id": "b", "name": "time", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "b", "output": "noon"},
                {"type": "function_call_output", "call_id": "a", "output": "rain"},
                {"type": "message", "role": "user", "content": "Thanks."},
            ]),
        ),
        (
            Anthropic,
            json!({"system": "Be brief.", "messages": [
                {"role": "user", "content": [
                    {"type": "text", "text": "Look."},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
                ]},
                {"role": "assistant", "content": [
                    {"type": "text", "text": "I call."},
                    {"type": "tool_use", "id": "a", "name": "weather", "input": arguments},
                    {"type": "tool_use", "id": "b", "name": "time", "input": {}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "b", "content": "noon"},
                    {"type": "tool_result", "tool_use_id": "a", "content": "rain"},
                    {"type": "text", "text": "Thanks."},
                ]},
            ]}),
        ),
    ]
}

#[test]
fn what_all_can_say_is_said_in_all() {
    for (from, value) in same() {
        for (to, expect) in same() {
            becomes(from, value.clone(), to, expect, &[]);
        }
    }
}

#[test]
fn ids_are_made_where_there_are_none() {
    let call =
        |name: &str| json!({"type": "function", "function": {"name": name, "arguments": {}}});
    let chat = json!([
        {"role": "assistant", "content": "", "tool_calls": [call("f"), call("g"), call("f")]},
        {"role": "tool", "name": "g", "content": "of g"},
        {"role": "tool", "content": "of the first"},
        {"role": "tool", "content": "of the third"},
        {"role": "tool", "name": "h", "content": "of nothing"},
    ]);
    let written = read(HuggingFace, &chat).write(OpenAi);
    let ids = written.value.as_array().unwrap()[1..].iter();
    let ids: Vec<&str> = ids.map(|it| it["tool_call_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["call_2", "call_1", "call_3", "call_4"]);
    let reported: Vec<String> = written.losses.iter().map(MessageLoss::to_string).collect();
    let expect = "messages[4]: no call before it has the id `call_4`, so it will be refused";
    assert_eq!(reported, [expect]);
    assert_eq!(written, read(HuggingFace, &chat).write(OpenAi));
    keeps(HuggingFace, chat);
    let kimi = json!([
        {"role": "assistant", "content": null, "tool_calls": [
            {"type": "function", "id": "functions.f:0", "function": {"name": "f", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "functions.f:0", "content": "one"},
    ]);
    becomes(
        OpenAi,
        kimi,
        Anthropic,
        json!([
            {"role": "assistant", "content": [{"type": "tool_use", "id": "call_1", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "one"}]},
        ]),
        &["messages[0]: the id `functions.f:0` becomes `call_1`"],
    );
}

#[test]
fn forms_of_before_are_read_and_written_as_they_should_be() {
    let proper = |arguments: Value| {
        json!([
            {"role": "assistant", "content": null, "tool_calls": [
                {"type": "function", "id": "0", "function": {"name": "tools", "arguments": arguments}},
            ]},
        ])
    };
    let tgi = json!([{"role": "assistant", "tool_calls": {
        "id": 0, "type": "function",
        "function": {"description": null, "name": "tools", "parameters": {"format": "celsius"}},
    }}]);
    let written = read(OpenAi, &tgi).write(OpenAi).value;
    assert_eq!(
        written[0]["tool_calls"],
        proper(json!("{\"format\":\"celsius\"}"))[0]["tool_calls"]
    );
    let text = proper(json!("{\"a\": 1}"));
    let written = read(HuggingFace, &text).write(HuggingFace).value;
    assert_eq!(written, proper(json!({"a": 1})));
    let written = read(OpenAi, &proper(json!({"a": 1}))).write(OpenAi).value;
    assert_eq!(written, proper(json!("{\"a\":1}")));
    let functions = json!([
        {"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "one"},
    ]);
    becomes(
        OpenAi,
        functions,
        OpenAi,
        json!([
            {"role": "assistant", "content": null, "tool_calls": [
                {"type": "function", "id": "call_1", "function": {"name": "f", "arguments": "{}"}},
            ]},
            {"role": "tool", "name": "f", "tool_call_id": "call_1", "content": "one"},
        ]),
        &[],
    );
}

#[test]
fn what_a_dialect_cannot_say_is_told() {
    let request = anthropic_request();
    let reported = |value: &Value, from, to| {
        let losses = read(from, value).write(to).losses;
        losses
            .iter()
            .map(MessageLoss::to_string)
            .collect::<Vec<_>>()
    };
    let to_openai = reported(&request, Anthropic, OpenAi);
    for expect in [
        "`model` exists only in anthropic and is left out",
        "messages[0]: `cache_control` exists only in anthropic and is left out",
        "messages[2]: the reasoning's signature or encrypted text is left out",
        "messages[2]: the reasoning is left out",
        "messages[2]: the order of texts, reasoning and calls is lost",
        "messages[2]: `server_tool_use` exists only in anthropic and is left out",
        "messages[3]: the image is replaced by a text",
        "messages[4]: the mark of a failed call is left out",
        "messages[5]: the document is written as text",
        "messages[5]: `context` exists only in anthropic and is left out",
    ] {
        assert!(
            to_openai.iter().any(|reported| reported == expect),
            "{expect}: {to_openai:#?}"
        );
    }
    let to_anthropic = reported(&openai_chat(), OpenAi, Anthropic);
    for expect in [
        "messages[0]: the role developer becomes system",
        "messages[1]: the speaker's name is left out",
        "messages[1]: the detail of the image is left out",
        "messages[1]: the audio is replaced by a text",
        "messages[1]: the file is replaced by a text",
        "messages[5]: the refusal is written as text",
        "messages[7]: `audio` exists only in openai and is left out",
        "messages[8]: the reasoning is left out",
        "messages[9]: `custom` exists only in openai and is left out",
        "messages[9]: nothing of it can be written, so it is left out",
    ] {
        assert!(
            to_anthropic.iter().any(|reported| reported == expect),
            "{expect}: {to_anthropic:#?}"
        );
    }
    let two = json!([{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "", "tool_calls": [
        {"type": "function", "id": "i", "function": {"name": "f", "arguments": {}}}]}]);
    assert_eq!(
        reported(&two, HuggingFace, Responses),
        ["messages[1]: it is joined to what is before it"]
    );
}

#[test]
fn reasoning_goes_to_those_who_can_read_it() {
    let items = json!([
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Short."}], "encrypted_content": "x"},
        {"type": "message", "role": "assistant", "content": "Yes."},
    ]);
    becomes(
        Responses,
        items,
        HuggingFace,
        json!([
            {"role": "assistant", "reasoning_content": "Short.", "content": "Yes."},
        ]),
        &["messages[0]: the reasoning's signature or encrypted text is left out"],
    );
    let thought = json!([{"role": "assistant", "thinking": "Hm.", "content": "Yes."}]);
    becomes(
        HuggingFace,
        thought,
        Responses,
        json!([
            {"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]},
            {"type": "message", "role": "assistant", "content": "Yes."},
        ]),
        &[],
    );
}

#[test]
fn changes_are_written_and_not_what_was_kept() {
    let mut chat = read(
        OpenAi,
        &json!([{"role": "assistant", "content": [{"type": "text", "text": "a"}], "tool_calls": [
            {"type": "function", "id": "i", "function": {"name": "f", "arguments": "{ }"}, "index": 0},
        ]}]),
    );
    chat.messages[0].parts[0] = Content::Text("b".into()).into();
    let Content::Call(call) = &mut chat.messages[0].parts[1].content else {
        panic!("no call");
    };
    call.arguments.insert("x".into(), 1.into());
    assert_eq!(
        chat.write(OpenAi).value,
        json!([{"role": "assistant", "content": "b", "tool_calls": [
            {"type": "function", "id": "i", "function": {"name": "f", "arguments": "{\"x\":1}"}, "index": 0},
        ]}])
    );
}

#[test]
fn errors_say_where_and_what() {
    let called = |arguments: Value| {
        json!([{"role": "user", "content": "Hi"}, {"role": "assistant", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": arguments}},
        ]}])
    };
    refused(
        OpenAi,
        &called(json!("{\"a\": ")),
        "messages[1].tool_calls[0].function.arguments: the arguments cannot be read: \
        EOF while parsing a value at line 1 column 6; write the JSON text of an object, {} where there are none",
    );
    refused(
        OpenAi,
        &called(json!("[1]")),
        "messages[1].tool_calls[0].function.arguments: expected the JSON of an object, found an array",
    );
    refused(
        HuggingFace,
        &json!([{"role": "bot\u{1b}", "content": ""}]),
        "messages[0].role: expected one of system, developer, user, \
        assistant and tool, found the string `bot\\u{1b}`",
    );
    refused(
        OpenAi,
        &json!({"prompt": "Hi"}),
        "messages: expected an array of messages, found nothing",
    );
    refused(
        Responses,
        &json!([{"type": "message", "role": "user", "content": [{"type": "input_text"}]}]),
        "input[0].content[0].text: expected a string, found nothing",
    );
    refused(
        Anthropic,
        &json!([{"role": "user", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": "{}"}]}]),
        "messages[0].content[0].input: expected the arguments as an object, found the string `{}`",
    );
    let many = Value::Array(vec![
        json!({"role": "user", "content": ""});
        MESSAGE_PARTS_MAX + 1
    ]);
    for &dialect in MessageDialect::ALL {
        refused(
            dialect,
            &many,
            "the conversation exceeds a limit (message_parts = 100000): leave older messages out",
        );
    }
}

#[test]
fn every_dialect_of_messages_reads_back() {
    for &dialect in MessageDialect::ALL {
        assert_eq!(dialect.as_str().parse(), Ok(dialect));
    }
    let error = "mcp".parse::<MessageDialect>().unwrap_err().to_string();
    assert_eq!(
        error,
        "expected one of `hf`, `openai`, `responses`, `anthropic`, found `mcp`"
    );
}
