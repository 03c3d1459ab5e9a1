//! Parts that the benchmarks share: processes of a registry and of nginx, an HTTP client, figures.

pub(crate) mod client;
pub(crate) mod figures;
pub(crate) mod nginx;
pub(crate) mod process;
pub(crate) mod registry;
