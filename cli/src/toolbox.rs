//! The way to the toolbox: the sandbox with this program as its compiler, progress while a tool is
//! fetched or recorded, and functions for agents and models.

pub(crate) mod fetching;
pub(crate) mod functions;
pub(crate) mod recording;
pub(crate) mod sandbox;
