//! Masks secrets in replies, failures, questions, prompts and resources.

use tool_hub_manifest::contract::{
    Content, ContentBody, EmbeddedResource, Failure, FailureKind, Question, Reply,
    ResourceContents, ResourceLink,
};

use crate::offerings::prompt::{Prompt, PromptMessage};
use crate::offerings::resource::{ResourceEntry, ResourceTemplate};
use crate::secret::Secrets;

/// Part of an outcome, on its way to the caller.
pub(crate) trait Mask {
    /// The same without `secrets`, in whatever part of it they are.
    fn masked(self, secrets: &Secrets) -> Self;
}

impl<T: Mask> Mask for Result<T, Failure> {
    fn masked(self, secrets: &Secrets) -> Self {
        match self {
            Ok(value) => Ok(value.masked(secrets)),
            Err(failure) => Err(secrets.mask_failure(failure)),
        }
    }
}

impl<T: Mask> Mask for Vec<T> {
    fn masked(self, secrets: &Secrets) -> Self {
        match &secrets.0 {
            Some(_) => self.into_iter().map(|item| item.masked(secrets)).collect(),
            None => self,
        }
    }
}

impl Mask for Reply {
    fn masked(self, secrets: &Secrets) -> Self {
        if secrets.0.is_none() {
            return self;
        }
        Self {
            content: self.content.masked(secrets),
            structured: self.structured.map(|json| secrets.mask_json(json)),
            next: secrets.mask_some(self.next),
        }
    }
}

impl Mask for Content {
    fn masked(self, secrets: &Secrets) -> Self {
        secrets.mask_content(self)
    }
}

impl Mask for EmbeddedResource {
    fn masked(self, secrets: &Secrets) -> Self {
        secrets.mask_resource(self)
    }
}

impl Mask for PromptMessage {
    fn masked(self, secrets: &Secrets) -> Self {
        Self {
            content: self.content.masked(secrets),
            ..self
        }
    }
}

/// The names are masked too. A prompt or argument whose name holds a secret can then not be asked
/// for.
impl Mask for Prompt {
    fn masked(mut self, secrets: &Secrets) -> Self {
        self.name = secrets.mask(self.name);
        self.title = secrets.mask_some(self.title);
        self.description = secrets.mask_some(self.description);
        for argument in &mut self.arguments {
            argument.name = secrets.mask(std::mem::take(&mut argument.name));
            argument.description = secrets.mask_some(argument.description.take());
        }
        self
    }
}

impl Mask for ResourceEntry {
    fn masked(self, secrets: &Secrets) -> Self {
        Self {
            link: secrets.mask_link(self.link),
            ..self
        }
    }
}

impl Mask for ResourceTemplate {
    fn masked(self, secrets: &Secrets) -> Self {
        Self {
            uri_template: self.uri_template.map(|text| secrets.mask(text)),
            name: secrets.mask(self.name),
            title: secrets.mask_some(self.title),
            description: secrets.mask_some(self.description),
            media_type: secrets.mask_some(self.media_type),
        }
    }
}

impl Secrets {
    /// A failure without the secrets.
    pub(crate) fn mask_failure(&self, failure: Failure) -> Failure {
        let kind = match failure.kind {
            FailureKind::Denied { capability } => FailureKind::Denied {
                capability: self.mask(capability),
            },
            FailureKind::InputRequired(question) => {
                FailureKind::InputRequired(Box::new(self.mask_question(*question)))
            }
            kind => kind,
        };
        Failure {
            kind,
            message: self.mask(failure.message),
            fix: self.mask_some(failure.fix),
            argument: self.mask_some(failure.argument),
            ..failure
        }
    }

    /// A question without the secrets.
    pub(crate) fn mask_question(&self, question: Question) -> Question {
        Question {
            key: question.key,
            text: self.mask(question.text),
            schema: match self.0 {
                Some(_) => self.mask_value(question.schema),
                None => question.schema,
            },
        }
    }

    /// A text that may be absent, without the secrets.
    pub(crate) fn mask_some(&self, text: Option<String>) -> Option<String> {
        text.map(|text| self.mask(text))
    }

    fn mask_content(&self, content: Content) -> Content {
        let body = match content.body {
            ContentBody::Text(text) => ContentBody::Text(self.mask(text)),
            ContentBody::Image { media_type, data } => ContentBody::Image {
                media_type: self.mask(media_type),
                data: self.mask_bytes(data),
            },
            ContentBody::Audio { media_type, data } => ContentBody::Audio {
                media_type: self.mask(media_type),
                data: self.mask_bytes(data),
            },
            ContentBody::Link(link) => ContentBody::Link(self.mask_link(link)),
            ContentBody::Resource(resource) => ContentBody::Resource(self.mask_resource(resource)),
        };
        let mut annotations = content.annotations;
        if let Some(hints) = &mut annotations {
            hints.last_modified = self.mask_some(hints.last_modified.take());
        }
        Content { body, annotations }
    }

