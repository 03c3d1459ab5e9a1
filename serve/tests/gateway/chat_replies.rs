//! The replies of the scripted endpoint to Chat Completions, whole and in chunks.

use serde_json::{Value, json};

use crate::support::Reply;

/// A reply of one message.
pub(crate) fn message(message: Value, reason: &str) -> Reply {
    Reply::Whole(json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": null}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
    }))
}

/// A reply in words.
pub(crate) fn text(text: &str) -> Reply {
    message(json!({"role": "assistant", "content": text}), "stop")
}

/// One call in a message.
pub(crate) fn call(id: &str, name: &str, arguments: &Value) -> Value {
    json!({
        "id": id, "type": "function",
        "function": {"name": name, "arguments": arguments.to_string()},
    })
}

/// One chunk of a streamed reply.
pub(crate) fn chunk(id: &str, delta: Value, reason: Option<&str>) -> Value {
    json!({
        "id": id, "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason}],
    })
}

/// The chunk with the usage.
pub(crate) fn usage(id: &str) -> Value {
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12});
    json!({"id": id, "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [], "usage": usage})
}
