//! A component's bytes, counted, validated and decoded before anything runs.

pub(crate) mod contract_exports;
pub(crate) mod exports;
pub(crate) mod features;
pub(crate) mod function;
pub(crate) mod scan;
pub(crate) mod validate;
pub(crate) mod wit;
