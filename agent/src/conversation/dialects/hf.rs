//! The `Style` of Transformers' messages: arguments as objects, and reading and writing media.

use serde_json::{Map, Value, json};

use super::error::MessageError;
use super::json_reader::Path;
use super::style::Style;
use crate::conversation::message::{Media, MediaKind, MediaSource, MessageDialect, Role};

pub(super) const STYLE: Style = Style {
    dialect: MessageDialect::HuggingFace,
    read_media,
    write_media,
    form: &[
        "type",
        "text",
        "image",
        "audio",
        "video",
        "url",
        "path",
        "base64",
        "image_url",
        "input_audio",
        "file",
    ],
    arguments: |arguments| Value::Object(arguments.clone()),
    // More templates handle an empty text correctly than `None`.
    no_content: Value::String(String::new()),
    has_names: true,
    has_refusals: false,
};

fn read_media(
    kind: &str,
    part: &Map<String, Value>,
    at: &Path<'_>,
) -> Result<Option<Media>, MessageError> {
    let kind = match kind {
        "image" => MediaKind::Image,
        "audio" => MediaKind::Audio,
        "video" => MediaKind::Video,
        // Servers pass on the parts that they get, in OpenAI's form.
        _ => return super::openai::read_media(kind, part, at),
    };
    // A video may be a list of pictures.
    if part
        .get(kind.as_str())
        .is_some_and(|it| !it.is_string() && !it.is_null())
    {
        return Ok(None);
    }
    let text = |name| at.text_if_any(part, name);
    let media = if let Some(url) = text("url")? {
        Media::at(kind, &url)
    } else if let Some(path) = text("path")? {
        Media::new(kind, MediaSource::Path(path))
    } else if let Some(data) = text("base64")? {
        Media::new(kind, MediaSource::Data(data))
    } else if let Some(any) = text(kind.as_str())? {
        match any.starts_with("data:") || any.contains("://") {
            true => Media::at(kind, &any),
            false => Media::new(kind, MediaSource::Path(any)),
        }
    } else {
        Media::new(kind, MediaSource::Elsewhere)
    };
    Ok(Some(media))
}

fn write_media(_: Role, media: &Media) -> Option<Value> {
    if media.kind == MediaKind::File {
        return None;
    }
    let kind = media.kind.as_str();
    Some(match &media.source {
        MediaSource::Elsewhere => json!({"type": kind}),
        MediaSource::Path(path) => json!({"type": kind, "path": path}),
        MediaSource::Data(data) if media.media_type.is_none() && media.kind == MediaKind::Image => {
            json!({"type": kind, "base64": data})
        }
        _ => json!({"type": kind, "url": media.url()?}),
    })
}
