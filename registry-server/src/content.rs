//! The content store: the bytes of files by their SHA-256, in a directory or an S3 bucket.

mod batch;
mod bucket;
mod bucket_upload;
mod copy;
mod digest;
mod inventory;
mod local_file;
mod read_cache;
mod spool;
mod store;
mod upload_parts;

pub(crate) use batch::Batch;
pub(crate) use bucket::FileHeaders;
pub(crate) use digest::Sha256Digest;
pub(crate) use inventory::StoredObject;
pub(crate) use spool::{Spool, SpooledFile};
pub(crate) use store::ContentStore;
