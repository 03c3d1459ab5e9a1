//! Converts items of the Responses API: a model's calls, and the `mcp_call` items a client sees.
//! Such items of a client are turned back into calls and results for the model.

use serde_json::{Value, json};

use crate::call_result::CallResult;
use crate::openai::available_tools::AvailableTools;
use crate::openai::calls::Call;
use crate::openai::refusal::Refusal;

/// The label of the server that runs the toolbox's functions.
const SERVER: &str = "tool-hub";
/// The prefix of the ids of shown calls. It is followed by the id of the call and, after a dot, of
/// the model's item, so that the item can be made again from what a client sends back.
const SHOWN: &str = "mcp_toolhub_";
const NOT_RUN: &str = "The call was not run.";

/// The call in an item, if it is run here. `named` makes its id of the one that the item has. The
/// id and the arguments are written back into the item in their proper form.
pub(super) fn call(
    item: &mut Value,
    available: &AvailableTools,
    named: impl FnOnce(Option<&str>) -> Result<String, Refusal>,
) -> Result<Option<Call>, Refusal> {
    if item["type"] != "function_call" {
        return Ok(None);
    }
    let name = item["name"].as_str().unwrap_or_default().to_owned();
    // Functions in a namespace are the client's.
    if available.is_theirs(&name) || item.get("namespace").is_some_and(Value::is_string) {
        return Ok(None);
    }
    let id = named(item["call_id"].as_str())?;
    item["call_id"] = id.clone().into();
    let arguments = match &item["arguments"] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    item["arguments"] = arguments.clone().into();
    Ok(Some(Call {
        id,
        name,
        arguments,
    }))
}

pub(super) fn call_id(item: &Value) -> Option<String> {
    item.get("call_id")?.as_str().map(str::to_owned)
}

/// Returns true if an item that is not run here is a call that the client has to answer. Calls that
/// the endpoint answers itself have no `call_id`.
pub(super) fn is_for_client(item: &Value) -> bool {
    let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
    kind == "mcp_approval_request" || (kind.ends_with("_call") && call_id(item).is_some())
}

/// The item that the client is shown of a call that is run here, before it has ended.
pub(super) fn begun(call: &Call, item: &Value) -> Value {
    let id = item["id"].as_str().unwrap_or_default();
    json!({
        "type": "mcp_call",
        "id": format!("{SHOWN}{}.{id}", call.id),
        "server_label": SERVER,
        "name": call.name,
        "arguments": call.arguments,
        "output": null,
        "error": null,
        "status": "in_progress",
        "approval_request_id": null,
    })
}

/// Returns true if `shown` is the item of `call`, which has not ended.
pub(super) fn is_of(shown: &Value, call: &Call) -> bool {
    is_under_way(shown) && names(shown).is_some_and(|(id, _)| id == call.id)
}

fn is_under_way(shown: &Value) -> bool {
    shown["status"] == "in_progress"
}

/// Adds what came of the call.
pub(super) fn end(shown: &mut Value, result: &CallResult) {
    if result.is_failure {
        shown["status"] = "failed".into();
        shown["error"] = json!({"type": "mcp_tool_execution_error", "content": result.text()});
    } else {
        shown["status"] = "completed".into();
        shown["output"] = result.text().into();
    }
}

/// Ends a call that was never run.
pub(super) fn give_up(shown: &mut Value) {
    if names(shown).is_some() && is_under_way(shown) {
        shown["status"] = "incomplete".into();
    }
}

/// An item of a client's as the model knows it: a call that was run here becomes the call and its
/// output again.
pub(super) fn carried(item: Value) -> Vec<Value> {
    let Some((call_id, id)) = names(&item) else {
        return vec![item];
    };
    let mut call = json!({
        "type": "function_call",
        "call_id": call_id,
        "name": item["name"],
        "arguments": item["arguments"],
    });
    if !id.is_empty() {
        call["id"] = id.into();
    }
    let output = item["output"]
        .as_str()
        .or_else(|| item["error"]["content"].as_str());
    let output = json!({
        "type": "function_call_output",
        "call_id": call_id,
        "output": output.unwrap_or(NOT_RUN),
    });
    vec![call, output]
}

/// The ids of the call and of the item that a shown call stands for.
fn names(shown: &Value) -> Option<(&str, &str)> {
    let is_call = shown.get("type")? == "mcp_call";
    let rest = shown.get("id")?.as_str()?.strip_prefix(SHOWN)?;
    rest.rsplit_once('.').filter(|_| is_call)
}
