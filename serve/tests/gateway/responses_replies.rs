//! The replies of the scripted endpoint to the Responses API, whole and streamed.

use serde_json::{Value, json};

use crate::support::Reply;

/// A response with these items.
pub(crate) fn response(id: &str, status: &str, output: &[Value]) -> Value {
    json!({
        "id": id, "object": "response", "created_at": 1, "model": "m", "status": status,
        "output": output, "tool_choice": "auto",
        "tools": [{"type": "function", "name": "weather"}, {"type": "function", "name": "guest__add"}],
        "usage": {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 1}, "output_tokens": 2, "total_tokens": 12},
    })
}

/// The item of a call.
pub(crate) fn call(n: u32, name: &str, arguments: &Value) -> Value {
    json!({
        "type": "function_call", "id": format!("fc_{n}"), "call_id": format!("call_{n}"),
        "name": name, "arguments": arguments.to_string(), "status": "completed",
    })
}

/// A call of the function that adds.
pub(crate) fn sum() -> Value {
    call(1, "guest__add", &json!({"a": 20, "b": 22}))
}

/// The item of a message.
pub(crate) fn text(text: &str) -> Value {
    let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
    json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content})
}

/// What the endpoint streams for a response.
pub(crate) fn streamed(response: &Value) -> Reply {
    let mut begun = response.clone();
    begun["output"] = json!([]);
    begun["status"] = "in_progress".into();
    let mut events = vec![
        json!({"type": "response.created", "response": begun}),
        json!({"type": "response.in_progress", "response": begun}),
    ];
    for (at, item) in response["output"].as_array().unwrap().iter().enumerate() {
        let mut added = item.clone();
        added["status"] = "in_progress".into();
        let about = |kind: &str| json!({"type": kind, "output_index": at, "item_id": item["id"]});
        if item["type"] == "function_call" {
            added["arguments"] = "".into();
            events.push(
                json!({"type": "response.output_item.added", "output_index": at, "item": added}),
            );
            for kind in [
                "response.function_call_arguments.delta",
                "response.function_call_arguments.done",
            ] {
                let mut event = about(kind);
                event["delta"] = item["arguments"].clone();
                event["arguments"] = item["arguments"].clone();
                events.push(event);
            }
        } else {
            added["content"] = json!([]);
            events.push(
                json!({"type": "response.output_item.added", "output_index": at, "item": added}),
            );
            let mut event = about("response.output_text.delta");
            event["delta"] = item["content"][0]["text"].clone();
            events.push(event);
        }
        events.push(json!({"type": "response.output_item.done", "output_index": at, "item": item}));
    }
    let kind = format!("response.{}", response["status"].as_str().unwrap());
    events.push(json!({"type": kind, "response": response}));
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = number.into();
    }
    Reply::Stream(events, false)
}