    fn mask_link(&self, link: ResourceLink) -> ResourceLink {
        ResourceLink {
            uri: self.mask(link.uri),
            name: self.mask(link.name),
            title: self.mask_some(link.title),
            description: self.mask_some(link.description),
            media_type: self.mask_some(link.media_type),
            size: link.size,
        }
    }

    fn mask_resource(&self, resource: EmbeddedResource) -> EmbeddedResource {
        EmbeddedResource {
            uri: self.mask(resource.uri),
            media_type: self.mask_some(resource.media_type),
            contents: match resource.contents {
                ResourceContents::Text(text) => ResourceContents::Text(self.mask(text)),
                ResourceContents::Blob(bytes) => ResourceContents::Blob(self.mask_bytes(bytes)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offerings::prompt::PromptArgument;
    use crate::offerings::uri_template::UriTemplate;
    use crate::secret::Secret;
    use serde_json::json;
    use tool_hub_manifest::contract::ContentAnnotations;

    const SECRET: &str = "canary-77aa01";

    fn secrets() -> Secrets {
        Secrets::new([Secret::new(SECRET.to_owned())])
    }

    #[test]
    fn no_part_of_an_answer_holds_a_secret() {
        let said = || format!("the key is {SECRET}.");
        let link = ResourceLink {
            uri: said(),
            name: said(),
            title: Some(said()),
            description: Some(said()),
            media_type: Some(said()),
            size: None,
        };
        let resource = |contents| EmbeddedResource {
            uri: said(),
            media_type: Some(said()),
            contents,
        };
        let media = || (said(), said().into_bytes());
        let ((image, image_data), (audio, audio_data)) = (media(), media());
        let bodies = [
            ContentBody::Text(said()),
            ContentBody::Image {
                media_type: image,
                data: image_data,
            },
            ContentBody::Audio {
                media_type: audio,
                data: audio_data,
            },
            ContentBody::Link(link),
            ContentBody::Resource(resource(ResourceContents::Text(said()))),
            ContentBody::Resource(resource(ResourceContents::Blob(said().into_bytes()))),
        ];
        let hints = ContentAnnotations {
            audience: Vec::new(),
            priority: None,
            last_modified: Some(said()),
        };
        let content = bodies.into_iter().map(|body| Content {
            body,
            annotations: Some(hints.clone()),
        });
        let reply = Reply {
            content: content.collect(),
            structured: Some(json!({ "said": said() }).to_string()),
            next: Some(said()),
        };
        let bytes_of_it = format!("{:?}", SECRET.as_bytes());
        let bytes_of_it = bytes_of_it.trim_matches(['[', ']']);
        let masked = format!("{:?}", reply.clone().masked(&secrets()));
        assert!(!masked.contains(SECRET), "{masked}");
        assert!(!masked.contains(bytes_of_it), "{masked}");
        assert_eq!(reply.clone().masked(&Secrets::default()), reply);
    }

    #[test]
    fn no_part_of_what_is_listed_holds_a_secret() {
        // Only of characters that names may have.
        let secret = "canary_77aa01";
        let secrets = Secrets::new([Secret::new(secret.to_owned())]);
        let said = || format!("x_{secret}_x");
        let prompt = Prompt {
            name: said(),
            title: Some(said()),
            description: Some(said()),
            arguments: vec![PromptArgument {
                name: said(),
                description: Some(said()),
                required: true,
            }],
        };
        let family = |pattern: String| ResourceTemplate {
            uri_template: UriTemplate::parse(&pattern).unwrap(),
            name: said(),
            title: Some(said()),
            description: Some(said()),
            media_type: Some(said()),
        };
        let families = vec![
            family(format!("x:{}/{{name}}", said())),
            family(format!("x:{{{}}}", said())),
        ];
        let masked = format!(
            "{:?} {:?}",
            prompt.masked(&secrets),
            families.masked(&secrets)
        );
        assert!(!masked.contains(secret), "{masked}");
    }

    #[test]
    fn no_part_of_a_failure_or_a_question_holds_a_secret() {
        let failure = Failure::new(FailureKind::Failed, SECRET)
            .with_fix(SECRET)
            .with_argument(SECRET);
        let masked = format!("{:?}", secrets().mask_failure(failure));
        assert!(!masked.contains(SECRET), "{masked}");
        let kind = FailureKind::Denied {
            capability: format!("network https://{SECRET}.example"),
        };
        let masked = format!("{:?}", secrets().mask_failure(Failure::new(kind, "")));
        assert!(!masked.contains(SECRET), "{masked}");
        let question = Question {
            key: "sure".to_owned(),
            text: SECRET.to_owned(),
            schema: json!({"properties": {SECRET: {"description": SECRET}}}),
        };
        let masked = format!("{:?}", secrets().mask_question(question));
        assert!(!masked.contains(SECRET), "{masked}");
    }
}
