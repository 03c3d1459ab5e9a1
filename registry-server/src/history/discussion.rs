//! Opens discussions and pull requests.
//! Each pull request has a reference of its own, on which its commits are.

use super::proposal::Proposal;
use super::write::{WriteError, prepare, store};
use crate::clock;
use crate::database::WriteTransaction;
use crate::database::accounts::Account;
use crate::database::commits::Commit;
use crate::database::discussions::{DiscussionKind, NewDiscussion};
use crate::database::references::Reference;
use crate::database::repositories::Repository;
use crate::database::write_authority::WriteAuthority;
use crate::error::RegistryError;
use crate::names::Head;
use crate::registry::Registry;

/// A pull request that was opened, with its one commit.
#[derive(Debug)]
pub(crate) struct OpenedPullRequest {
    pub(crate) number: u32,
    pub(crate) commit: Commit,
}

/// The texts and the author of a new discussion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Topic<'a> {
    pub(crate) title: &'a str,
    pub(crate) description: &'a str,
    pub(crate) author: &'a Account,
}

/// Puts a commit on top of `base` and opens a pull request with it. When this returns one, metadata
/// and content are durable.
pub(crate) async fn open_pull_request(
    registry: &Registry,
    repository: &Repository,
    base: &Commit,
    author: &Account,
    authority: &WriteAuthority,
    proposal: &mut Proposal,
) -> Result<OpenedPullRequest, WriteError> {
    let database = registry.database();
    let prepared = prepare(database, repository, base, author, proposal).await?;
    proposal.keep(registry, repository).await?;
    let (mut writing, current) = database.write_as(authority, &repository.id).await?;
    let topic = Topic {
        title: &proposal.title,
        description: &proposal.message,
        author,
    };
    let request = NewDiscussion {
        base: Some(base.oid),
        ..new(topic, DiscussionKind::PullRequest, "open")
    };
    let number = insert(&mut writing, &current, request, &prepared.commit).await?;
    store(registry, &mut writing, &current, &prepared, proposal).await?;
    writing.commit().await?;
    Ok(OpenedPullRequest {
        number,
        commit: prepared.commit,
    })
}

/// Opens a pull request that has no commits yet; they come to its reference one by one.
pub(crate) async fn open_draft(
    registry: &Registry,
    repository: &Repository,
    authority: &WriteAuthority,
    base: &Commit,
    topic: Topic<'_>,
) -> Result<u32, RegistryError> {
    let database = registry.database();
    let (mut writing, _) = database.write_as(authority, &repository.id).await?;
    let request = NewDiscussion {
        base: Some(base.oid),
        ..new(topic, DiscussionKind::PullRequest, "draft")
    };
    let number = insert(&mut writing, repository, request, base).await?;
    writing.commit().await?;
    Ok(number)
}

/// Opens a discussion about nothing in the repository's history.
pub(crate) async fn open_discussion(
    registry: &Registry,
    repository: &Repository,
    authority: &WriteAuthority,
    topic: Topic<'_>,
) -> Result<u32, RegistryError> {
    let database = registry.database();
    let (mut writing, _) = database.write_as(authority, &repository.id).await?;
    let discussion = new(topic, DiscussionKind::Talk, "open");
    let number = writing
        .insert_discussion(&repository.id, discussion)
        .await?;
    writing.commit().await?;
    Ok(number)
}

fn new<'a>(topic: Topic<'a>, kind: DiscussionKind, status: &'a str) -> NewDiscussion<'a> {
    NewDiscussion {
        kind,
        status,
        title: topic.title,
        description: topic.description,
        author: &topic.author.name,
        base: None,
        created_ms: clock::now_ms(),
    }
}

async fn insert(
    writing: &mut WriteTransaction,
    repository: &Repository,
    request: NewDiscussion<'_>,
    head: &Commit,
) -> Result<u32, RegistryError> {
    let number = writing.insert_discussion(&repository.id, request).await?;
    let reference = Reference {
        name: Head::PullRequest(number).reference(),
        commit: head.oid,
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
    Ok(number)
}
