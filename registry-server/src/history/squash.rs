//! Replaces the history of a branch or a pull request by one commit.

use super::listing::{Blobs, Depth, ListingRange, list_directory};
use super::write::{WriteError, head_commit};
use crate::clock;
use crate::database::WriteTransaction;
use crate::database::accounts::Account;
use crate::database::commits::Commit;
use crate::database::repositories::Repository;
use crate::database::write_authority::WriteAuthority;
use crate::error::RegistryError;
use crate::git::{CommitDraft, encode_commit};
use crate::names::Head;
use crate::registry::Registry;

/// The attempts at a squash when the branch moves. The second time everybody else is kept out, so
/// it is the last.
const ATTEMPTS_MAX: usize = 2;

/// Points a branch or a pull request at a commit without a past that has the files of its last one.
/// The old commits stay under their ids.
pub(crate) async fn squash_head(
    registry: &Registry,
    repository: &Repository,
    target: &Head,
    author: &Account,
    authority: &WriteAuthority,
    title: &str,
) -> Result<Commit, WriteError> {
    let database = registry.database();
    let reference = target.reference();
    let mut turn: Option<WriteTransaction> = None;
    for _ in 0..ATTEMPTS_MAX {
        let Some(head) = head_commit(database, repository, &reference).await? else {
            return Err(WriteError::NoSuchBranch);
        };
        let everything = ListingRange {
            depth: Depth::All,
            after: None,
            limit: usize::MAX,
            blobs: Blobs::LeftOut,
        };
        let entries = list_directory(database, &repository.id, &head, "", everything).await?;
        let entries = entries.unwrap_or_default();
        let (commit, data) = first_commit(author, &head, title)?;
        let mut writing = match turn.take() {
            Some(writing) => writing,
            None => database.write_as(authority, &repository.id).await?.0,
        };
        if !writing
            .advance_reference(&repository.id, &reference, &head.oid, &commit.oid)
            .await?
        {
            turn = Some(writing);
            continue;
        }
        writing
            .insert_commit(&repository.id, &commit, &data)
            .await?;
        let paths = entries.iter().map(|entry| entry.path.as_str());
        writing
            .insert_changes(&repository.id, &commit, paths)
            .await?;
        writing
            .touch_repository(&repository.id, commit.written_ms)
            .await?;
        writing.commit().await?;
        return Ok(commit);
    }
    Err(WriteError::Busy)
}

fn first_commit(
    author: &Account,
    head: &Commit,
    title: &str,
) -> Result<(Commit, Vec<u8>), RegistryError> {
    let seconds = clock::now_ms() / 1_000;
    let draft = CommitDraft {
        tree: head.tree,
        parent: None,
        author: &author.name,
        email: &author.commit_email(),
        seconds,
        title,
        message: "",
    };
    let (oid, data) = encode_commit(&draft)?;
    let commit = Commit {
        oid,
        tree: head.tree,
        parent: None,
        generation: 1,
        title: title.to_owned(),
        message: String::new(),
        author: author.name.clone(),
        written_ms: seconds * 1_000,
    };
    Ok((commit, data))
}
