//! The sandbox: verified bytes and grants in, outcomes out.

mod approved;
mod config;
mod error;
mod function;
mod inspection;
mod interaction;
mod json;
mod outcome;
mod schema;
mod shape;

pub use approved::Approved;
pub use config::HostConfig;
pub use error::HostError;
pub use function::{CallableFunction, CallableInput};
pub use inspection::{
    Effect, InspectedCapability, InspectedImport, Inspection, NotCallable, Power, Producer, Refusal,
};
pub use interaction::{Answer, Interaction, Nobody, Output, Progress, Question};
pub use outcome::{
    Content, ContentAnnotations, ContentBody, EmbeddedResource, Failure, FailureKind, Outcome,
    Reply, ResourceContents, ResourceLink, Role,
};
