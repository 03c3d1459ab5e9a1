//! The modules of the types for prompts and resources that tools offer, read from their exports.

pub(crate) mod entries;
pub(crate) mod prompt;
pub(crate) mod resource;
pub(crate) mod uri_template;
