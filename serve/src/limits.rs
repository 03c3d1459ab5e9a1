//! Limits, addresses and intervals that several front ends share.

use std::time::Duration;

/// Where the Model Context Protocol is answered over HTTP.
pub const MCP_PATH: &str = "/mcp";
/// Below it stand `tools`, `tools/{name}` and `openapi.json`.
pub const REST_PATH: &str = "/v1";
/// The longest message, in bytes. The host's own limit on arguments is lower; this one bounds
/// what a client that never ends its message can make the process hold.
pub(crate) const MESSAGE_BYTES_MAX: usize = 20 << 20;
/// How often something is sent to a client that waits for a long call, so that nobody between
/// takes the connection for dead.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(15);
