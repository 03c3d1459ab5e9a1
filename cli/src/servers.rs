//! MCP servers as tools: their command lines, what is started of them, and consent to that.

pub(crate) mod command_line;
pub(crate) mod connector;
pub(crate) mod fetching;
pub(crate) mod installation;
pub(crate) mod program;
pub(crate) mod rights;
pub(crate) mod start;
pub(crate) mod start_consent;
pub(crate) mod unused;
