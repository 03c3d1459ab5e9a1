//! Emulates tool calling on servers that lack it: rewrites requests with tools, and their replies.
//! A Chat Completions request with tools becomes one with a constraint and instructions, and the
//! text of its reply becomes calls.

use serde_json::{Map, Value, json};

use super::answer::WrongAnswer;
use super::backend::Backend;
use super::cache::ConstraintCache;
use super::calls::{CallOrAnswer, Calls};
use super::compile::{Constraint, Kind};
use super::error::ConstraintError;
use super::tool_choice::ToolChoice;

/// The most functions that a request may offer.
const FUNCTIONS_MAX: usize = 256;

/// The reader of the reply to a rewritten request.
#[derive(Debug, Clone, PartialEq)]
pub struct EmulatedTools {
    constraint: Constraint,
    /// The number of calls that the conversation holds already.
    calls: usize,
}

/// Rewrites a Chat Completions request so that `backend` holds the model to what `tools` and
/// `tool_choice` say, without reading them: they become a constraint and instructions, and
/// calls and results of the conversation become text. After calls a model that may make no more
/// is held to an answer, because it would go on writing calls. None where no call is wanted, or
/// none can be made.
///
/// The model makes one call at a time. The reply is read whole, so the request must not ask
/// for a stream, and the form of the answer has to be free.
///
/// # Errors
/// When the request cannot be read, wants a function that it does not offer, or offers what
/// the server cannot be held to. The request is then as it was.
pub fn emulate_tools(
    request: &mut Map<String, Value>,
    backend: Backend,
    cache: &mut ConstraintCache,
) -> Result<Option<EmulatedTools>, ConstraintError> {
    refuse(
        request,
        "stream",
        |value| value == &Value::Bool(true),
        "false",
    )?;
    let tools = functions(request)?;
    if !tools.is_empty() {
        let is_said = |value: &Value| !value.is_null();
        refuse(request, "response_format", is_said, "absent beside tools")?;
    }
    let choice = ToolChoice::read(request.get("tool_choice"), !tools.is_empty())?;
    let offered = tools.iter().map(|tool| (&*tool.name, &tool.parameters));
    let calls = Calls::new(offered, &choice)?;
    let (mut messages, count) = as_text(request.get("messages"))?;
    let is_last = calls.is_none() && !tools.is_empty() && count > 0;
    let calls = calls.or_else(|| is_last.then(Calls::answer_only));
    let mut emulated = None;
    let mut members = Map::new();
    if let Some(calls) = calls {
        instruct(&mut messages, &tools, &calls);
        let constraint = Constraint::of(Kind::Calls(calls));
        members = cache.compile(&constraint, backend)?.members.clone();
        if backend == Backend::Tgi {
            // Its chat API has another name for the same.
            let grammar = members.shift_remove("grammar").unwrap_or_default();
            members.insert("response_format".to_owned(), grammar);
        }
        emulated = Some(EmulatedTools {
            constraint,
            calls: count,
        });
    }
    for member in ["tools", "tool_choice", "parallel_tool_calls"] {
        request.shift_remove(member);
    }
    request.insert("messages".to_owned(), messages.into());
    request.extend(members);
    Ok(emulated)
}

impl EmulatedTools {
    /// Turns the text of every choice of `reply` into the call that it is, or into the answer
    /// that it holds.
    ///
    /// # Errors
    /// When a choice is neither. The message is for the model, and the reply is as it was.
    pub fn read_reply(&self, reply: &mut Value) -> Result<(), WrongAnswer> {
        let no_choices = || WrongAnswer::new("The reply has no choices.".to_owned());
        let choices = reply.get("choices").and_then(Value::as_array);
        let mut choices = choices.ok_or_else(no_choices)?.clone();
        for choice in &mut choices {
            let content = choice.pointer("/message/content").and_then(Value::as_str);
            match self.constraint.read_call(content.unwrap_or_default())? {
                CallOrAnswer::Answer(text) => choice["message"]["content"] = text.into(),
                CallOrAnswer::Call(call) => {
                    let arguments = Value::Object(call.arguments).to_string();
                    choice["message"]["content"] = Value::Null;
                    choice["message"]["tool_calls"] = json!([{
                        "id": format!("call_{}", self.calls + 1),
                        "type": "function",
                        "function": {"name": call.name, "arguments": arguments},
                    }]);
                    choice["finish_reason"] = "tool_calls".into();
                }
            }
        }
        reply["choices"] = choices.into();
        Ok(())
    }
}

fn refuse(
    request: &Map<String, Value>,
    member: &'static str,
    is_refused: impl Fn(&Value) -> bool,
    expected: &'static str,
) -> Result<(), ConstraintError> {
    match request.get(member) {
        Some(value) if is_refused(value) => Err(ConstraintError::Request { member, expected }),
        _ => Ok(()),
    }
}

