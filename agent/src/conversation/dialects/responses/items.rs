//! Writes the items of a conversation for OpenAI's Responses API, and the parts of each item.

use serde_json::{Map, Value, json};

use crate::conversation::dialects::loss::{Losses, MessageLossKind};
use crate::conversation::dialects::openai;
use crate::conversation::dialects::text_or_list::text_or_list;
use crate::conversation::message::{
    Content, Media, MediaKind, MediaSource, MessageDialect, Part, Reasoning, Role, ToolCall,
    ToolResult, arguments_text,
};

pub(super) fn call_item(call: &ToolCall) -> Map<String, Value> {
    let mut item = Map::from_iter([("type".to_owned(), json!("function_call"))]);
    item.extend(call.id.iter().map(|id| ("call_id".to_owned(), json!(id))));
    item.insert("name".to_owned(), json!(call.name));
    item.insert(
        "arguments".to_owned(),
        arguments_text(&call.arguments).into(),
    );
    item
}

pub(super) fn result_item(result: &ToolResult, losses: &mut Losses) -> Map<String, Value> {
    if result.is_error {
        losses.report(MessageLossKind::Failure);
    }
    let mut item = Map::from_iter([("type".to_owned(), json!("function_call_output"))]);
    let id = result.call_id.iter();
    item.extend(id.map(|id| ("call_id".to_owned(), json!(id))));
    let parts = result.content.iter();
    let parts = parts.filter_map(|part| whole_part(Role::Tool, part, losses));
    item.insert("output".to_owned(), plain_or_list(parts.collect()));
    item
}

pub(super) fn reasoning_item(reasoning: &Reasoning) -> Map<String, Value> {
    let summary = reasoning.summary.iter();
    let summary: Vec<Value> = summary
        .map(|text| json!({"type": "summary_text", "text": text}))
        .collect();
    let mut item = Map::from_iter([
        ("type".to_owned(), json!("reasoning")),
        ("summary".to_owned(), summary.into()),
    ]);
    if !reasoning.text.is_empty() {
        let content = json!([{"type": "reasoning_text", "text": reasoning.text}]);
        item.insert("content".to_owned(), content);
    }
    let sealed = reasoning.sealed.iter();
    item.extend(sealed.map(|sealed| ("encrypted_content".to_owned(), json!(sealed.text))));
    item
}

pub(super) fn message_item(role: Role, parts: &[&Part], losses: &mut Losses) -> Map<String, Value> {
    let parts = parts.iter();
    let parts = parts.filter_map(|part| whole_part(role, part, losses));
    Map::from_iter([
        ("type".to_owned(), json!("message")),
        ("role".to_owned(), json!(role.as_str())),
        ("content".to_owned(), plain_or_list(parts.collect())),
    ])
}

/// A plain text as a string, anything else as a list.
fn plain_or_list(mut parts: Vec<Value>) -> Value {
    if let [Value::Object(one)] = parts.as_mut_slice() {
        let is_plain = match one.get("type").and_then(Value::as_str) {
            Some("input_text") => one.len() == 2,
            Some("output_text") => one.len() == 3 && one.get("annotations") == Some(&json!([])),
            _ => false,
        };
        if is_plain && let Some(text) = one.get_mut("text") {
            return text.take();
        }
    }
    text_or_list(parts, json!(""))
}

fn whole_part(role: Role, part: &Part, losses: &mut Losses) -> Option<Value> {
    let written = written_part(role, &part.content, losses)?;
    match written {
        Value::Object(written) => Some(losses.restored(written, part.source_form.as_ref()).into()),
        other => Some(other),
    }
}

pub(super) fn written_part(role: Role, content: &Content, losses: &mut Losses) -> Option<Value> {
    let text = |text: &str| match role {
        Role::Assistant => json!({"type": "output_text", "text": text, "annotations": []}),
        _ => json!({"type": "input_text", "text": text}),
    };
    Some(match content {
        Content::Text(said) => text(said),
        Content::Refusal(refusal) if role == Role::Assistant => {
            json!({"type": "refusal", "refusal": refusal})
        }
        Content::Refusal(refusal) => {
            losses.report(MessageLossKind::RefusalAsText);
            text(refusal)
        }
        Content::Media(media) => match written_media(role, media) {
            Some(written) => {
                losses.media_members(media);
                written
            }
            None => text(&losses.replace_media(media)),
        },
        Content::Foreign(foreign) => return losses.foreign_value(foreign),
        Content::Reasoning(_) | Content::Call(_) | Content::Result(_) => return None,
    })
}

fn written_media(role: Role, media: &Media) -> Option<Value> {
    match (role, media.kind) {
        (Role::Assistant, _) | (_, MediaKind::Audio | MediaKind::Video) => None,
        (_, MediaKind::Image) => {
            let place = match media.url() {
                Some(url) => ("image_url", url),
                None => (
                    "file_id",
                    media.id_for(MessageDialect::Responses)?.to_owned(),
                ),
            };
            let detail = media.detail.as_deref().unwrap_or("auto");
            let (member, text) = place;
            Some(json!({"type": "input_image", "detail": detail, (member): text}))
        }
        (_, MediaKind::File) => {
            let mut file = Map::from_iter([("type".to_owned(), json!("input_file"))]);
            match &media.source {
                MediaSource::Url(url) => {
                    file.insert("file_url".to_owned(), json!(url));
                    let name = media.name.iter();
                    file.extend(name.map(|name| ("filename".to_owned(), json!(name))));
                }
                _ => file.extend(openai::file_members(media)?),
            }
            Some(file.into())
        }
    }
}
