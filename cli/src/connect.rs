//! MCP clients of other people: where each keeps its configuration, and how that is changed so
//! that the client starts `tool serve`.

mod change;
mod clients;
mod document;
mod json;
mod places;
mod server;
mod toml;

use std::fmt;

pub(crate) use change::{Change, Changed};
pub(crate) use clients::Client;
use clients::Format;
pub(crate) use document::Document;
pub(crate) use places::{ClientPlaces, Scope};
pub(crate) use server::{Server, Started};

/// Why a text cannot be read, or changed without changing what else it says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unreadable {
    /// The line that is to be mended, where there is one.
    line: Option<usize>,
    reason: String,
}

impl Unreadable {
    /// What is wrong with the text as a whole.
    fn as_a_whole(reason: impl Into<String>) -> Self {
        Self {
            line: None,
            reason: reason.into(),
        }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for Unreadable {}
