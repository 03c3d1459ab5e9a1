//! Reads and writes the messages of Chat Completions and of chat templates.

mod writer;

use serde_json::{Map, Value, json};
use writer::{write_message, write_part};

use super::error::MessageError;
use super::json_reader::{Path, list};
use super::loss::Losses;
use super::style::{REASONING, Style};
use crate::conversation::message::{
    Content, Conversation, Foreign, Message, MessageDialect, Part, Reasoning, Role, SourceForm,
    ToolCall, ToolResult,
};

/// Members that the common form has, however they are written.
const COMMON_MEMBERS: [&str; 11] = [
    "role",
    "content",
    "name",
    "tool_call_id",
    "tool_calls",
    "refusal",
    "reasoning_content",
    "reasoning",
    "thinking",
    "function_call",
    "type",
];
/// The deprecated member that `tool_calls` replaced. It is written where it was read.
const FUNCTION_CALL: &str = "function_call";

pub(super) fn read(style: &Style, value: &Value) -> Result<Conversation, MessageError> {
    let (list, request) = list(value, "messages", "an array of messages")?;
    let root = Path::root("messages");
    let mut messages = Vec::with_capacity(list.len());
    for (index, item) in list.iter().enumerate() {
        messages.push(message(style, item, &root.index(index))?);
    }
    let source_form = request.map(|request| {
        let would_be = Map::from_iter([("messages".to_owned(), request["messages"].clone())]);
        SourceForm::of(style.dialect, &would_be, request, &[])
    });
    Ok(Conversation {
        messages,
        source_form,
    })
}

pub(super) fn write(style: &Style, conversation: &Conversation, losses: &mut Losses) -> Value {
    let mut messages = Vec::new();
    for (index, message) in conversation.messages.iter().enumerate() {
        losses.message = Some(index);
        write_message(style, message, losses, &mut messages);
    }
    losses.message = None;
    let source_form = conversation.source_form.as_ref();
    losses.in_request("messages", messages.into(), source_form)
}

fn message(style: &Style, value: &Value, at: &Path<'_>) -> Result<Message, MessageError> {
    let source = at.object(value, "a message: an object with `role` and `content`")?;
    let role = role(source, at)?;
    let mut parts = Vec::new();
    let thought = REASONING
        .iter()
        .find_map(|name| source.get(*name)?.as_str());
    if let Some(text) = thought.filter(|text| !text.is_empty()) {
        let reasoning = Reasoning {
            text: text.to_owned(),
            ..Reasoning::default()
        };
        parts.push(Content::Reasoning(reasoning).into());
    }
    parts.extend(contents(
        style,
        role,
        source.get("content"),
        &at.member("content"),
    )?);
    if let Some(refusal) = at.text_if_any(source, "refusal")? {
        parts.push(Content::Refusal(refusal).into());
    }
    let was_normalised = calls(style, source, at, &mut parts)?;
    let mut name = at.text_if_any(source, "name")?;
    if role == Role::Tool {
        let result = ToolResult {
            call_id: id(source.get("tool_call_id"), &at.member("tool_call_id"))?,
            name: name.take(),
            content: parts,
            is_error: false,
        };
        parts = vec![Content::Result(result).into()];
    }
    let mut message = Message {
        role,
        parts,
        name,
        source_form: None,
    };
    let mut written = Vec::new();
    write_message(
        style,
        &message,
        &mut Losses::new(style.dialect),
        &mut written,
    );
    let would_be = written.first().and_then(Value::as_object).cloned();
    let source_form = SourceForm::of(
        style.dialect,
        &would_be.unwrap_or_default(),
        source,
        &COMMON_MEMBERS,
    );
    let source_form = source_form.without(if source.get("role") == Some(&json!("function")) {
        &["role"]
    } else {
        &[]
    });
    message.source_form = Some(match was_normalised {
        true => source_form.without(&["tool_calls", FUNCTION_CALL]),
        false => source_form,
    });
    Ok(message)
}

fn role(message: &Map<String, Value>, at: &Path<'_>) -> Result<Role, MessageError> {
    match message.get("role").and_then(Value::as_str) {
        Some("system") => Ok(Role::System),
        Some("developer") => Ok(Role::Developer),
        Some("user") => Ok(Role::User),
        Some("assistant") => Ok(Role::Assistant),
        Some("tool" | "function") => Ok(Role::Tool),
        _ => Err(at.member("role").unexpected(
            "one of system, developer, user, assistant and tool",
            message.get("role"),
        )),
    }
}

/// An id, for which some servers write a number.
fn id(value: Option<&Value>, at: &Path<'_>) -> Result<Option<String>, MessageError> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(id)) => Ok(Some(id.clone())),
        Some(Value::Number(id)) => Ok(Some(id.to_string())),
        other => Err(at.unexpected("an id, which is a string", other)),
    }
}

