//! Parts that the benchmarks share: a registry in a process of its own, nginx beside it, and a
//! client that costs little.

pub(crate) mod client;
pub(crate) mod figures;
pub(crate) mod nginx;
pub(crate) mod process;
pub(crate) mod registry;
