//! The losses when a conversation is written in another dialect, and `Losses`, which collects them.
//! It restores source forms, because what cannot be restored is a loss.

use std::fmt;

use serde_json::{Map, Value};

use crate::conversation::message::{
    Foreign, Media, MediaKind, MediaSource, MessageDialect, Role, SourceForm,
};

/// A part of a message that a dialect loses or changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageLoss {
    /// The index of the message; absent if the loss concerns the request.
    pub message: Option<usize>,
    /// The loss.
    pub kind: MessageLossKind,
}

/// A kind of loss in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageLossKind {
    /// A member that only another dialect has.
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
    /// The speaker's name is left out.
    Name,
    /// The role becomes another one, which the dialect does not distinguish from it.
    Role {
        /// The role in the source.
        from: Role,
        /// The role in the target.
        to: Role,
    },
    /// A picture, sound, video or document is replaced by a text.
    Media {
        /// The kind of media.
        kind: MediaKind,
    },
    /// A member of media is left out.
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
    /// The signature or encrypted text of reasoning is left out: only its provider can use it.
    Seal,
    /// The mark of a failed call is left out.
    Failure,
    /// The order of texts, reasoning and calls is lost.
    Order,
    /// The message or reasoning is joined to the one before.
    Joined,
    /// The message has nothing left and is left out.
    Emptied,
    /// The id is replaced.
    Id {
        /// The name or id in the source.
        from: String,
        /// The name or id in the target.
        to: String,
    },
    /// The provider will refuse a result that no call before it asked for.
    NoCall {
        /// The id of the call.
        id: String,
    },
}

impl fmt::Display for MessageLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message {
            Some(message) => write!(f, "messages[{message}]: {}", self.kind),
            None => self.kind.fmt(f),
        }
    }
}

impl fmt::Display for MessageLossKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member { of, member } => {
                write!(f, "`{member}` exists only in {of} and is left out")
            }
            Self::Foreign { of, kind } => write!(f, "`{kind}` exists only in {of} and is left out"),
            Self::Name => f.write_str("the speaker's name is left out"),
            Self::Role { from, to } => write!(f, "the role {from} becomes {to}"),
            Self::Media { kind } => write!(f, "the {kind} is replaced by a text"),
            Self::MediaMember { kind, member } => {
                write!(f, "the {member} of the {kind} is left out")
            }
            Self::DocumentAsText => f.write_str("the document is written as text"),
            Self::RefusalAsText => f.write_str("the refusal is written as text"),
            Self::Reasoning => f.write_str("the reasoning is left out"),
            Self::Seal => f.write_str("the reasoning's signature or encrypted text is left out"),
            Self::Failure => f.write_str("the mark of a failed call is left out"),
            Self::Order => f.write_str("the order of texts, reasoning and calls is lost"),
            Self::Joined => f.write_str("it is joined to what is before it"),
            Self::Emptied => f.write_str("nothing of it can be written, so it is left out"),
            Self::Id { from, to } => write!(f, "the id `{from}` becomes `{to}`"),
            Self::NoCall { id } => write!(
                f,
                "no call before it has the id `{id}`, so it will be refused"
            ),
        }
    }
}

/// Collects the losses while a conversation is written, and restores source forms.
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

    pub(super) fn report(&mut self, kind: MessageLossKind) {
        let loss = MessageLoss {
            message: self.message,
            kind,
        };
        if self.list.last() != Some(&loss) {
            self.list.push(loss);
        }
    }

    pub(super) fn into_list(self) -> Vec<MessageLoss> {
        self.list
    }

    /// Restores the source form of `written` if it is of this dialect, and otherwise reports what
    /// another dialect kept.
    pub(super) fn restored(
        &mut self,
        mut written: Map<String, Value>,
        source_form: Option<&SourceForm>,
    ) -> Map<String, Value> {
        match source_form {
            Some(source_form) if source_form.is_of(self.dialect) => {
                source_form.restore(&mut written)
            }
            Some(source_form) => self.foreign(source_form),
            None => {}
        }
        written
    }

    /// The list of messages alone, or in the object in which it came.
    pub(super) fn in_request(
        &mut self,
        name: &str,
        list: Value,
        source_form: Option<&SourceForm>,
    ) -> Value {
        match source_form {
            Some(source_form) if source_form.is_of(self.dialect) => {
                // The list is not what was read any more, so only the rest is restored.
                let mut request = Map::from_iter([(name.to_owned(), list)]);
                source_form.restore(&mut request);
                request.into()
            }
            Some(source_form) => {
                self.foreign(source_form);
                list
            }
            None => list,
        }
    }

    /// Records that media cannot be expressed, and returns the text that replaces them.
    pub(super) fn replace_media(&mut self, media: &Media) -> String {
        if let MediaSource::Text(text) = &media.source {
            self.report(MessageLossKind::DocumentAsText);
            return text.clone();
        }
        self.report(MessageLossKind::Media { kind: media.kind });
        media.placeholder()
    }

    /// Reports the members of media that the dialect cannot express.
    pub(super) fn media_members(&mut self, media: &Media) {
        use MessageDialect::{HuggingFace, OpenAi, Responses};
        let has_detail = matches!(self.dialect, OpenAi | Responses);
        let has_name = self.dialect != HuggingFace && media.kind == MediaKind::File;
        let kind = media.kind;
        if media.detail.is_some() && !has_detail {
            self.report(MessageLossKind::MediaMember {
                kind,
                member: "detail",
            });
        }
        if media.name.is_some() && !has_name {
            self.report(MessageLossKind::MediaMember {
                kind,
                member: "name",
            });
        }
    }

    /// A dialect's own item, in that dialect.
    pub(super) fn foreign_value(&mut self, foreign: &Foreign) -> Option<Value> {
        let is_own = foreign.of == self.dialect;
        if !is_own {
            self.report(MessageLossKind::Foreign {
                of: foreign.of,
                kind: foreign.value["type"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
            });
        }
        is_own.then(|| foreign.value.clone())
    }

    pub(super) fn foreign(&mut self, source_form: &SourceForm) {
        for (of, member) in source_form.foreign() {
            let member = member.to_owned();
            self.report(MessageLossKind::Member { of, member });
        }
    }
}