/// A function that a request offers.
struct OfferedFunction {
    name: String,
    description: String,
    parameters: Value,
}

fn functions(request: &Map<String, Value>) -> Result<Vec<OfferedFunction>, ConstraintError> {
    let refused = || ConstraintError::Request {
        member: "tools",
        expected: "a list of functions with names",
    };
    let tools = match request.get("tools") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(tools) => tools.as_array().ok_or_else(refused)?,
    };
    if tools.len() > FUNCTIONS_MAX {
        return Err(ConstraintError::TooLarge {
            what: "functions",
            max: FUNCTIONS_MAX,
        });
    }
    let read = |tool: &Value| {
        let function = tool.get("function")?;
        let description = function.get("description").and_then(Value::as_str);
        let parameters = function.get("parameters").filter(|it| it.is_object());
        Some(OfferedFunction {
            name: function.get("name")?.as_str()?.to_owned(),
            description: description.unwrap_or_default().to_owned(),
            // A function without parameters takes none.
            parameters: parameters.cloned().unwrap_or_else(
                || json!({"type": "object", "properties": {}, "additionalProperties": false}),
            ),
        })
    };
    tools
        .iter()
        .map(|tool| read(tool).ok_or_else(refused))
        .collect()
}

/// The messages with calls and results as text, and how many calls there are.
fn as_text(messages: Option<&Value>) -> Result<(Vec<Value>, usize), ConstraintError> {
    let messages = messages.and_then(Value::as_array);
    let messages = messages.ok_or(ConstraintError::Request {
        member: "messages",
        expected: "a list",
    })?;
    let mut count = 0;
    let mut texts = Vec::with_capacity(messages.len());
    for message in messages {
        let calls = message.get("tool_calls").and_then(Value::as_array);
        if let Some(calls) = calls {
            count += calls.len();
            let said = message["content"].as_str().filter(|said| !said.is_empty());
            let lines = said.map(str::to_owned).into_iter();
            let lines: Vec<String> = lines.chain(calls.iter().map(call_text)).collect();
            texts.push(json!({"role": "assistant", "content": lines.join("\n")}));
        } else if message["role"] == "tool" {
            texts.push(json!({"role": "user", "content": result_text(message, messages)}));
        } else {
            texts.push(message.clone());
        }
    }
    Ok((texts, count))
}

/// A call as the model wrote it.
fn call_text(call: &Value) -> String {
    let function = &call["function"];
    let arguments = match &function["arguments"] {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into()),
        other => other.clone(),
    };
    json!({"name": function["name"], "arguments": arguments}).to_string()
}

fn result_text(result: &Value, messages: &[Value]) -> String {
    let id = &result["tool_call_id"];
    let calls = messages
        .iter()
        .filter_map(|message| message.get("tool_calls")?.as_array());
    let call = calls
        .flatten()
        .find(|call| call["id"] == *id && !id.is_null());
    let name = call.and_then(|call| call["function"]["name"].as_str());
    let name = name.or(result["name"].as_str()).unwrap_or("the function");
    let content = match &result["content"] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    format!("Result of {name}:\n{content}")
}

/// Says what can be called and how, in the system's first message.
fn instruct(messages: &mut Vec<Value>, tools: &[OfferedFunction], calls: &Calls) {
    let text = instructions(tools, calls);
    let first = messages
        .first_mut()
        .filter(|first| first["role"] == "system");
    match first.and_then(|first| first.get_mut("content")) {
        Some(Value::String(content)) => {
            content.push_str("\n\n");
            content.push_str(&text);
        }
        _ => messages.insert(0, json!({"role": "system", "content": text})),
    }
}

fn instructions(tools: &[OfferedFunction], calls: &Calls) -> String {
    let wanted = tools.iter().filter(|tool| calls.offers(&tool.name));
    let lines: Vec<String> = wanted
        .map(|tool| {
            let description = &tool.description;
            json!({"name": tool.name, "description": description, "parameters": tool.parameters})
                .to_string()
        })
        .collect();
    if lines.is_empty() {
        return "No more functions can be called. Answer with what you know, as one JSON object and \
                nothing else: {\"answer\": \"<text>\"}."
            .to_owned();
    }
    let mut text = format!(
        "You can call functions. Each line describes one, with a JSON schema of its arguments:\n{}\n\n\
         Write nothing but one JSON object. To call a function: \
         {{\"name\": \"<function>\", \"arguments\": {{<arguments>}}}}. Its result comes in the next message.",
        lines.join("\n")
    );
    if calls.takes_answers() {
        text.push_str(" To answer without a call: {\"answer\": \"<text>\"}.");
    }
    text
}
