//! The modules that read a component's bytes: scan, validation, WIT, imports and exports.
//! Nothing of the component runs.

pub(crate) mod contract_exports;
pub(crate) mod custom_section;
pub(crate) mod engine_kind;
pub(crate) mod exports;
pub(crate) mod features;
pub(crate) mod function;
pub(crate) mod links;
mod package_url;
pub(crate) mod packages;
pub(crate) mod sbom;
pub(crate) mod scan;
pub(crate) mod validate;
pub(crate) mod wit;
