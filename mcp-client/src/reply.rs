//! Converts what a server answers to a call into the contract's reply or failure.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    Annotations, CallToolResponse, CallToolResult, ContentBlock, ResourceContents as Contents,
    Role as TheirRole,
};
use tool_hub_manifest::contract::{
    Content, ContentAnnotations, ContentBody, EmbeddedResource, Failure, FailureKind, Reply,
    ResourceContents, ResourceLink, Role,
};

/// The longest text of a failure.
const FAILURE_CHARS_MAX: usize = 16 << 10;

/// The reply, or the failure that the server tells.
pub(crate) fn of_response(response: CallToolResponse) -> Result<Reply, Failure> {
    match response {
        CallToolResponse::Complete(result) => of_result(result),
        CallToolResponse::InputRequired(_) => Err(unsupported(
            "the server asks a question, and nobody is asked for it",
        )),
        CallToolResponse::Task(_) => Err(unsupported(
            "the server answers with a task, and none are followed",
        )),
        _ => Err(unsupported("the server answers in a way that is not known")),
    }
}

fn unsupported(message: &str) -> Failure {
    Failure::new(FailureKind::Internal, message)
}

fn of_result(result: CallToolResult) -> Result<Reply, Failure> {
    let content = result.content.into_iter().map(content);
    let content: Vec<Content> = content.collect::<Result<_, _>>()?;
    let reply = Reply {
        content,
        structured: result.structured_content.map(|value| value.to_string()),
        next: None,
    };
    if result.is_error != Some(true) {
        return Ok(reply);
    }
    let text = reply.text();
    let message: String = text.chars().take(FAILURE_CHARS_MAX).collect();
    Err(Failure::new(
        FailureKind::Failed,
        match message.trim() {
            "" => "the server says that the call failed, and not why",
            message => message,
        },
    ))
}

fn content(block: ContentBlock) -> Result<Content, Failure> {
    let (body, hints) = match block {
        ContentBlock::Text(text) => (ContentBody::Text(text.text), text.annotations),
        ContentBlock::Image(image) => (
            ContentBody::Image {
                data: decoded(&image.data)?,
                media_type: image.mime_type,
            },
            image.annotations,
        ),
        ContentBlock::Audio(audio) => (
            ContentBody::Audio {
                data: decoded(&audio.data)?,
                media_type: audio.mime_type,
            },
            audio.annotations,
        ),
        ContentBlock::ResourceLink(link) => (
            ContentBody::Link(ResourceLink {
                uri: link.uri,
                name: link.name,
                title: link.title,
                description: link.description,
                media_type: link.mime_type,
                size: link.size,
            }),
            link.annotations,
        ),
        ContentBlock::Resource(embedded) => (
            ContentBody::Resource(resource(embedded.resource)?),
            embedded.annotations,
        ),
        _ => {
            return Err(unsupported(
                "the server answers with content of an unknown kind",
            ));
        }
    };
    Ok(Content {
        body,
        annotations: hints.map(annotations),
    })
}

fn resource(contents: Contents) -> Result<EmbeddedResource, Failure> {
    Ok(match contents {
        Contents::TextResourceContents {
            uri,
            mime_type,
            text,
            ..
        } => EmbeddedResource {
            uri,
            media_type: mime_type,
            contents: ResourceContents::Text(text),
        },
        Contents::BlobResourceContents {
            uri,
            mime_type,
            blob,
            ..
        } => EmbeddedResource {
            uri,
            media_type: mime_type,
            contents: ResourceContents::Blob(decoded(&blob)?),
        },
        _ => {
            return Err(unsupported(
                "the server answers with a resource of an unknown kind",
            ));
        }
    })
}

fn decoded(base64: &str) -> Result<Vec<u8>, Failure> {
    let decoded = STANDARD.decode(base64);
    decoded.map_err(|_| unsupported("the server answers with data that is not base64"))
}

fn annotations(hints: Annotations) -> ContentAnnotations {
    let role = |role: TheirRole| match role {
        TheirRole::User => Role::User,
        TheirRole::Assistant => Role::Assistant,
    };
    let audience = hints.audience.unwrap_or_default().into_iter();
    ContentAnnotations {
        audience: audience.map(role).collect(),
        priority: hints.priority.map(f64::from),
        last_modified: hints.last_modified,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn of(result: Value) -> Result<Reply, Failure> {
        of_result(serde_json::from_value(result).unwrap())
    }

    #[test]
    fn content_of_every_kind_is_taken_over() {
        let reply = of(json!({
            "content": [
                { "type": "text", "text": "a", "annotations": { "priority": 1.0 } },
                { "type": "image", "data": "//4=", "mimeType": "image/png" },
                { "type": "resource_link", "uri": "notes://a", "name": "a" },
                { "type": "resource", "resource": { "uri": "notes://b", "text": "b" } },
            ],
            "structuredContent": { "a": 1 },
        }));
        let reply = reply.unwrap();
        assert_eq!(reply.content.len(), 4);
        assert_eq!(reply.text(), "a");
        assert_eq!(reply.structured.as_deref(), Some(r#"{"a":1}"#));
        let picture = ContentBody::Image {
            media_type: "image/png".to_owned(),
            data: vec![0xff, 0xfe],
        };
        assert_eq!(reply.content[1].body, picture);
    }

    #[test]
    fn errors_of_the_server_are_failures_with_its_words() {
        let text = json!({ "type": "text", "text": "no such note" });
        let failure = of(json!({ "content": [text], "isError": true })).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Failed);
        assert_eq!(failure.message, "no such note");
        let silent = of(json!({ "content": [], "isError": true })).unwrap_err();
        assert!(silent.message.contains("not why"), "{}", silent.message);
        let broken = json!({ "type": "image", "data": "%", "mimeType": "image/png" });
        let failure = of(json!({ "content": [broken] })).unwrap_err();
        assert!(failure.message.contains("base64"), "{}", failure.message);
    }
}
