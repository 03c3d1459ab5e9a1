//! Text that models and other programs write: arguments, conversations, definitions, templates.

pub(crate) mod arguments;
pub(crate) mod conversation;
pub(crate) mod definitions;
pub(crate) mod functions;
pub(crate) mod model;
pub(crate) mod prompt_template;
