//! Values: their types, their JSON, and the JSON Schema that describes them.

pub(crate) mod contract;
pub(crate) mod descriptions;
pub(crate) mod json;
pub(crate) mod reply_kind;
pub(crate) mod schema;
pub(crate) mod types;
