//! The modules that approve a tool: inspection, claims, terms, the `Approved` type and denials.

pub(crate) mod approved;
pub(crate) mod claims;
pub(crate) mod denial;
pub(crate) mod inspection;
pub(crate) mod terms;
