//! MCP clients of other people: where each keeps its configuration, and how that is changed so
//! that the client starts `tool serve`.

mod change;
mod clients;
mod document;
mod file;
mod json;
mod places;
mod server;
mod toml;
mod unreadable;

pub(crate) use change::{Change, ChangeKind};
pub(crate) use clients::Client;
pub(crate) use document::Document;
pub(crate) use places::{ClientPlaces, Scope};
pub(crate) use server::{ServeCommand, Server};
