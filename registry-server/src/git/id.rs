//! Computes ids of git objects: the SHA-1 of their kind, length and bytes.

use gix_hash::{Hasher, Kind as HashKind, ObjectId};
use gix_object::Kind;

use crate::error::RegistryError;

/// The id of an object with these bytes.
pub(crate) fn object_id(kind: Kind, bytes: &[u8]) -> Result<ObjectId, RegistryError> {
    gix_object::compute_hash(HashKind::Sha1, kind, bytes).map_err(|_| collision())
}

/// A hasher for a blob of known length.
pub(crate) fn blob_hasher(size_bytes: u64) -> Hasher {
    let mut hasher = gix_hash::hasher(HashKind::Sha1);
    hasher.update(&gix_object::encode::loose_header(Kind::Blob, size_bytes));
    hasher
}

/// The id of what was hashed.
pub(crate) fn finish(hasher: Hasher) -> Result<ObjectId, RegistryError> {
    hasher.try_finalize().map_err(|_| collision())
}

/// Two contents made to share one SHA-1 are recognised by the hasher, and neither is taken in.
fn collision() -> RegistryError {
    RegistryError::Sha1Collision
}
