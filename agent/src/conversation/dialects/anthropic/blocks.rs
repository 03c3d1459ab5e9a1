//! Writes the blocks of Anthropic's messages.

use serde_json::{Map, Value, json};

use crate::conversation::dialects::loss::{Losses, MessageLossKind};
use crate::conversation::dialects::text_or_list::text_or_list;
use crate::conversation::message::{
    Content, Media, MediaKind, MediaSource, MessageDialect, Part, Reasoning,
};

/// A text block for any part: the system prompt has no others.
pub(super) fn whole_text(part: &Part, losses: &mut Losses) -> Option<Value> {
    match &part.content {
        Content::Media(media) => Some(json!({"type": "text", "text": losses.replace_media(media)})),
        _ => whole_block(part, losses),
    }
}

pub(super) fn whole_block(part: &Part, losses: &mut Losses) -> Option<Value> {
    let written = written_block(&part.content, losses)?;
    match written {
        Value::Object(written) => Some(losses.restored(written, part.source_form.as_ref()).into()),
        other => Some(other),
    }
}

pub(super) fn written_block(content: &Content, losses: &mut Losses) -> Option<Value> {
    Some(match content {
        Content::Text(text) => json!({"type": "text", "text": text}),
        Content::Refusal(text) => {
            losses.report(MessageLossKind::RefusalAsText);
            json!({"type": "text", "text": text})
        }
        Content::Reasoning(reasoning) => return thinking(reasoning, losses),
        Content::Call(call) => {
            let mut block = Map::from_iter([("type".to_owned(), json!("tool_use"))]);
            block.extend(call.id.iter().map(|id| ("id".to_owned(), json!(id))));
            block.insert("name".to_owned(), json!(call.name));
            block.insert("input".to_owned(), call.arguments.clone().into());
            block.into()
        }
        Content::Result(result) => {
            let mut block = Map::from_iter([("type".to_owned(), json!("tool_result"))]);
            let id = result.call_id.iter();
            block.extend(id.map(|id| ("tool_use_id".to_owned(), json!(id))));
            let parts = result.content.iter();
            let parts = parts.filter_map(|part| whole_block(part, losses)).collect();
            block.insert("content".to_owned(), text_or_list(parts, json!("")));
            if result.is_error {
                block.insert("is_error".to_owned(), json!(true));
            }
            block.into()
        }
        Content::Media(media) => match written_media(media) {
            Some(written) => {
                losses.media_members(media);
                written
            }
            None => json!({"type": "text", "text": losses.replace_media(media)}),
        },
        Content::Foreign(foreign) => return losses.foreign_value(foreign),
    })
}

/// A thinking block. The API refuses one without its signature.
fn thinking(reasoning: &Reasoning, losses: &mut Losses) -> Option<Value> {
    let own = reasoning
        .sealed
        .as_ref()
        .filter(|sealed| sealed.by == MessageDialect::Anthropic);
    let Some(sealed) = own else {
        losses.report(MessageLossKind::Reasoning);
        return None;
    };
    Some(match reasoning.text.is_empty() {
        true => json!({"type": "redacted_thinking", "data": sealed.text}),
        false => json!({"type": "thinking", "thinking": reasoning.text, "signature": sealed.text}),
    })
}

fn written_media(media: &Media) -> Option<Value> {
    let kind = match media.kind {
        MediaKind::Image => "image",
        MediaKind::File => "document",
        MediaKind::Audio | MediaKind::Video => return None,
    };
    let source = match &media.source {
        MediaSource::Url(url) => json!({"type": "url", "url": url}),
        MediaSource::Data(data) => {
            let media_type = media.type_or_guess(data);
            let is_known = match media.kind {
                MediaKind::Image => IMAGES.contains(&media_type),
                _ => media_type == "application/pdf",
            };
            if !is_known {
                return None;
            }
            json!({"type": "base64", "media_type": media_type, "data": data})
        }
        MediaSource::Text(text) if media.kind == MediaKind::File => {
            json!({"type": "text", "media_type": "text/plain", "data": text})
        }
        MediaSource::Stored { .. } => {
            json!({"type": "file", "file_id": media.id_for(MessageDialect::Anthropic)?})
        }
        _ => return None,
    };
    let mut block = Map::from_iter([
        ("type".to_owned(), json!(kind)),
        ("source".to_owned(), source),
    ]);
    let title = media.name.iter().filter(|_| media.kind == MediaKind::File);
    block.extend(title.map(|title| ("title".to_owned(), json!(title))));
    Some(block.into())
}

/// The types of pictures that the API takes.
const IMAGES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
