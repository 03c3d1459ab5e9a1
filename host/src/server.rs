//! MCP servers among the tools: inspected here, started and spoken to by the embedder's connector.
//!
//! The host neither starts processes nor speaks the protocol. What it does for a component it does
//! for a server too: limits on input, time and outcome, the mask over secrets, the note in the log.

pub(crate) mod call;
pub(crate) mod connection;
pub(crate) mod inspection;
