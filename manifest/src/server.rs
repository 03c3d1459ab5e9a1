//! An MCP server that other people wrote, as a tool of the toolbox: its address and description.

pub(crate) mod address;
pub(crate) mod description;
