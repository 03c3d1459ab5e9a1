//! Reads an endpoint's Chat Completions reply, whole or in chunks, and writes the client's.
//! Newer and older servers are read.

use std::collections::HashSet;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use crate::openai::available_tools::AvailableTools;
use crate::openai::calls::{self, Call, unique_id};
use crate::openai::lenient::or_absent;
use crate::openai::refusal::Refusal;
use crate::openai::reply_memory::kept_bytes;

/// Reasons to end that clients know.
const FINISH_REASONS: [&str; 4] = ["stop", "length", "tool_calls", "content_filter"];
/// Reasons after which a call is probably not complete.
const CUT_OFF: [&str; 2] = ["length", "content_filter"];
/// The name of every function in calls of older servers of text-generation-inference.
const ANY_FUNCTION: &str = "tools";
/// The members in which some of them put the name instead.
const INNER_NAME: &str = "_name";
const INNER_FUNCTION: &str = "function";

/// A reply: the members that are read here, and the rest, which is passed on.
#[derive(Default, Deserialize, Serialize)]
struct WholeReply {
    #[serde(flatten)]
    rest: Map<String, Value>,
    choices: Vec<Choice>,
}

#[derive(Deserialize, Serialize)]
struct Choice {
    #[serde(flatten)]
    rest: Map<String, Value>,
    message: Message,
    #[serde(default, deserialize_with = "or_absent")]
    finish_reason: Option<String>,
}

/// A message of the model.
#[derive(Default, Clone, Deserialize, Serialize)]
struct Message {
    #[serde(flatten)]
    rest: Map<String, Value>,
    #[serde(
        default,
        deserialize_with = "one_or_several",
        skip_serializing_if = "Vec::is_empty"
    )]
    tool_calls: Vec<Value>,
}

/// The reply of one round.
#[derive(Default)]
pub(super) struct Reply {
    /// Everything around the message, where the reply came whole.
    whole: WholeReply,
    message: Message,
    pub(super) finish_reason: Option<String>,
    /// The approximate number of bytes that a stream has added to the message.
    pub(super) kept_bytes: usize,
}

/// A call as the API writes it.
#[derive(Debug, Clone)]
pub(super) struct ToolCall {
    pub(super) call: Call,
    /// True if the client answers it.
    pub(super) is_theirs: bool,
    pub(super) written: Value,
}

impl ToolCall {
    pub(super) fn rename(&mut self, id: String) {
        self.written["id"] = id.clone().into();
        self.call.id = id;
    }
}

impl Reply {
    pub(super) fn read(reply: Value) -> Result<Self, Refusal> {
        let no_message = || Refusal::malformed("its reply holds no message");
        let mut whole: WholeReply = serde_json::from_value(reply).map_err(|_| no_message())?;
        let choice = whole.choices.first_mut().ok_or_else(no_message)?;
        Ok(Self {
            finish_reason: choice.finish_reason.take(),
            message: std::mem::take(&mut choice.message),
            whole,
            kept_bytes: 0,
        })
    }

    pub(super) fn usage(&self) -> Option<&Value> {
        self.whole.rest.get("usage")
    }

    /// Takes the calls out of the message, in the one form that everybody reads. Those of a reply
    /// that was cut off are left out.
    pub(super) fn take_calls(
        &mut self,
        available: &AvailableTools,
        ids: &mut HashSet<String>,
    ) -> Result<Vec<ToolCall>, Refusal> {
        let written = std::mem::take(&mut self.message.tool_calls);
        calls::bounded(written.len())?;
        let calls = written.into_iter().filter_map(|call| match call {
            Value::Object(call) => Some(tool_call(call, available, ids)),
            _ => None,
        });
        let mut calls = calls.collect::<Result<Vec<_>, _>>()?;
        let reason = self.finish_reason.as_deref();
        if reason.is_some_and(|reason| CUT_OFF.contains(&reason)) {
            calls.retain(|call| call.is_theirs);
        }
        Ok(calls)
    }

    /// The message with `calls`, as the model is told of it again.
    pub(super) fn message_with(&self, calls: &[ToolCall]) -> Value {
        json!(self.with_calls(calls))
    }

    fn with_calls(&self, calls: &[ToolCall]) -> Message {
        let mut rest = self.message.rest.clone();
        rest.insert("role".to_owned(), "assistant".into());
        rest.entry("content").or_insert(Value::Null);
        let tool_calls = calls.iter().map(|call| call.written.clone()).collect();
        Message { tool_calls, rest }
    }

    /// The reason why the answer ends.
    pub(super) fn finish_reason(&self, hands_back: bool) -> &str {
        match self.finish_reason.as_deref() {
            Some(reason) if !hands_back || FINISH_REASONS.contains(&reason) => reason,
            _ if hands_back => "tool_calls",
            _ => "stop",
        }
    }

    /// The whole reply, with the calls that the client has to answer and what all rounds cost.
    pub(super) fn finished(&mut self, calls: &[ToolCall], usage: Option<&Value>) -> Value {
        let reason = self.finish_reason(!calls.is_empty()).to_owned();
        let mut whole = std::mem::take(&mut self.whole);
        if let Some(choice) = whole.choices.first_mut() {
            choice.message = self.with_calls(calls);
            if self.finish_reason.is_some() || !calls.is_empty() {
                choice.finish_reason = Some(reason);
            }
        }
        if let Some(usage) = usage {
            whole.rest.insert("usage".to_owned(), usage.clone());
        }
        json!(whole)
    }

