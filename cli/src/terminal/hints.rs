//! The exit code and the hints for an error, as a trait; implementations in a file for each crate.
//! `diagnosis` searches them; the errors do not know them.

mod agent;
mod host;
mod manifest;
mod registry_client;
mod registry_server;
mod toolbox;

use crate::terminal::exit::Exit;

/// The advice where the log of a registry is damaged.
pub(crate) const DAMAGED_LOG: &str = "bring the rows of the log back from a backup as they are; never make it shorter or anew: whoever saw it before would refuse this registry";

/// An exit code and advice for an error.
pub(crate) trait Hint {
    fn exit(&self) -> Exit;

    /// The next steps for the user, the likeliest first.
    fn hints(&self) -> Vec<String>;
}

/// A single hint.
fn one(hint: &str) -> Vec<String> {
    vec![hint.to_owned()]
}