fn contents(
    style: &Style,
    role: Role,
    value: Option<&Value>,
    at: &Path<'_>,
) -> Result<Vec<Part>, MessageError> {
    match value {
        // Templates print whatever a function returned.
        Some(value @ (Value::Bool(_) | Value::Number(_) | Value::Object(_)))
            if role == Role::Tool && style.dialect == MessageDialect::HuggingFace =>
        {
            Ok(vec![Content::Text(value.to_string()).into()])
        }
        _ => at.contents(value, "a string or an array of parts", |item, at| {
            part(style, role, item, at)
        }),
    }
}

fn part(style: &Style, role: Role, value: &Value, at: &Path<'_>) -> Result<Part, MessageError> {
    let source = at.object(value, "a part: an object with `type`")?;
    let kind = at.text(source, "type")?;
    let content = match kind {
        "text" => Content::Text(at.text(source, "text")?.to_owned()),
        "refusal" if style.has_refusals => Content::Refusal(at.text(source, "refusal")?.to_owned()),
        kind => match (style.read_media)(kind, source, at)? {
            Some(media) => Content::Media(media),
            None => {
                return Ok(Content::Foreign(Foreign {
                    of: style.dialect,
                    value: value.clone(),
                    is_call: false,
                })
                .into());
            }
        },
    };
    let would_be = write_part(style, role, &content, &mut Losses::new(style.dialect));
    let would_be = would_be.as_ref().and_then(Value::as_object).cloned();
    let source_form = SourceForm::of(
        style.dialect,
        &would_be.unwrap_or_default(),
        source,
        style.form,
    );
    Ok(Part {
        content,
        source_form: source_form.if_any(),
    })
}

/// Reads the calls of a message, and tells if they must be written in another form.
fn calls(
    style: &Style,
    message: &Map<String, Value>,
    at: &Path<'_>,
    parts: &mut Vec<Part>,
) -> Result<bool, MessageError> {
    let mut was_normalised = false;
    match message.get("tool_calls") {
        None | Some(Value::Null) => {}
        Some(Value::Array(calls)) => {
            for (index, value) in calls.iter().enumerate() {
                let at = at.member("tool_calls");
                let (part, mended) = call(style, value, &at.index(index))?;
                was_normalised |= mended;
                parts.push(part);
            }
        }
        // As servers of TGI once answered.
        Some(one @ Value::Object(_)) => {
            parts.push(call(style, one, &at.member("tool_calls"))?.0);
            was_normalised = true;
        }
        other => {
            return Err(at
                .member("tool_calls")
                .unexpected("an array of calls", other));
        }
    }
    if let Some(function) = message.get(FUNCTION_CALL).filter(|it| !it.is_null()) {
        let at = at.member(FUNCTION_CALL);
        let function = at.object(function, "an object with `name` and `arguments`")?;
        let call = tool_call(None, function, &at)?;
        parts.push(Content::Call(call).into());
        was_normalised = true;
    }
    Ok(was_normalised)
}

fn call(style: &Style, value: &Value, at: &Path<'_>) -> Result<(Part, bool), MessageError> {
    let source = at.object(value, "a call: an object with `function`")?;
    let kind = source.get("type").and_then(Value::as_str);
    if kind.is_some_and(|kind| kind != "function") && !source.contains_key("function") {
        let foreign = Foreign {
            of: style.dialect,
            value: value.clone(),
            is_call: true,
        };
        return Ok((Content::Foreign(foreign).into(), false));
    }
    let inside = at.member("function");
    let (function, place) = match source.get("function") {
        Some(function) => (
            inside.object(function, "an object with `name` and `arguments`")?,
            &inside,
        ),
        // Without the object around it.
        None if source.contains_key("name") => (source, at),
        None => return Err(inside.unexpected("an object with `name` and `arguments`", None)),
    };
    let call = tool_call(id(source.get("id"), &at.member("id"))?, function, place)?;
    let arguments = function.get("arguments");
    let is_text = arguments.is_some_and(Value::is_string);
    let is_canonical = source.contains_key("function")
        && arguments.is_some()
        && (style.arguments)(&call.arguments).is_string() == is_text
        && !source.get("id").is_some_and(Value::is_number);
    let part = Content::Call(call);
    let would_be = write_part(
        style,
        Role::Assistant,
        &part,
        &mut Losses::new(style.dialect),
    );
    let would_be = would_be.as_ref().and_then(Value::as_object).cloned();
    let source_form = SourceForm::of(
        style.dialect,
        &would_be.unwrap_or_default(),
        source,
        &["function", "type", "id"],
    );
    let source_form = match (is_canonical, source.contains_key("function")) {
        (true, _) => source_form.if_any(),
        (false, true) => source_form.without(&["id", "function"]).if_any(),
        (false, false) => None,
    };
    let part = Part {
        content: part,
        source_form,
    };
    Ok((part, !is_canonical))
}

fn tool_call(
    id: Option<String>,
    function: &Map<String, Value>,
    at: &Path<'_>,
) -> Result<ToolCall, MessageError> {
    let parameters = function.contains_key("parameters") && !function.contains_key("arguments");
    let member = if parameters {
        "parameters"
    } else {
        "arguments"
    };
    Ok(ToolCall {
        id,
        name: at.text(function, "name")?.to_owned(),
        arguments: at.member(member).arguments(function.get(member))?,
    })
}
