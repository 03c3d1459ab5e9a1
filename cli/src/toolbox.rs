//! Opens the toolbox for a command: with a sandbox, with progress, and with functions for agents.
//!
//! The sandbox has this program as its compiler. Progress is shown while a tool is fetched or
//! recorded.

pub(crate) mod fetching;
pub(crate) mod functions;
pub(crate) mod recording;
pub(crate) mod sandbox;
