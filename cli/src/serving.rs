//! Parts of servers: the toolbox that `tool serve` offers, and the listeners of all servers.

pub(crate) mod listener;
pub(crate) mod toolbox_server;
