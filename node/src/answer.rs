//! The answer of a call as JavaScript takes it: JSON, and binary parts beside it.

use napi::bindgen_prelude::Buffer;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tool_hub_embed::{Answer, Content, ContentBody, Failure, ResourceContents};

use crate::event::Event;

/// The end of a call.
pub(crate) fn answer_event(operation: u32, answer: &Answer) -> Event {
    if let Some(failure) = answer.failure() {
        return Event::new(operation, "failure", failure_text(failure, answer));
    }
    let mut blobs = Blobs::default();
    let content: Vec<Value> = answer.content().iter().map(|it| blobs.part(it)).collect();
    let told = Told {
        content,
        text: answer.text(),
        next: answer.next(),
        structured: answer.structured().and_then(raw),
        usage: answer.usage(),
    };
    let text = serde_json::to_string(&told).unwrap_or_default();
    Event {
        blobs: (!blobs.buffers.is_empty()).then_some(blobs.buffers),
        ..Event::new(operation, "reply", text)
    }
}

#[derive(Serialize)]
struct Told<'a, Usage> {
    content: Vec<Value>,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'a str>,
    /// As the tool's value was written: it is not read again on this side.
    #[serde(skip_serializing_if = "Option::is_none")]
    structured: Option<&'a RawValue>,
    usage: Option<&'a Usage>,
}

fn raw(json: &str) -> Option<&RawValue> {
    serde_json::from_str(json).ok()
}

fn failure_text(failure: &Failure, answer: &Answer) -> String {
    let Failure {
        kind,
        message,
        fix,
        argument,
        retryable,
    } = failure;
    json!({
        "kind": kind,
        "message": message,
        "fix": fix,
        "argument": argument,
        "retryable": retryable,
        "text": answer.text(),
    })
    .to_string()
}

/// Binary parts, which JSON names by their place in a list.
#[derive(Default)]
struct Blobs {
    buffers: Vec<Buffer>,
}

impl Blobs {
    fn part(&mut self, content: &Content) -> Value {
        let mut part = self.body(&content.body);
        if let Some(annotations) = &content.annotations {
            part["audience"] = json!(annotations.audience);
        }
        part
    }

    fn body(&mut self, body: &ContentBody) -> Value {
        match body {
            ContentBody::Text(text) => json!({ "type": "text", "text": text }),
            ContentBody::Image { media_type, data } => {
                json!({ "type": "image", "mediaType": media_type, "blob": self.put(data) })
            }
            ContentBody::Audio { media_type, data } => {
                json!({ "type": "audio", "mediaType": media_type, "blob": self.put(data) })
            }
            ContentBody::Link(link) => without_nulls(json!({
                "type": "link",
                "uri": link.uri,
                "name": link.name,
                "title": link.title,
                "description": link.description,
                "mediaType": link.media_type,
                "size": link.size,
            })),
            ContentBody::Resource(resource) => {
                let (text, blob) = match &resource.contents {
                    ResourceContents::Text(text) => (Some(text), None),
                    ResourceContents::Blob(data) => (None, Some(self.put(data))),
                };
                without_nulls(json!({
                    "type": "resource",
                    "uri": resource.uri,
                    "mediaType": resource.media_type,
                    "text": text,
                    "blob": blob,
                }))
            }
        }
    }

    fn put(&mut self, data: &[u8]) -> usize {
        self.buffers.push(data.to_vec().into());
        self.buffers.len() - 1
    }
}

fn without_nulls(mut value: Value) -> Value {
    if let Value::Object(members) = &mut value {
        members.retain(|_, member| !member.is_null());
    }
    value
}
