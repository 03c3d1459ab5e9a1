//! Reads and edits the configurations of MCP clients, so that they start `tool serve`.

mod change;
mod clients;
mod document;
mod file;
mod json;
mod scope;
mod server;
mod toml;
mod unreadable;

pub(crate) use change::{Change, ChangeKind};
pub(crate) use clients::Client;
pub(crate) use document::Document;
pub(crate) use scope::Scope;
pub(crate) use server::{ServeCommand, Server};
