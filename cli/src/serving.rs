//! The parts of `tool serve` beside the front ends: the served toolbox, audit log, listeners.

pub(crate) mod audit_log;
pub(crate) mod listener;
pub(crate) mod toolbox_server;
