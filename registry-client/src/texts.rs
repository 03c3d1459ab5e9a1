//! Commits small texts to the default branch of a repo, which must not have moved meanwhile.

use bytes::Bytes;
use hf_hub::repository::{CommitInfo, CommitOperation};
use tokio::time::timeout;
use tool_hub_manifest::{CommitId, RepoId};

use crate::error::{Act, ClientError};
use crate::refs::DEFAULT_BRANCH;
use crate::refusal;
use crate::registry::Registry;

/// Makes one commit of files by their names. `head` is what the branch has to be at.
pub(crate) async fn commit(
    registry: &Registry,
    repo: &RepoId,
    texts: &[(&'static str, String)],
    message: String,
    head: Option<&CommitId>,
) -> Result<CommitId, ClientError> {
    let operations = texts.iter().map(|(name, text)| {
        CommitOperation::add_bytes(*name, Bytes::copy_from_slice(text.as_bytes()))
    });
    commit_operations(registry, repo, operations.collect(), message, head).await
}

/// Makes one commit of `operations`.
pub(crate) async fn commit_operations(
    registry: &Registry,
    repo: &RepoId,
    operations: Vec<CommitOperation>,
    message: String,
    head: Option<&CommitId>,
) -> Result<CommitId, ClientError> {
    let act = Act::Commit(repo.clone());
    let (kind, owner, name) = (registry.wire.kind(), repo.owner(), repo.name());
    let hub = registry.hub.client().repository(kind, owner, name);
    let commit = hub
        .create_commit()
        .operations(operations)
        .commit_message(message)
        .revision(DEFAULT_BRANCH)
        .maybe_parent_commit(head.map(CommitId::as_str))
        .send();
    let limit = registry.wire.timeouts().transfer;
    let answered: CommitInfo = timeout(limit, commit)
        .await
        .map_err(|_| registry.wire.timed_out(&act, limit))?
        .map_err(|error| registry.hub.failed(&act, error))?;
    refusal::commit(&act, answered.commit_oid.as_deref().unwrap_or_default())
}
