//! Writes messages for Chat Completions and chat templates.

use serde_json::{Map, Value, json};

use crate::conversation::dialects::loss::{Losses, MessageLossKind};
use crate::conversation::dialects::style::{REASONING, Style};
use crate::conversation::dialects::text_or_list::text_or_list;
use crate::conversation::message::{
    Content, Message, Part, Piece, Reasoning, Role, ToolResult, pieces,
};

/// Appends `message`, which may be several here, or none.
pub(super) fn write_message(
    style: &Style,
    message: &Message,
    losses: &mut Losses,
    messages: &mut Vec<Value>,
) {
    let mut source_form = message.source_form.as_ref();
    for piece in pieces(message) {
        let written = match piece {
            Piece::Turn(role, parts) => turn(style, role, message, &parts, losses),
            Piece::Result(part, result) => Some(result_message(style, part, result, losses)),
        };
        if let Some(written) = written {
            messages.push(losses.restored(written, source_form.take()).into());
        }
    }
}

fn result_message(
    style: &Style,
    part: &Part,
    result: &ToolResult,
    losses: &mut Losses,
) -> Map<String, Value> {
    let mut written = Map::from_iter([("role".to_owned(), json!("tool"))]);
    let name = result.name.as_ref().filter(|_| style.has_names);
    written.extend(name.map(|name| ("name".to_owned(), json!(name))));
    let id = result.call_id.as_ref();
    written.extend(id.map(|id| ("tool_call_id".to_owned(), json!(id))));
    if result.is_error {
        losses.report(MessageLossKind::Failure);
    }
    let parts = result.content.iter();
    let parts: Vec<Value> = parts
        .filter_map(|part| whole_part(style, Role::Tool, part, losses))
        .collect();
    written.insert("content".to_owned(), text_or_list(parts, json!("")));
    losses.restored(written, part.source_form.as_ref())
}

/// A message without results. Absent where nothing is left of it.
fn turn(
    style: &Style,
    role: Role,
    message: &Message,
    parts: &[&Part],
    losses: &mut Losses,
) -> Option<Map<String, Value>> {
    let mut written = Map::from_iter([("role".to_owned(), json!(role.as_str()))]);
    let name = message.name.as_ref();
    written.extend(name.map(|name| ("name".to_owned(), json!(name))));
    let (mut content, mut calls, mut thoughts, mut refusals) = (vec![], vec![], vec![], vec![]);
    for part in parts {
        let comes_late = match &part.content {
            Content::Reasoning(_) => {
                !(content.is_empty() && calls.is_empty() && refusals.is_empty())
            }
            Content::Call(_) => false,
            _ => !calls.is_empty(),
        };
        if comes_late {
            losses.report(MessageLossKind::Order);
        }
        match &part.content {
            Content::Reasoning(reasoning) => {
                thoughts.extend(reasoning_text(reasoning, part, losses))
            }
            // Alone it has a member of its own.
            Content::Refusal(text) if style.has_refusals && part.source_form.is_none() => {
                refusals.push(text.as_str())
            }
            Content::Call(_) => calls.extend(whole_part(style, role, part, losses)),
            Content::Foreign(foreign) if foreign.is_call => {
                calls.extend(whole_part(style, role, part, losses))
            }
            _ => content.extend(whole_part(style, role, part, losses)),
        }
    }
    if thoughts.len() > 1 {
        losses.report(MessageLossKind::Joined);
    }
    let is_empty =
        content.is_empty() && calls.is_empty() && thoughts.is_empty() && refusals.is_empty();
    if is_empty && !parts.is_empty() {
        losses.report(MessageLossKind::Emptied);
        return None;
    }
    if !thoughts.is_empty() {
        written.insert(REASONING[0].to_owned(), thoughts.join("\n\n").into());
    }
    let empty = match calls.is_empty() && refusals.is_empty() {
        true => json!(""),
        false => style.no_content.clone(),
    };
    written.insert("content".to_owned(), text_or_list(content, empty));
    if !refusals.is_empty() {
        written.insert("refusal".to_owned(), refusals.concat().into());
    }
    if !calls.is_empty() {
        written.insert("tool_calls".to_owned(), calls.into());
    }
    Some(written)
}

/// The part of the reasoning that the API shows.
fn reasoning_text(reasoning: &Reasoning, part: &Part, losses: &mut Losses) -> Option<String> {
    if reasoning.sealed.is_some() {
        losses.report(MessageLossKind::Seal);
    }
    part.source_form
        .iter()
        .for_each(|source_form| losses.foreign(source_form));
    let text = match reasoning.text.is_empty() {
        true => reasoning.summary.join("\n\n"),
        false => reasoning.text.clone(),
    };
    if text.is_empty() {
        losses.report(MessageLossKind::Reasoning);
    }
    (!text.is_empty()).then_some(text)
}

fn whole_part(style: &Style, role: Role, part: &Part, losses: &mut Losses) -> Option<Value> {
    let written = write_part(style, role, &part.content, losses)?;
    match written {
        Value::Object(written) => Some(losses.restored(written, part.source_form.as_ref()).into()),
        other => Some(other),
    }
}

pub(super) fn write_part(
    style: &Style,
    role: Role,
    content: &Content,
    losses: &mut Losses,
) -> Option<Value> {
    Some(match content {
        Content::Text(text) => json!({"type": "text", "text": text}),
        Content::Refusal(text) if style.has_refusals => json!({"type": "refusal", "refusal": text}),
        Content::Refusal(text) => {
            losses.report(MessageLossKind::RefusalAsText);
            json!({"type": "text", "text": text})
        }
        Content::Media(media) => match (style.write_media)(role, media) {
            Some(written) => {
                losses.media_members(media);
                written
            }
            None => json!({"type": "text", "text": losses.replace_media(media)}),
        },
        Content::Call(call) => {
            let mut written = Map::from_iter([("type".to_owned(), json!("function"))]);
            written.extend(call.id.iter().map(|id| ("id".to_owned(), json!(id))));
            let arguments = (style.arguments)(&call.arguments);
            written.insert(
                "function".to_owned(),
                json!({"name": call.name, "arguments": arguments}),
            );
            written.into()
        }
        Content::Foreign(foreign) => return losses.foreign_value(foreign),
        Content::Reasoning(_) | Content::Result(_) => return None,
    })
}
