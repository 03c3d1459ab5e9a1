//! Parts that the benchmarks share: processes of a registry and of nginx, their memory and
//! processor time, an HTTP client, medians.

pub(crate) mod client;
pub(crate) mod figures;
pub(crate) mod nginx;
pub(crate) mod process;
pub(crate) mod registry;