    /// Adds the delta of a chunk: texts and calls are extended, other members are set.
    pub(super) fn add(&mut self, delta: &Map<String, Value>) -> Result<(), Refusal> {
        for (name, value) in delta {
            match (name.as_str(), value) {
                (_, Value::Null) => {}
                ("tool_calls", calls) => {
                    self.kept_bytes += add_calls(&mut self.message.tool_calls, calls)?;
                }
                ("role", role) => {
                    self.message.rest.insert("role".to_owned(), role.clone());
                }
                (name, value) => match (self.message.rest.get_mut(name), value) {
                    (Some(Value::String(text)), Value::String(more)) => {
                        text.push_str(more);
                        self.kept_bytes += more.len();
                    }
                    _ => {
                        self.kept_bytes += name.len() + kept_bytes(value);
                        self.message.rest.insert(name.to_owned(), value.clone());
                    }
                },
            }
        }
        Ok(())
    }
}

/// Reads a list that some servers write as its only item.
fn one_or_several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Value>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Null => Vec::new(),
        Value::Array(list) => list,
        one => vec![one],
    })
}

/// Adds parts of calls, and says how many bytes they take.
fn add_calls(grown: &mut Vec<Value>, delta: &Value) -> Result<usize, Refusal> {
    let mut bytes = 0;
    let several = delta
        .as_array()
        .map_or(std::slice::from_ref(delta), Vec::as_slice);
    for part in several.iter().filter_map(Value::as_object) {
        let index = part.get("index").cloned();
        let known = grown
            .iter_mut()
            // A part mostly belongs to the last call.
            .rfind(|call| index.is_some() && call.get("index") == index.as_ref());
        match known {
            Some(call) => bytes += grow(call, part),
            None => {
                let call = part.clone().into();
                bytes += kept_bytes(&call);
                grown.push(call);
                calls::bounded(grown.len())?;
            }
        }
    }
    Ok(bytes)
}

/// Adds the members of `part` to a call: arguments are extended, other members that are there stay.
/// Says how many bytes that takes.
fn grow(call: &mut Value, part: &Map<String, Value>) -> usize {
    let Value::Object(call) = call else {
        return 0;
    };
    let mut bytes = 0;
    for (name, value) in part {
        match (call.get_mut(name), value) {
            (_, Value::Null) => {}
            (Some(inner @ Value::Object(_)), Value::Object(more)) => bytes += grow(inner, more),
            (Some(Value::String(text)), Value::String(more))
                if matches!(name.as_str(), "arguments" | "input") =>
            {
                text.push_str(more);
                bytes += more.len();
            }
            (Some(Value::String(text)), _) if !text.is_empty() => {}
            (Some(Value::Number(_)), _) => {}
            _ => {
                bytes += name.len() + kept_bytes(value);
                call.insert(name.clone(), value.clone());
            }
        }
    }
    bytes
}

/// A call in the one form that everybody reads, whoever wrote it.
fn tool_call(
    mut written: Map<String, Value>,
    available: &AvailableTools,
    ids: &mut HashSet<String>,
) -> Result<ToolCall, Refusal> {
    written.shift_remove("index");
    let id = unique_id(written.get("id").and_then(Value::as_str), ids)?;
    written.insert("id".to_owned(), id.clone().into());
    if written.get("type") == Some(&"custom".into()) {
        let name = String::new();
        let arguments = String::new();
        let call = Call {
            id,
            name,
            arguments,
        };
        return Ok(ToolCall {
            call,
            is_theirs: true,
            written: written.into(),
        });
    }
    let mut function = match written.shift_remove("function") {
        Some(Value::Object(function)) => function,
        _ => Map::new(),
    };
    let name = function
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let arguments = function
        .shift_remove("arguments")
        .filter(|arguments| !arguments.is_null());
    let parameters = function.shift_remove("parameters");
    let (name, arguments) = named(
        name,
        arguments.or(parameters).unwrap_or_default(),
        available,
    );
    function.insert("name".to_owned(), name.clone().into());
    function.insert("arguments".to_owned(), arguments.clone().into());
    function.retain(|_, value| !value.is_null());
    written.insert("type".to_owned(), "function".into());
    written.insert("function".to_owned(), function.into());
    Ok(ToolCall {
        is_theirs: available.is_theirs(&name),
        call: Call {
            id,
            name,
            arguments,
        },
        written: written.into(),
    })
}

/// The name of the function and the text of its arguments. A server that gives no name puts it
/// among the arguments, or leaves it to be told from them.
fn named(name: String, arguments: Value, available: &AvailableTools) -> (String, String) {
    let is_known = available.resolved(&name).is_some() || available.is_theirs(&name);
    let text = match arguments {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    };
    if is_known || !(name.is_empty() || name == ANY_FUNCTION) {
        return (name, text);
    }
    let Ok(Value::Object(mut members)) = serde_json::from_str(&text) else {
        return (name, text);
    };
    if members.len() == 1
        && let Some(Value::Object(inner)) = members.get_mut(INNER_FUNCTION)
    {
        members = std::mem::take(inner);
    }
    let inner = match members.shift_remove(INNER_NAME) {
        Some(Value::String(inner)) => Some(inner),
        _ => available.meant(&members).map(str::to_owned),
    };
    (inner.unwrap_or(name), Value::Object(members).to_string())
}
