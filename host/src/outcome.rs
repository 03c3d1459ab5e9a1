//! What comes of a call: content, a structured value, or a failure written for the agent.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::Question;

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The function answered.
    Reply(Reply),
    /// It did not; the failure says why and how to call again.
    Failure(Failure),
}

impl Outcome {
    /// The reply, or the failure as an error.
    ///
    /// # Errors
    /// When the outcome is a failure.
    pub fn into_result(self) -> Result<Reply, Failure> {
        match self {
            Self::Reply(reply) => Ok(reply),
            Self::Failure(failure) => Err(failure),
        }
    }
}

impl From<Result<Reply, Failure>> for Outcome {
    fn from(result: Result<Reply, Failure>) -> Self {
        match result {
            Ok(reply) => Self::Reply(reply),
            Err(failure) => Self::Failure(failure),
        }
    }
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// The parts, in the order in which they are to be read. The answer of a function over
    /// plain types is one text: the string itself, or the JSON of any other value.
    pub content: Vec<Content>,
    /// The same answer for programs, as JSON text. For a function over plain types it is
    /// the JSON of the value itself, which need not be an object. Pictures, sounds and
    /// other content have none.
    pub structured: Option<String>,
    /// What the agent can sensibly do next.
    pub next: Option<String>,
}

impl Reply {
    /// All text parts, joined by line breaks.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for part in &self.content {
            if let ContentBody::Text(part) = &part.body {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(part);
            }
        }
        text
    }
}

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
    /// What is found there.
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
    /// What it holds.
    pub contents: ResourceContents,
}

/// What a resource holds.
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
    /// When it last changed, RFC 3339, as the tool gave it.
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

/// A failure written for the agent that made the call.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Failure {
    /// What kind of failure it was.
    pub kind: FailureKind,
    /// What went wrong, in one sentence.
    pub message: String,
    /// What to change so that the next call succeeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// Which argument is at fault, as a path: `items[2].price`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// Whether the same call, unchanged, may succeed later.
    pub retryable: bool,
}

impl Failure {
    /// A failure that names neither an argument nor a fix and will not go away by itself.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            fix: None,
            argument: None,
            retryable: false,
        }
    }

    /// Says what to change.
    pub fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// Says which argument is at fault.
    pub fn with_argument(mut self, path: impl Into<String>) -> Self {
        self.argument = Some(path.into());
        self
    }

    /// Says that the same call may succeed later.
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.fix {
            Some(fix) => write!(f, "; {fix}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

/// What kind of failure it was: the kinds of the contract, then those that only the host
/// can find.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FailureKind {
    /// The arguments are wrong, as the tool says.
    InvalidArgument,
    /// What the arguments name does not exist.
    NotFound,
    /// The tool says that it may not do this.
    PermissionDenied,
    /// What the call would change has changed meanwhile, or exists already.
    Conflict,
    /// The tool says that a limit of its own or of a service behind it was reached.
    LimitReached,
    /// A service behind the tool did not answer, or the host is busy.
    Unavailable,
    /// A fault of the tool itself.
    Internal,
    /// The tool failed and did not say of what kind the failure is.
    Failed,
    /// The arguments do not fit the function's schema; the tool did not run. It has the name
    /// of [`FailureKind::InvalidArgument`], since an agent mends both alike.
    MalformedArgument,
    /// The tool has no function of that name.
    UnknownFunction,
    /// The host refused something that was not granted; `capability` reads like
    /// `network https://example.com`.
    Denied {
        /// What was not granted.
        capability: String,
    },
    /// The call reached one of the host's limits.
    HostLimit {
        /// Which limit: the name of a field of [`Limits`](tool_hub_manifest::Limits).
        limit: &'static str,
        /// Its value, in the unit that ends the name.
        value: u64,
    },
    /// The tool's code trapped.
    Trapped,
    /// The tool asked a question and the [`Interaction`](crate::Interaction) postponed it:
    /// answer it and make the whole call again.
    InputRequired(Box<Question>),
}

impl FailureKind {
    /// The kind in kebab-case: `invalid-argument`, `host-limit`, …
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::InvalidArgument | Self::MalformedArgument => "invalid-argument",
            Self::NotFound => "not-found",
            Self::PermissionDenied => "permission-denied",
            Self::Conflict => "conflict",
            Self::LimitReached => "limit-reached",
            Self::Unavailable => "unavailable",
            Self::Internal => "internal",
            Self::Failed => "failed",
            Self::UnknownFunction => "unknown-function",
            Self::Denied { .. } => "denied",
            Self::HostLimit { .. } => "host-limit",
            Self::Trapped => "trapped",
            Self::InputRequired(_) => "input-required",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for FailureKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
