//! The body of a request: which of its media types is sent, and how.

use serde_json::{Map, Value};

use super::document::{OpenApiDocument, shown};
use super::error::PartError;
use super::operation::ApiOperation;

/// The body of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiBody {
    /// Its media type.
    pub media_type: String,
    /// The form in which it is written.
    pub kind: BodyKind,
    /// True if the request needs one, be it without members.
    pub required: bool,
}

/// A form in which bodies are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BodyKind {
    /// JSON.
    Json,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// A text.
    Text,
    /// Bytes.
    Bytes,
}

/// A body, and what the document says of the media type that is sent.
pub(super) struct FoundBody<'a> {
    pub(super) body: ApiBody,
    pub(super) schema: &'a Value,
    pub(super) encoding: Option<&'a Map<String, Value>>,
    pub(super) description: &'a str,
}

impl OpenApiDocument {
    /// The body of an operation, if it has one.
    pub(super) fn body<'a>(
        &'a self,
        operation: &ApiOperation<'a>,
    ) -> Result<Option<FoundBody<'a>>, PartError> {
        let Some(body) = operation.operation.get("requestBody") else {
            return Ok(None);
        };
        let body = self.resolve(body, "/requestBody")?;
        let content = body.get("content").and_then(Value::as_object);
        let Some(content) = content.filter(|content| !content.is_empty()) else {
            return Ok(None);
        };
        let kinds = content
            .iter()
            .filter_map(|(name, media)| Some((name, media, kind(name)?)));
        // JSON says more than a form, and a form more than a text.
        let Some((name, media, kind)) = kinds.min_by_key(|(.., kind)| *kind as u8) else {
            let names: Vec<String> = content.keys().map(|name| shown(name)).collect();
            return Err(PartError::Body {
                found: names.join(" or "),
            });
        };
        Ok(Some(FoundBody {
            body: ApiBody {
                media_type: match name.contains('*') {
                    true => "application/octet-stream".to_owned(),
                    false => name.clone(),
                },
                kind,
                required: body.get("required") == Some(&Value::Bool(true)),
            },
            schema: media.get("schema").unwrap_or(&Value::Null),
            encoding: media.get("encoding").and_then(Value::as_object),
            description: body
                .get("description")
                .and_then(Value::as_str)
                .unwrap_or_default(),
        }))
    }
}

fn kind(media_type: &str) -> Option<BodyKind> {
    let name = essence(media_type);
    if is_json(&name) {
        return Some(BodyKind::Json);
    }
    match name.as_str() {
        "application/x-www-form-urlencoded" => Some(BodyKind::Form),
        "application/xml" | "text/xml" => None,
        "application/octet-stream" | "*/*" => Some(BodyKind::Bytes),
        _ if name.ends_with("+xml") || name.starts_with("multipart/") => None,
        _ if name.starts_with("text/") => Some(BodyKind::Text),
        _ => Some(BodyKind::Bytes),
    }
}

/// The media type without its parameters, in small letters.
fn essence(media_type: &str) -> String {
    let name = media_type.split(';').next().unwrap_or_default();
    name.trim().to_ascii_lowercase()
}

pub(super) fn is_json(media_type: &str) -> bool {
    let name = essence(media_type);
    name == "application/json" || name.ends_with("+json")
}
