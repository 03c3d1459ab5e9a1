//! Parts of servers: the toolbox that `tool serve` offers, and the ports that options name.

pub(crate) mod listener;
pub(crate) mod release_refresh;
pub(crate) mod toolbox_server;
