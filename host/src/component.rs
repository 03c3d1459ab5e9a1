//! Reads a component's bytes: counts, validates and decodes them before anything runs.

pub(crate) mod contract_exports;
pub(crate) mod exports;
pub(crate) mod features;
pub(crate) mod function;
pub(crate) mod scan;
pub(crate) mod validate;
pub(crate) mod wit;
