//! The content store: reads and writes the bytes of files by their SHA-256, in a directory or an S3
//! bucket.

mod batch;
mod bucket;
mod copy;
mod digest;
mod file;
mod inventory;
mod parts;
mod small;
mod spool;
mod store;
mod upload;

pub(crate) use batch::Batch;
pub(crate) use bucket::FileHeaders;
pub(crate) use digest::Sha256Digest;
pub(crate) use inventory::StoredObject;
pub(crate) use spool::{Spool, SpooledFile};
pub(crate) use store::ContentStore;
