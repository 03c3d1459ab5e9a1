//! A commit that a client proposes: its message, its changes, and the storing of its files.

use std::collections::BTreeSet;

use gix_hash::ObjectId;

use crate::content::{Batch, Sha256Digest};
use crate::database::git_objects::Blob;
use crate::database::repositories::Repository;
use crate::http::Reservation;
use crate::names::RepositoryPath;
use crate::quota::{self, QuotaError, Room};
use crate::registry::Registry;

/// A change of a commit.
#[derive(Debug)]
pub(crate) enum Operation {
    /// Adds a file whose content is in the store or in the proposal's batch.
    Put {
        path: RepositoryPath,
        oid: ObjectId,
        blob: Blob,
    },
    /// Removes a file, or a directory with everything in it.
    Remove { path: RepositoryPath },
}

/// A commit that a client wants to make.
#[derive(Debug)]
pub(crate) struct Proposal {
    pub(crate) title: String,
    pub(crate) message: String,
    /// The commit that the client based this on: at least five digits of its id.
    pub(crate) parent: Option<String>,
    pub(crate) operations: Vec<Operation>,
    /// Contents that become part of the store once the commit has passed its checks.
    pub(crate) files: Batch,
    /// The part of the owner's quota that they take until then.
    pub(crate) room: Room,
    /// The memory that all of it takes.
    pub(crate) _held: Reservation,
}

impl Proposal {
    /// Stores the files, unless their owner's quota is exceeded. No commit refers to them yet.
    pub(crate) async fn keep(
        &mut self,
        registry: &Registry,
        repository: &Repository,
    ) -> Result<(), QuotaError> {
        let sizes: Vec<(Sha256Digest, u64)> = self.files.sizes().collect();
        let (owner, room) = (&repository.owner, &mut self.room);
        quota::announce(registry, owner, &repository.id, sizes, room).await?;
        let in_flight_max = registry.limits().content_writes_in_flight_max;
        Ok(self.files.keep(in_flight_max).await?)
    }
}

/// The contents of the added files.
pub(crate) fn contents(operations: &[Operation]) -> BTreeSet<Sha256Digest> {
    let digests = operations.iter().filter_map(|operation| match operation {
        Operation::Put { blob, .. } => Some(blob.sha256),
        Operation::Remove { .. } => None,
    });
    digests.collect()
}
