//! The paths at which MCP and REST are served over HTTP.

/// The path of the Model Context Protocol.
pub const MCP_PATH: &str = "/mcp";
/// The path below which stand `tools`, `tools/{name}` and `openapi.json`.
pub const REST_PATH: &str = "/v1";
