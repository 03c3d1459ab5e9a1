//! Types of a call's outcome (reply, content, failure) and of what a tool asks the person.
//! The words are those of `wit/types.wit`.

mod content;
mod failure;
mod outcome;
mod question;
mod reply;

pub use content::{
    Content, ContentAnnotations, ContentBody, EmbeddedResource, ResourceContents, ResourceLink,
    Role,
};
pub use failure::{Failure, FailureKind};
pub use outcome::Outcome;
pub use question::Question;
pub use reply::Reply;
