//! The `Style` of Chat Completions messages: arguments as text, and reading and writing media.

use serde_json::{Map, Value, json};

use super::error::MessageError;
use super::json_reader::Path;
use super::style::Style;
use crate::conversation::message::{
    Media, MediaKind, MediaSource, MessageDialect, Role, arguments_text,
};

pub(super) const STYLE: Style = Style {
    dialect: MessageDialect::OpenAi,
    read_media,
    write_media,
    form: &[
        "type",
        "text",
        "image_url",
        "input_audio",
        "file",
        "refusal",
    ],
    arguments: |arguments| arguments_text(arguments).into(),
    no_content: Value::Null,
    has_names: false,
    has_refusals: true,
};

pub(super) fn read_media(
    kind: &str,
    part: &Map<String, Value>,
    at: &Path<'_>,
) -> Result<Option<Media>, MessageError> {
    let at = at.member(kind);
    let inside = |expected| match part.get(kind) {
        Some(Value::Object(inside)) => Ok(inside),
        other => Err(at.unexpected(expected, other)),
    };
    let media = match kind {
        "image_url" => {
            let picture = inside("an object with `url`")?;
            let detail = at.text_if_any(picture, "detail")?;
            Media {
                detail: detail.filter(|detail| detail != "auto"),
                ..Media::at(MediaKind::Image, at.text(picture, "url")?)
            }
        }
        "input_audio" => {
            let sound = inside("an object with `data` and `format`")?;
            let format = at.text_if_any(sound, "format")?;
            Media::audio(at.text(sound, "data")?, format.as_deref())
        }
        "file" => file(inside("an object with `file_data` or `file_id`")?, &at)?,
        _ => return Ok(None),
    };
    Ok(Some(media))
}

/// A document, which has the same members in Chat and in Responses.
pub(super) fn file(file: &Map<String, Value>, at: &Path<'_>) -> Result<Media, MessageError> {
    let by = MessageDialect::OpenAi;
    let media = match (
        at.text_if_any(file, "file_data")?,
        at.text_if_any(file, "file_id")?,
    ) {
        (Some(data), _) if data.starts_with("data:") => Media::at(MediaKind::File, &data),
        (Some(data), _) => Media::new(MediaKind::File, MediaSource::Data(data)),
        (None, Some(id)) => Media::new(MediaKind::File, MediaSource::Stored { id, by }),
        (None, None) => Media::new(MediaKind::File, MediaSource::Elsewhere),
    };
    Ok(Media {
        name: at.text_if_any(file, "filename")?,
        ..media
    })
}

/// The members of a document; none if there is neither its data nor an id of the provider.
pub(super) fn file_members(media: &Media) -> Option<Map<String, Value>> {
    let member = match &media.source {
        MediaSource::Data(data) if media.media_type.is_none() => ("file_data", data.clone()),
        MediaSource::Data(_) => ("file_data", media.url()?),
        _ => ("file_id", media.id_for(MessageDialect::OpenAi)?.to_owned()),
    };
    let name = media.name.iter().map(|name| ("filename", name.clone()));
    let members = [member].into_iter().chain(name);
    Some(
        members
            .map(|(name, text)| (name.to_owned(), text.into()))
            .collect(),
    )
}

/// A sound, if it is in a format that the API takes.
fn sound(media: &Media) -> Option<Value> {
    match (&media.source, media.audio_format()) {
        (MediaSource::Data(data), Some(format @ ("wav" | "mp3"))) => {
            let sound = json!({"data": data, "format": format});
            Some(json!({"type": "input_audio", "input_audio": sound}))
        }
        _ => None,
    }
}

fn write_media(role: Role, media: &Media) -> Option<Value> {
    if role != Role::User {
        return None;
    }
    match media.kind {
        MediaKind::Image => {
            let mut picture = Map::from_iter([("url".to_owned(), json!(media.url()?))]);
            let detail = media.detail.iter();
            picture.extend(detail.map(|detail| ("detail".to_owned(), json!(detail))));
            Some(json!({"type": "image_url", "image_url": picture}))
        }
        MediaKind::Audio => sound(media),
        MediaKind::File => Some(json!({"type": "file", "file": file_members(media)?})),
        MediaKind::Video => None,
    }
}
