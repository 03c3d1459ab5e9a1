//! Opening a pull request: a commit on top of another one, under a reference of its own.

use super::write::{Proposal, WriteRefusal, prepare, store};
use crate::clock;
use crate::database::accounts::Account;
use crate::database::commits::Commit;
use crate::database::pull_requests::NewPullRequest;
use crate::database::references::Reference;
use crate::database::repositories::Repository;
use crate::error::RegistryError;
use crate::names::Head;
use crate::registry::Registry;

/// A pull request that was opened, with its one commit.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) number: u32,
    pub(crate) commit: Commit,
}

/// Puts a commit on top of `base` and opens a pull request with it. When this returns one, metadata and content are durable.
pub(crate) async fn open_pull_request(
    registry: &Registry,
    repository: &Repository,
    base: &Commit,
    author: &Account,
    proposal: &Proposal,
) -> Result<Result<Opened, WriteRefusal>, RegistryError> {
    let database = registry.database();
    let prepared = match prepare(database, repository, base, author, proposal).await? {
        Ok(prepared) => prepared,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let request = NewPullRequest {
        title: &proposal.title,
        author: &author.name,
        created_ms: clock::now_ms(),
    };
    let mut writing = database.write_to(&repository.id).await?;
    let number = writing.insert_pull_request(&repository.id, request).await?;
    let reference = Reference {
        name: Head::PullRequest(number).reference(),
        commit: prepared.commit.oid.clone(),
    };
    if !writing
        .insert_reference(&repository.id, &reference, None, request.created_ms)
        .await?
    {
        return Err(RegistryError::Damaged(format!(
            "{} exists without its pull request",
            reference.name
        )));
    }
    if let Some(refusal) = store(registry, &mut writing, repository, &prepared, proposal).await? {
        return Ok(Err(refusal));
    }
    writing.commit().await?;
    Ok(Ok(Opened {
        number,
        commit: prepared.commit,
    }))
}
