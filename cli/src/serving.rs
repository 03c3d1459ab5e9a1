//! The parts of `tool serve` beside the front ends: the served toolbox and the listeners.

pub(crate) mod listener;
pub(crate) mod toolbox_server;
