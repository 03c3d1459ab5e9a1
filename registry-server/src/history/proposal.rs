//! A commit that somebody wants to make.

use std::collections::BTreeSet;

use gix_hash::ObjectId;

use crate::content::{Batch, Sha256Digest};
use crate::database::objects::Blob;
use crate::http::Reservation;
use crate::names::RepositoryPath;
use crate::quota::Room;

/// One change.
#[derive(Debug)]
pub(crate) enum Operation {
    /// A file whose content is in the store, or comes with the proposal.
    Put {
        path: RepositoryPath,
        oid: ObjectId,
        blob: Blob,
    },
    /// A file or a directory with everything in it.
    Remove { path: RepositoryPath },
}

/// A commit somebody wants to make.
#[derive(Debug)]
pub(crate) struct Proposal {
    pub(crate) title: String,
    pub(crate) message: String,
    /// The commit the sender looked at: at least five digits of its id.
    pub(crate) parent: Option<String>,
    pub(crate) operations: Vec<Operation>,
    /// Content that becomes part of the store once the commit has passed its checks.
    pub(crate) files: Batch,
    /// What of its owner's quota they take until then.
    pub(crate) room: Room,
    /// The memory that all of it takes.
    pub(crate) _held: Reservation,
}

/// The contents of the files that are put.
pub(crate) fn contents(operations: &[Operation]) -> BTreeSet<Sha256Digest> {
    let digests = operations.iter().filter_map(|operation| match operation {
        Operation::Put { blob, .. } => Some(blob.sha256),
        Operation::Remove { .. } => None,
    });
    digests.collect()
}
