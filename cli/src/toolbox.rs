//! The toolbox for commands: the sandbox, fetching and recording of tools, functions for agents.
//!
//! The sandbox has this program as its compiler. Progress is shown while a tool is fetched or
//! recorded.

pub(crate) mod fetching;
pub(crate) mod functions;
pub(crate) mod recording;
pub(crate) mod sandbox;
