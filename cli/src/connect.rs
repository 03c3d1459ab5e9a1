//! Reads and edits the configurations of MCP clients, so that they start `tool serve`.

mod change;
mod clients;
mod document;
mod file;
mod json;
mod scope;
mod server;
mod surroundings;
mod toml;
mod unreadable;

pub(crate) use change::{Change, ChangeKind};
pub(crate) use clients::Client;
pub(crate) use document::{Document, WrittenServer};
pub(crate) use scope::Scope;
pub(crate) use server::{ServeCommand, Server};
pub(crate) use surroundings::Surroundings;
