//! Converts a tool's content, resource links and annotations to the types of the protocol.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    Annotations, AudioContent, ContentBlock, EmbeddedResource, ImageContent, Resource,
    ResourceContents, Role, TextContent,
};
use tool_hub_host as host;
use tool_hub_manifest::contract::{Content, ContentAnnotations, ContentBody, ResourceLink};

pub(super) fn block(content: Content) -> ContentBlock {
    let hints = content.annotations.map(annotations);
    match content.body {
        ContentBody::Text(text) => {
            let mut text = TextContent::new(text);
            text.annotations = hints;
            ContentBlock::Text(text)
        }
        ContentBody::Image { media_type, data } => {
            let mut image = ImageContent::new(STANDARD.encode(data), media_type);
            image.annotations = hints;
            ContentBlock::Image(image)
        }
        ContentBody::Audio { media_type, data } => {
            let mut audio = AudioContent::new(STANDARD.encode(data), media_type);
            audio.annotations = hints;
            ContentBlock::Audio(audio)
        }
        ContentBody::Link(link) => {
            let mut link = resource(link);
            link.annotations = hints;
            ContentBlock::ResourceLink(link)
        }
        ContentBody::Resource(resource) => {
            let mut embedded = EmbeddedResource::new(contents(resource));
            embedded.annotations = hints;
            ContentBlock::Resource(embedded)
        }
    }
}

pub(super) fn resource(link: ResourceLink) -> Resource {
    let mut resource = Resource::new(link.uri, link.name);
    resource.title = link.title;
    resource.description = link.description;
    resource.mime_type = link.media_type;
    resource.size = link.size;
    resource
}

pub(super) fn contents(resource: host::EmbeddedResource) -> ResourceContents {
    let mut contents = match resource.contents {
        host::ResourceContents::Text(text) => ResourceContents::text(text, resource.uri),
        host::ResourceContents::Blob(bytes) => {
            ResourceContents::blob(STANDARD.encode(bytes), resource.uri)
        }
    };
    // The constructor guesses `text/plain`; what the tool did not say stays unsaid.
    if let ResourceContents::TextResourceContents { mime_type, .. }
    | ResourceContents::BlobResourceContents { mime_type, .. } = &mut contents
    {
        *mime_type = resource.media_type;
    }
    contents
}

pub(super) fn role(role: host::Role) -> Role {
    match role {
        host::Role::User => Role::User,
        host::Role::Assistant => Role::Assistant,
    }
}

pub(super) fn annotations(hints: ContentAnnotations) -> Annotations {
    let mut annotations = Annotations::default();
    annotations.audience =
        (!hints.audience.is_empty()).then(|| hints.audience.into_iter().map(role).collect());
    // A hint out of range would make strict clients refuse the whole result.
    annotations.priority = hints
        .priority
        .filter(|priority| priority.is_finite())
        .map(|priority| priority.clamp(0.0, 1.0) as f32);
    annotations.last_modified = hints.last_modified;
    annotations
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(content: impl Into<Content>, expect: Value) {
        assert_eq!(serde_json::to_value(block(content.into())).unwrap(), expect);
    }

    #[test]
    fn every_kind_of_content() {
        check(
            ContentBody::Text("a".into()),
            json!({"type": "text", "text": "a"}),
        );
        check(
            ContentBody::Image {
                media_type: "image/png".into(),
                data: vec![0xff, 0xfe],
            },
            json!({"type": "image", "data": "//4=", "mimeType": "image/png"}),
        );
        check(
            ContentBody::Audio {
                media_type: "audio/wav".into(),
                data: vec![],
            },
            json!({"type": "audio", "data": "", "mimeType": "audio/wav"}),
        );
        check(
            ContentBody::Link(ResourceLink {
                uri: "notes://a".into(),
                name: "a".into(),
                title: None,
                description: Some("A note.".into()),
                media_type: None,
                size: Some(3),
            }),
            json!({
                "type": "resource_link", "uri": "notes://a", "name": "a",
                "description": "A note.", "size": 3,
            }),
        );
    }

    #[test]
    fn resources_keep_what_the_tool_said_of_them() {
        let resource = |media_type: Option<&str>, contents| {
            ContentBody::Resource(host::EmbeddedResource {
                uri: "notes://a".into(),
                media_type: media_type.map(str::to_owned),
                contents,
            })
        };
        check(
            resource(None, host::ResourceContents::Text("hi".into())),
            json!({"type": "resource", "resource": {"uri": "notes://a", "text": "hi"}}),
        );
        check(
            resource(
                Some("application/pdf"),
                host::ResourceContents::Blob(vec![1]),
            ),
            json!({"type": "resource", "resource": {
                "uri": "notes://a", "mimeType": "application/pdf", "blob": "AQ==",
            }}),
        );
    }

    #[test]
    fn hints_are_kept_within_what_clients_accept() {
        for (audience, priority, expect) in [
            (
                vec![host::Role::User, host::Role::Assistant],
                Some(0.5),
                json!({"audience": ["user", "assistant"], "priority": 0.5, "lastModified": "x"}),
            ),
            (
                vec![],
                Some(7.0),
                json!({"priority": 1.0, "lastModified": "x"}),
            ),
            (vec![], Some(f64::NAN), json!({"lastModified": "x"})),
            (vec![], None, json!({"lastModified": "x"})),
        ] {
            let content = Content {
                body: ContentBody::Text("a".into()),
                annotations: Some(ContentAnnotations {
                    audience,
                    priority,
                    last_modified: Some("x".into()),
                }),
            };
            check(
                content,
                json!({"type": "text", "text": "a", "annotations": expect}),
            );
        }
    }
}
