//! Reads texts of users, models and other programs: arguments, conversations, definitions,
//! functions and templates.

pub(crate) mod arguments;
pub(crate) mod chat_templates;
pub(crate) mod conversation;
pub(crate) mod definitions;
pub(crate) mod functions;
pub(crate) mod prompt_template;
