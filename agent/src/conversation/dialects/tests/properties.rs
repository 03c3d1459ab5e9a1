//! Property tests: conversations are written as they were read, and converted without loss.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::MessageDialect::{Anthropic, HuggingFace, OpenAi, Responses};
use super::super::*;
use crate::conversation::message::{Content, Message, Role, ToolCall, ToolResult};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[ -~]{0,6}",
        Just("é\n\u{1f600}\"{}".to_owned())
    ]
}

fn id() -> impl Strategy<Value = String> {
    "[a-c]"
}

/// Members that no dialect defines.
fn further() -> impl Strategy<Value = Map<String, Value>> {
    let value = prop_oneof![
        Just(json!(null)),
        Just(json!([])),
        Just(json!({"a": [1.0]})),
        text().prop_map(Value::from)
    ];
    prop_oneof![
        3 => Just(Map::new()),
        1 => ("x_[a-c]", value).prop_map(|(name, value)| Map::from_iter([(name, value)])),
    ]
}

fn arguments() -> impl Strategy<Value = Map<String, Value>> {
    let value = prop_oneof![
        Just(json!(1.0)),
        Just(json!(-1)),
        Just(json!(null)),
        Just(json!({"b": []})),
        text().prop_map(Value::from)
    ];
    proptest::collection::hash_map(id(), value, 0..3)
        .prop_map(|members| members.into_iter().collect())
}

fn with(mut object: Value, further: Map<String, Value>) -> Value {
    if let Some(object) = object.as_object_mut() {
        object.extend(further);
    }
    object
}

/// A member that may be absent, null, or there.
fn member(object: &mut Value, name: &str, value: Option<Option<Value>>) {
    if let Some(value) = value {
        object[name] = value.unwrap_or_default();
    }
}

fn maybe(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Option<Option<Value>>> {
    option::of(option::of(value))
}

fn content(part: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Value> {
    prop_oneof![
        text().prop_map(Value::from),
        vec(part, 0..4).prop_map(Value::from)
    ]
    .boxed()
}

fn openai_part() -> impl Strategy<Value = Value> {
    let kinds = prop_oneof![
        text().prop_map(|text| json!({"type": "text", "text": text})),
        text().prop_map(|text| json!({"type": "refusal", "refusal": text})),
        (text(), option::of(id())).prop_map(|(url, detail)| json!({"type": "image_url", "image_url": {"url": url, "detail": detail}})),
        Just(json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}})),
        (text(), id()).prop_map(|(data, format)| json!({"type": "input_audio", "input_audio": {"data": data, "format": format}})),
        (option::of(text()), option::of(text())).prop_map(|(data, id)| json!({"type": "file", "file": {"file_data": data, "file_id": id}})),
        id().prop_map(|kind| json!({"type": kind})),
    ];
    (kinds, further()).prop_map(|(part, further)| with(part, further))
}

fn hf_part() -> impl Strategy<Value = Value> {
    let place = prop_oneof![
        Just("url"),
        Just("path"),
        Just("base64"),
        Just("image"),
        Just("video"),
        Just("text")
    ];
    let media = (
        prop_oneof![Just("image"), Just("audio"), Just("video")],
        place,
        text(),
    );
    prop_oneof![
        openai_part(),
        media.prop_map(|(kind, place, text)| json!({"type": kind, (place): text})),
    ]
}

fn calls(texts: bool) -> impl Strategy<Value = Value> {
    let call = (arguments(), id(), option::of(id()), further()).prop_map(move |(arguments, name, id, further)| {
        let arguments = match texts {
            true => json!(serde_json::to_string_pretty(&arguments).unwrap()),
            false => json!(arguments),
        };
        let call = json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
        with(call, further)
    });
    vec(call, 0..3).prop_map(Value::from)
}

