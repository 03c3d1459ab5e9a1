//! Bundles: one file with tools of a toolbox and all that is needed to verify them offline.
//!
//! A bundle is a zip archive. Its index, `bundle.toml`, names the digests of everything else in
//! it. Nobody signs a bundle: what makes its content credible are the signatures of authors and the
//! log of the registry, as they are in it, held against what this machine knows already.

pub(crate) mod archive;
pub(crate) mod carried_advisories;
pub mod checking;
pub mod error;
pub mod index;
pub(crate) mod log_records;
pub mod making;
pub mod origin;
