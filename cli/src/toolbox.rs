//! The commands' shared steps: open the sandbox, fetch and record tools, watch calls to them.
//!
//! The sandbox has this program as its compiler. Progress is shown while a tool is fetched or
//! recorded.

pub(crate) mod fetching;
pub(crate) mod functions;
pub(crate) mod recording;
pub(crate) mod sandbox;
pub(crate) mod watch;
