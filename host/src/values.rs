//! The modules for component values: types, JSON, JSON Schemas, descriptions, kinds of replies.

pub(crate) mod contract;
pub(crate) mod descriptions;
pub(crate) mod json;
pub(crate) mod reply_kind;
pub(crate) mod schema;
pub(crate) mod types;
pub(crate) mod val;