/// Messages with roles; with ids where they have to be, since absent ones are made.
fn chat(dialect: MessageDialect) -> BoxedStrategy<Value> {
    let texts = dialect == OpenAi;
    let part = move || {
        if texts {
            openai_part().boxed()
        } else {
            hf_part().boxed()
        }
    };
    let spoken = (
        prop_oneof![Just("system"), Just("developer"), Just("user")],
        content(part()),
        maybe(id().prop_map(Value::from)),
    )
        .prop_map(|(role, content, name)| {
            let mut message = json!({"role": role, "content": content});
            member(&mut message, "name", name);
            message
        });
    let answered = (
        maybe(content(part())),
        maybe(calls(texts)),
        maybe(text().prop_map(Value::from)),
        maybe(text().prop_map(Value::from)),
    )
        .prop_map(|(content, calls, refusal, reasoning)| {
            let mut message = json!({"role": "assistant"});
            member(&mut message, "content", content);
            member(&mut message, "tool_calls", calls);
            member(&mut message, "refusal", refusal);
            member(&mut message, "reasoning", reasoning);
            message
        });
    let result = (id(), content(part()), maybe(id().prop_map(Value::from))).prop_map(
        |(id, content, name)| {
            let mut message = json!({"role": "tool", "tool_call_id": id, "content": content});
            member(&mut message, "name", name);
            message
        },
    );
    let message = (prop_oneof![spoken, answered, result], further())
        .prop_map(|(message, further)| with(message, further));
    vec(message, 0..6)
        .prop_map(move |mut messages| {
            // A call of Chat Completions without an id would get a new one.
            for call in messages
                .iter_mut()
                .filter_map(|it| it.get_mut("tool_calls")?.as_array_mut())
                .flatten()
            {
                if texts && call["id"].is_null() {
                    call["id"] = json!("z");
                }
            }
            messages.into()
        })
        .boxed()
}

fn responses() -> BoxedStrategy<Value> {
    let part = || {
        let kinds = prop_oneof![
            text().prop_map(|text| json!({"type": "input_text", "text": text})),
            text().prop_map(|text| json!({"type": "output_text", "text": text, "annotations": []})),
            text().prop_map(|text| json!({"type": "refusal", "refusal": text})),
            (option::of(text()), option::of(text())).prop_map(
                |(url, id)| json!({"type": "input_image", "image_url": url, "file_id": id})
            ),
            (option::of(text()), option::of(text())).prop_map(
                |(url, id)| json!({"type": "input_file", "file_url": url, "file_id": id})
            ),
            Just(json!({"type": "input_later"})),
        ];
        (kinds, further()).prop_map(|(part, further)| with(part, further))
    };
    let role = prop_oneof![1 => Just("system"), 1 => Just("user"), 3 => Just("assistant")];
    let items = prop_oneof![
        (role, content(part())).prop_map(|(role, content)| json!({"role": role, "content": content})),
        (arguments(), id()).prop_map(|(arguments, id)| json!({
            "type": "function_call", "call_id": id, "name": "f", "arguments": serde_json::to_string_pretty(&arguments).unwrap(),
        })),
        (id(), content(part())).prop_map(|(id, output)| json!({"type": "function_call_output", "call_id": id, "output": output})),
        (vec(text(), 0..2), option::of(text())).prop_map(|(texts, sealed)| {
            let summary: Vec<Value> = texts.iter().map(|text| json!({"type": "summary_text", "text": text})).collect();
            let content: Vec<Value> = texts.iter().map(|text| json!({"type": "reasoning_text", "text": text})).collect();
            json!({"type": "reasoning", "id": "rs", "summary": summary, "content": content, "encrypted_content": sealed})
        }),
        Just(json!({"type": "web_search_call", "id": "w"})),
    ];
    vec(
        (items, further()).prop_map(|(item, further)| with(item, further)),
        0..7,
    )
    .prop_map(Value::from)
    .boxed()
}

