//! Stores a commit of another registry under the id that it has there.

use gix_hash::ObjectId;

use super::proposal::Operation;
use super::write::{PreparedCommit, WriteError, build, insert};
use crate::database::commits::Commit;
use crate::database::repositories::Repository;
use crate::registry::Registry;

/// A commit's message, author and times, as another registry tells them.
#[derive(Debug, Clone)]
pub(crate) struct CopiedCommit {
    pub(crate) oid: ObjectId,
    pub(crate) title: String,
    pub(crate) message: String,
    pub(crate) author: String,
    pub(crate) written_ms: i64,
}

/// Stores a commit with all its files, whose content is in the store. No reference leads to it.
///
/// The git object of the commit stays with the other registry, which does not give it out: here are
/// its id, its files and what was said of it. It has no parent here.
pub(crate) async fn store_copied_commit(
    registry: &Registry,
    repository: &Repository,
    copied: CopiedCommit,
    files: &[Operation],
) -> Result<Commit, WriteError> {
    let database = registry.database();
    let snapshot = build(database, &repository.id, None, files).await?;
    let commit = Commit {
        oid: copied.oid,
        tree: snapshot.root,
        parent: None,
        generation: 1,
        title: copied.title,
        message: copied.message,
        author: copied.author,
        written_ms: copied.written_ms,
    };
    let prepared = PreparedCommit {
        commit,
        data: Vec::new(),
        snapshot,
    };
    let mut writing = database.write_to(&repository.id).await?;
    insert(registry, &mut writing, repository, &prepared, files).await?;
    writing.commit().await?;
    Ok(prepared.commit)
}
