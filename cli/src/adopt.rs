//! Decides what servers of MCP clients can become, and keeps a record by which that is undone.

mod configured_server;
mod launcher;
mod plan;
mod record;
mod replacements;
mod shown_command;
mod splice;

pub(crate) use configured_server::{ConfiguredServer, LocalCommand, RemoteAddress, ServerKind};
pub(crate) use launcher::{Launcher, launcher, loadable};
pub(crate) use plan::{AdoptedForm, AdoptionSupport, Plan, Route, plan};
pub(crate) use record::{AdoptedFile, AdoptedServer, AdoptionRecord, KeptCredential};
pub(crate) use replacements::Replacements;
pub(crate) use shown_command::{shown_address, shown_command};
pub(crate) use splice::Splice;
