//! Chooses the kind of reply that the result of a function becomes, by its type.

use crate::values::types::{Signature, Type, contract};

/// The kind of reply that the successful side of a result becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplyKind {
    Nothing,
    Plain,
    Media,
    Content,
    /// A list of pictures and sounds.
    MediaList,
    /// A list of content.
    ContentList,
    Reply,
}

impl ReplyKind {
    /// The kind of reply for a result of this type; no type is no result.
    pub(crate) fn of(ty: Option<&Type>) -> Self {
        match ty {
            None => ReplyKind::Nothing,
            Some(ty) if *ty == *contract::REPLY => ReplyKind::Reply,
            Some(ty) if *ty == *contract::CONTENT => ReplyKind::Content,
            Some(ty) if *ty == *contract::MEDIA => ReplyKind::Media,
            Some(Type::List(item)) if **item == *contract::CONTENT => ReplyKind::ContentList,
            Some(Type::List(item)) if **item == *contract::MEDIA => ReplyKind::MediaList,
            Some(_) => ReplyKind::Plain,
        }
    }
}

/// The type of the structured part of a reply, which is described by a schema. Results that become
/// content have none.
pub(crate) fn structured(signature: &Signature) -> Option<&Type> {
    let answered = signature.answered();
    answered.filter(|ty| ReplyKind::of(Some(ty)) == ReplyKind::Plain)
}
