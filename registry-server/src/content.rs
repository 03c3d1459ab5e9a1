//! The content store: the bytes of files, keyed by their SHA-256, in any `object_store`.

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
