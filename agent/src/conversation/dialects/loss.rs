//! What a dialect cannot say of a conversation, told instead of silently dropped.

use std::fmt;

use serde_json::{Map, Value};

use crate::conversation::message::{
    Foreign, Kept, Media, MediaKind, MediaSource, MessageDialect, Role,
};

/// Something of a message that a dialect loses or changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageLoss {
    /// The index of the message; absent if the loss concerns the request.
    pub message: Option<usize>,
    /// The loss.
    pub lost: LostMessage,
}

/// A kind of loss in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LostMessage {
    /// Something that only another dialect says.
    Member {
        /// The dialect it belongs to.
        of: MessageDialect,
        /// The member's name.
        member: String,
    },
    /// An item or a block that only another dialect has.
    Foreign {
        /// The dialect it belongs to.
        of: MessageDialect,
        /// Its type.
        kind: String,
    },
    /// The speaker's name has no place.
    Name,
    /// The role is not told apart from another one.
    Role {
        /// The role in the source.
        from: Role,
        /// The role in the target.
        to: Role,
    },
    /// A picture, a sound, a film or a document has no place; a text stands for it.
    Media {
        /// The kind of media.
        kind: MediaKind,
    },
    /// Something that is said of it has no place.
    MediaMember {
        /// The kind of media.
        kind: MediaKind,
        /// The name of the member.
        member: &'static str,
    },
    /// A document is written as text.
    DocumentAsText,
    /// A refusal is written as text.
    RefusalAsText,
    /// The reasoning cannot be expressed.
    Reasoning,
    /// The signature of what the model thought, or the encrypted text, is of use to nobody else.
    Seal,
    /// That the call failed has no place.
    Failure,
    /// Texts, thoughts and calls are not told in the order in which they came.
    Order,
    /// It is one with the message, or the thoughts, before.
    Joined,
    /// The message has nothing left and is left out.
    Emptied,
    /// The id is written otherwise.
    Id {
        /// The name or id in the source.
        from: String,
        /// The name or id in the target.
        to: String,
    },
    /// The provider will refuse a result that no call before it asked for.
    NoCall {
        /// The id that it tells.
        id: String,
    },
}

impl fmt::Display for MessageLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message {
            Some(message) => write!(f, "messages[{message}]: {}", self.lost),
            None => self.lost.fmt(f),
        }
    }
}

impl fmt::Display for LostMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member { of, member } => write!(f, "`{member}` is of {of} and has no place"),
            Self::Foreign { of, kind } => write!(f, "`{kind}` is of {of} and has no place"),
            Self::Name => f.write_str("the speaker's name has no place"),
            Self::Role { from, to } => write!(f, "the role {from} becomes {to}"),
            Self::Media { kind } => write!(f, "the {kind} has no place: a text stands for it"),
            Self::MediaMember { kind, member } => {
                write!(f, "the {member} of the {kind} has no place")
            }
            Self::DocumentAsText => f.write_str("the document is written as text"),
            Self::RefusalAsText => f.write_str("the refusal is written as text"),
            Self::Reasoning => f.write_str("the reasoning has no place"),
            Self::Seal => f.write_str("the reasoning's signature or encrypted text has no place"),
            Self::Failure => f.write_str("that the call failed has no place"),
            Self::Order => f.write_str("the order of texts, reasoning and calls has no place"),
            Self::Joined => f.write_str("it becomes one with what is before it"),
            Self::Emptied => f.write_str("nothing is left of it, and it is left out"),
            Self::Id { from, to } => write!(f, "the id `{from}` becomes `{to}`"),
            Self::NoCall { id } => write!(
                f,
                "no call before it has the id `{id}`, so it will be refused"
            ),
        }
    }
}

impl Role {
    /// The role's name, which all dialects share.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Collects the losses while a conversation is written.
pub(super) struct Losses {
    pub(super) dialect: MessageDialect,
    /// The message that is being written.
    pub(super) message: Option<usize>,
    list: Vec<MessageLoss>,
}

impl Losses {
    pub(super) fn new(dialect: MessageDialect) -> Self {
        Self {
            dialect,
            message: None,
            list: Vec::new(),
        }
    }

    pub(super) fn tell(&mut self, lost: LostMessage) {
        let loss = MessageLoss {
            message: self.message,
            lost,
        };
        if self.list.last() != Some(&loss) {
            self.list.push(loss);
        }
    }

    pub(super) fn into_list(self) -> Vec<MessageLoss> {
        self.list
    }

    /// `written` as it was in this dialect; what another one kept is told.
    pub(super) fn restored(
        &mut self,
        mut written: Map<String, Value>,
        kept: Option<&Kept>,
    ) -> Map<String, Value> {
        match kept {
            Some(kept) if kept.is_of(self.dialect) => kept.restore(&mut written),
            Some(kept) => self.foreign(kept),
            None => {}
        }
        written
    }

    /// Records that media cannot be expressed, and returns the text that replaces them.
    pub(super) fn instead_of(&mut self, media: &Media) -> String {
        if let MediaSource::Text(text) = &media.source {
            self.tell(LostMessage::DocumentAsText);
            return text.clone();
        }
        self.tell(LostMessage::Media { kind: media.kind });
        media.stand_in()
    }

    /// Tells what is said of media and has no place although they have.
    pub(super) fn media_members(&mut self, media: &Media) {
        use MessageDialect::{HuggingFace, OpenAi, Responses};
        let has_detail = matches!(self.dialect, OpenAi | Responses);
        let has_name = self.dialect != HuggingFace && media.kind == MediaKind::File;
        let kind = media.kind;
        if media.detail.is_some() && !has_detail {
            self.tell(LostMessage::MediaMember {
                kind,
                member: "detail",
            });
        }
        if media.name.is_some() && !has_name {
            self.tell(LostMessage::MediaMember {
                kind,
                member: "name",
            });
        }
    }

    /// A dialect's own item, in that dialect.
    pub(super) fn foreign_value(&mut self, foreign: &Foreign) -> Option<Value> {
        let is_own = foreign.of == self.dialect;
        if !is_own {
            self.tell(LostMessage::Foreign {
                of: foreign.of,
                kind: foreign.value["type"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
            });
        }
        is_own.then(|| foreign.value.clone())
    }

    pub(super) fn foreign(&mut self, kept: &Kept) {
        for (of, member) in kept.foreign() {
            let member = member.to_owned();
            self.tell(LostMessage::Member { of, member });
        }
    }
}
