//! Estimates the JSON size of a call's result, for its limit: reply, failure, prompts, resources.

use tool_hub_manifest::contract::{
    Content, ContentBody, EmbeddedResource, Failure, Reply, ResourceContents, ResourceLink,
};

use crate::offerings::prompt::{Prompt, PromptMessage};
use crate::offerings::resource::{ResourceEntry, ResourceTemplate};

/// Something that a tool says.
pub(crate) trait Size {
    /// About how many bytes its JSON text has.
    fn bytes(&self) -> usize;
}

impl<T: Size> Size for Vec<T> {
    fn bytes(&self) -> usize {
        self.iter().map(T::bytes).sum()
    }
}

impl<T: Size> Size for Option<T> {
    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, T::bytes)
    }
}

impl<T: Size, E: Size> Size for Result<T, E> {
    fn bytes(&self) -> usize {
        match self {
            Ok(value) => value.bytes(),
            Err(error) => error.bytes(),
        }
    }
}

impl Size for String {
    fn bytes(&self) -> usize {
        self.len()
    }
}

impl Size for Failure {
    fn bytes(&self) -> usize {
        self.message.len() + self.fix.bytes() + self.argument.bytes()
    }
}

impl Size for Reply {
    fn bytes(&self) -> usize {
        // The text of a plain answer is its structured value once more, and is not counted twice.
        self.content.bytes().max(self.structured.bytes()) + self.next.bytes()
    }
}

impl Size for Content {
    fn bytes(&self) -> usize {
        match &self.body {
            ContentBody::Text(text) => text.len(),
            ContentBody::Image { data, .. } | ContentBody::Audio { data, .. } => base64(data),
            ContentBody::Link(link) => link.bytes(),
            ContentBody::Resource(resource) => resource.bytes(),
        }
    }
}

impl Size for ResourceLink {
    fn bytes(&self) -> usize {
        self.uri.len() + self.name.len() + self.title.bytes() + self.description.bytes()
    }
}

impl Size for EmbeddedResource {
    fn bytes(&self) -> usize {
        match &self.contents {
            ResourceContents::Text(text) => text.len(),
            ResourceContents::Blob(data) => base64(data),
        }
    }
}

impl Size for Prompt {
    fn bytes(&self) -> usize {
        let arguments = self.arguments.iter();
        let arguments =
            arguments.map(|argument| argument.name.len() + argument.description.bytes());
        self.name.len() + self.title.bytes() + self.description.bytes() + arguments.sum::<usize>()
    }
}

impl Size for PromptMessage {
    fn bytes(&self) -> usize {
        self.content.bytes()
    }
}

impl Size for ResourceEntry {
    fn bytes(&self) -> usize {
        self.link.bytes()
    }
}

impl Size for ResourceTemplate {
    fn bytes(&self) -> usize {
        let uri = self.uri_template.as_str().len();
        uri + self.name.len() + self.title.bytes() + self.description.bytes()
    }
}

fn base64(data: &[u8]) -> usize {
    data.len().div_ceil(3) * 4
}
