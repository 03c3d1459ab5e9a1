//! Writes the answer of a function as JSON, its pictures and other bytes in base64.

use data_encoding::BASE64;
use serde_json::{Value, json};
use tool_hub_manifest::contract::{ContentBody, Reply, ResourceContents};

/// The answer with its parts, its value and the advice for the next step.
///
/// # Errors
/// When its value is not JSON, which the host rules out.
pub(crate) fn reply_json(reply: &Reply) -> anyhow::Result<Value> {
    let structured: Option<Value> = match &reply.structured {
        Some(text) => Some(serde_json::from_str(text)?),
        None => None,
    };
    let content: Vec<Value> = reply
        .content
        .iter()
        .map(|content| content_as_json(&content.body))
        .collect();
    let mut answer = json!({ "content": content });
    if let Some(structured) = structured {
        answer["structured"] = structured;
    }
    if let Some(next) = &reply.next {
        answer["next"] = json!(next);
    }
    Ok(answer)
}

fn content_as_json(body: &ContentBody) -> Value {
    match body {
        ContentBody::Text(text) => json!({ "type": "text", "text": text }),
        ContentBody::Image { media_type, data } => {
            json!({ "type": "image", "media_type": media_type, "data": BASE64.encode(data) })
        }
        ContentBody::Audio { media_type, data } => {
            json!({ "type": "audio", "media_type": media_type, "data": BASE64.encode(data) })
        }
        ContentBody::Link(link) => json!({ "type": "link", "uri": link.uri, "name": link.name }),
        ContentBody::Resource(resource) => match &resource.contents {
            ResourceContents::Text(text) => {
                json!({ "type": "resource", "uri": resource.uri, "text": text })
            }
            ResourceContents::Blob(data) => {
                json!({ "type": "resource", "uri": resource.uri, "blob": BASE64.encode(data) })
            }
        },
    }
}
