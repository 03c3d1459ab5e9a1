//! The contract of tools and agents as types: what a call answers, how it fails, what a tool asks.
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