fn anthropic() -> BoxedStrategy<Value> {
    let simple = || {
        let kinds = prop_oneof![
            3 => text().prop_map(|text| json!({"type": "text", "text": text})),
            1 => text().prop_map(|url| json!({"type": "image", "source": {"type": "url", "url": url}})),
            1 => text().prop_map(|data| json!({"type": "document", "title": null, "source": {"type": "base64", "media_type": "application/pdf", "data": data}})),
            1 => text().prop_map(|data| json!({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": data}})),
            1 => Just(json!({"type": "search_result", "content": []})),
        ];
        (kinds, further()).prop_map(|(block, further)| with(block, further))
    };
    let result =
        (id(), content(simple()), option::of(any::<bool>())).prop_map(|(id, content, failed)| {
            let mut block = json!({"type": "tool_result", "tool_use_id": id, "content": content});
            member(
                &mut block,
                "is_error",
                failed.map(|failed| Some(json!(failed))),
            );
            block
        });
    let block = prop_oneof![
        2 => simple(),
        1 => (arguments(), id()).prop_map(|(input, id)| json!({"type": "tool_use", "id": id, "name": "f", "input": input})),
        1 => (text(), text()).prop_map(|(text, signature)| json!({"type": "thinking", "thinking": text, "signature": signature})),
        1 => text().prop_map(|data| json!({"type": "redacted_thinking", "data": data})),
    ];
    let asked = prop_oneof![simple().boxed(), result.boxed()];
    let asked = content(asked).prop_map(|content| json!({"role": "user", "content": content}));
    let answered =
        content(block).prop_map(|content| json!({"role": "assistant", "content": content}));
    let message = prop_oneof![3 => asked, 2 => answered];
    let system = text().prop_map(|text| json!({"type": "text", "text": text}));
    let system = content(system.boxed());
    let messages = vec(message, 0..6);
    (option::of(system), messages, any::<bool>())
        .prop_map(|(system, messages, bare)| match (system, bare) {
            (None, true) => messages.into(),
            (None, false) => json!({"messages": messages}),
            (Some(system), _) => json!({"system": system, "messages": messages}),
        })
        .boxed()
}

/// Conversations of what all dialects can say, in the common form.
fn common() -> BoxedStrategy<Conversation> {
    let word = || "[a-z]{1,5}";
    let turn = (word(), vec((word(), arguments()), 0..3), option::of(word())).prop_map(
        |(asked, calls, said)| {
            let mut messages = vec![Message::text(Role::User, asked)];
            let said = said.into_iter().map(Content::Text);
            let count = calls.len();
            let asked_for = calls.into_iter().map(|(name, arguments)| {
                Content::Call(ToolCall {
                    id: None,
                    name,
                    arguments,
                })
            });
            let answer: Vec<Content> = said.chain(asked_for).collect();
            if !answer.is_empty() {
                messages.push(Message::new(Role::Assistant, answer));
            }
            for _ in 0..count {
                let result = ToolResult {
                    content: vec![Content::Text("done".into()).into()],
                    ..ToolResult::default()
                };
                messages.push(Message::new(Role::Tool, [Content::Result(result)]));
            }
            messages
        },
    );
    (option::of(word()), vec(turn, 1..4))
        .prop_map(|(system, turns)| {
            let system = system.map(|text| Message::text(Role::System, text));
            let mut conversation = Conversation {
                messages: system.into_iter().chain(turns.concat()).collect(),
                source_form: None,
            };
            // Each call has an id, and results come in the other order.
            let mut ids = Vec::new();
            let mut count = 0;
            for part in conversation
                .messages
                .iter_mut()
                .flat_map(|it| &mut it.parts)
            {
                match &mut part.content {
                    Content::Call(call) => {
                        count += 1;
                        call.id = Some(format!("id-{count}"));
                        ids.push(call.id.clone());
                    }
                    Content::Result(result) => result.call_id = ids.pop().flatten(),
                    _ => {}
                }
            }
            conversation
        })
        .boxed()
}

fn check(dialect: MessageDialect, value: &Value) -> Result<(), TestCaseError> {
    let conversation = Conversation::read(dialect, value);
    let conversation = conversation.map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(&conversation.write(dialect).value, value);
    for &other in MessageDialect::ALL {
        let written = conversation.write(other);
        let again = Conversation::read(other, &written.value);
        let again = again
            .map_err(|error| TestCaseError::fail(format!("{other}: {error}: {}", written.value)))?;
        prop_assert_eq!(again.write(other).value, written.value);
    }
    Ok(())
}

proptest! {
    #[test]
    fn openai_is_written_as_it_was(value in chat(OpenAi)) {
        check(OpenAi, &value)?;
    }

    #[test]
    fn hf_is_written_as_it_was(value in chat(HuggingFace)) {
        check(HuggingFace, &value)?;
    }

    #[test]
    fn responses_is_written_as_it_was(value in responses()) {
        check(Responses, &value)?;
    }

    #[test]
    fn anthropic_is_written_as_it_was(value in anthropic()) {
        check(Anthropic, &value)?;
    }

    #[test]
    fn nothing_is_lost_from_one_to_the_other_and_back(conversation in common()) {
        for &from in MessageDialect::ALL {
            let first = conversation.write(from);
            prop_assert_eq!(&first.losses, &[]);
            for &to in MessageDialect::ALL {
                let other = Conversation::read(from, &first.value).unwrap().write(to);
                prop_assert_eq!(&other.losses, &[]);
                let back = Conversation::read(to, &other.value).unwrap().write(from);
                prop_assert_eq!(&back.value, &first.value);
            }
        }
    }
}
