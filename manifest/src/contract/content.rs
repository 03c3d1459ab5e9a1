//! One piece of content of an answer: text, a picture, a sound, a link or a resource.

use serde::Serialize;

/// One piece of content and the hints that go with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// The content itself.
    pub body: ContentBody,
    /// Hints to whoever shows it.
    pub annotations: Option<ContentAnnotations>,
}

impl Content {
    /// Text without hints.
    pub fn text(text: impl Into<String>) -> Self {
        ContentBody::Text(text.into()).into()
    }
}

impl From<ContentBody> for Content {
    fn from(body: ContentBody) -> Self {
        Self {
            body,
            annotations: None,
        }
    }
}

/// One piece of content. Binary data is the bytes themselves, not base64.
#[derive(Debug, Clone, PartialEq)]
pub enum ContentBody {
    /// Text.
    Text(String),
    /// A picture as a file would hold it.
    Image {
        /// Such as `image/png`.
        media_type: String,
        /// The encoded picture.
        data: Vec<u8>,
    },
    /// A sound as a file would hold it.
    Audio {
        /// Such as `audio/wav`.
        media_type: String,
        /// The encoded sound.
        data: Vec<u8>,
    },
    /// Points at something the agent may read later.
    Link(ResourceLink),
    /// A resource carried whole.
    Resource(EmbeddedResource),
}

/// Points at a resource; the host fetches nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceLink {
    /// An absolute URI, as the tool gave it.
    pub uri: String,
    /// A short name for programs.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// A description of the content.
    pub description: Option<String>,
    /// Its media type, when known.
    pub media_type: Option<String>,
    /// Its size in bytes, when known.
    pub size: Option<u64>,
}

/// A resource carried whole inside a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedResource {
    /// The resource's own URI, as the tool gave it.
    pub uri: String,
    /// The media type of the contents, when known.
    pub media_type: Option<String>,
    /// The content.
    pub contents: ResourceContents,
}

/// The content of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceContents {
    /// Text.
    Text(String),
    /// Anything else.
    Blob(Vec<u8>),
}

/// Hints to whoever shows content.
#[derive(Debug, Clone, PartialEq)]
pub struct ContentAnnotations {
    /// For whom it is meant; empty means everybody.
    pub audience: Vec<Role>,
    /// From 0.0, may be dropped first, to 1.0, must be kept.
    pub priority: Option<f64>,
    /// The time of the last change, RFC 3339, as the tool gave it.
    pub last_modified: Option<String>,
}

/// For whom content is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person in front of the agent.
    User,
    /// The model.
    Assistant,
}
