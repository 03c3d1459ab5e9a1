//! Offers of a tool beside functions: prompts and resources.

pub(crate) mod entries;
pub(crate) mod prompt;
pub(crate) mod resource;
pub(crate) mod uri_template;
