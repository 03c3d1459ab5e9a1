//! Tests that OpenAI's, Anthropic's and Transformers' packages take the messages that we write.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tool_hub_agent::conversation::{Conversation, MessageDialect};

use crate::cases::PACKAGES;
use crate::packages;

/// One conversation that has all that each dialect can say, and one without ids.
fn conversations() -> Vec<(MessageDialect, Value)> {
    let picture = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}});
    let anthropic = json!({"system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}], "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Look."}, picture,
            {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}, "title": "A"}]},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "redacted_thinking", "data": "d"},
            {"type": "text", "text": "I call."}, {"type": "text", "text": "Twice."},
            {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}},
            {"type": "tool_use", "id": "toolu_2", "name": "g", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_2", "content": [picture], "is_error": true},
            {"type": "tool_result", "tool_use_id": "toolu_1"},
            {"type": "text", "text": "Go on."}]},
    ]});
    let openai = json!([
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "name": "ann", "content": [
            {"type": "text", "text": "Look."},
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}},
            {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
            {"type": "file", "file": {"file_id": "file-1"}}]},
        {"role": "assistant", "content": null, "tool_calls": [
            {"type": "function", "id": "call_1", "function": {"name": "f", "arguments": "{\"a\": 1}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
        {"role": "assistant", "content": "No.", "refusal": null},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
        {"role": "user", "content": "Bye."},
    ]);
    let hf = json!([
        {"role": "user", "content": [{"type": "image", "url": "https://example.org/a.png"}, {"type": "text", "text": "Hi"}]},
        {"role": "assistant", "content": "", "reasoning_content": "Hm.", "tool_calls": [
            {"type": "function", "function": {"name": "f", "arguments": {"a": 1}}},
            {"type": "function", "function": {"name": "g", "arguments": {}}}]},
        {"role": "tool", "name": "g", "content": "2"},
        {"role": "tool", "name": "f", "content": "1"},
        {"role": "assistant", "content": "3"},
        {"role": "user", "content": "Thanks."},
    ]);
    let responses = json!([
        {"role": "user", "content": "Hi"},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "s"}], "encrypted_content": "e"},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": "I call.", "annotations": []}]},
        {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": [
            {"type": "input_text", "text": "one"}, {"type": "input_image", "detail": "auto", "image_url": "https://example.org/a.png"}]},
        {"role": "user", "content": "Thanks."},
    ]);
    vec![
        (MessageDialect::Anthropic, anthropic),
        (MessageDialect::OpenAi, openai),
        (MessageDialect::HuggingFace, hf),
        (MessageDialect::Responses, responses),
    ]
}

#[test]
#[ignore = "installs packages from PyPI"]
fn the_packages_of_openai_and_anthropic_take_what_is_written() {
    let mut taken = 0;
    for (from, value) in conversations() {
        let conversation = Conversation::read(from, &value).expect("a conversation");
        for &to in MessageDialect::ALL {
            let package = match to {
                MessageDialect::OpenAi | MessageDialect::Responses => &["openai==3.54.0"][..],
                MessageDialect::Anthropic => &["anthropic==2.12.0"],
                _ => &PACKAGES,
            };
            let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles/messages.py");
            let written = conversation.write(to).value;
            let mut python = Command::new("python3")
                .env("PYTHONPATH", packages::python(package))
                .arg(script)
                .arg(to.as_str())
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .expect("Python starts");
            let mut stdin = python.stdin.take().expect("a pipe");
            stdin
                .write_all(written.to_string().as_bytes())
                .expect("Python reads");
            drop(stdin);
            let output = python.wait_with_output().expect("Python ends");
            assert!(output.status.success(), "{from} to {to}: {written:#}");
            let count: usize = String::from_utf8_lossy(&output.stdout)
                .trim()
                .parse()
                .expect("a count");
            assert!(count > 3, "{from} to {to}: {count}");
            taken += count;
        }
    }
    println!("{taken} messages and items are taken");
}
