//! Reads texts: arguments, conversations, definitions, source code, chat and prompt templates.
//! They are those of users, models and other programs.

pub(crate) mod arguments;
pub(crate) mod chat_templates;
pub(crate) mod conversation;
pub(crate) mod definitions;
pub(crate) mod functions;
pub(crate) mod media;
pub(crate) mod prompt_template;
pub(crate) mod reply_json;
