//! Routes that create, list and show discussions and pull requests.

pub(crate) mod create;
pub(crate) mod list;
pub(crate) mod show;
