//! Prompts and resources of tools.

pub(crate) mod entries;
pub(crate) mod prompt;
pub(crate) mod resource;
pub(crate) mod uri_template;
