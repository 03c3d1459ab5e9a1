//! The modules for prompts and resources that tools offer: their types, read from tools' results.

pub(crate) mod entries;
pub(crate) mod prompt;
pub(crate) mod resource;
pub(crate) mod uri_template;
