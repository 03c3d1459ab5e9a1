//! The modules that benchmarks share: processes, their memory and time, an HTTP client, medians.
//! The processes are those of a registry and of nginx.

pub(crate) mod client;
pub(crate) mod figures;
pub(crate) mod nginx;
pub(crate) mod process;
pub(crate) mod registry;
