//! The parts of `tool serve` beside the front ends: the toolbox as it changes, the audit log,
//! listeners.

pub(crate) mod audit_log;
pub(crate) mod listener;
pub(crate) mod toolbox_server;
