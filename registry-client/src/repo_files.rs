//! Downloads files of a commit by their paths, and commits files, whatever their names.

use std::borrow::Cow;

use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use hf_hub::repository::CommitOperation;
use tool_hub_manifest::{CommitId, RepoId};

use crate::error::{Act, ClientError, excerpt};
use crate::registry::Registry;
use crate::resolved::Resolved;
use crate::texts;

/// The downloads that are under way at a time.
const AT_ONCE_MAX: usize = 8;

/// A file that may be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedFile {
    /// The path in the repo.
    pub path: String,
    /// The most bytes that it may have.
    pub bytes_max: u64,
}

impl WantedFile {
    /// A file with this path and at most so many bytes.
    pub fn new(path: impl Into<String>, bytes_max: u64) -> Self {
        Self {
            path: path.into(),
            bytes_max,
        }
    }
}

/// Changes of a repo that are one commit.
#[derive(Debug)]
pub struct FilesCommit {
    /// The repo.
    pub repo: RepoId,
    /// The commit that the branch `main` has to be at.
    pub parent: Option<CommitId>,
    /// Paths and contents of files that are added or replaced.
    pub added: Vec<(String, Vec<u8>)>,
    /// Paths of files that are removed.
    pub removed: Vec<String>,
    /// The first line of the commit.
    pub message: String,
}

/// The contents of the wanted files at a commit, in their order; none where there is no such file.
pub(crate) async fn download(
    registry: &Registry,
    at: &Resolved,
    wanted: Vec<WantedFile>,
) -> Result<Vec<Option<Vec<u8>>>, ClientError> {
    let files = wanted.into_iter().map(|file| one(registry, at, file));
    stream::iter(files)
        .buffered(AT_ONCE_MAX)
        .try_collect()
        .await
}

async fn one(
    registry: &Registry,
    at: &Resolved,
    file: WantedFile,
) -> Result<Option<Vec<u8>>, ClientError> {
    let act = Act::Download(at.repo.clone(), Cow::Owned(excerpt(&file.path)));
    let place = ["resolve", at.commit.as_str()];
    let place: Vec<&str> = place.into_iter().chain(file.path.split('/')).collect();
    let url = registry.wire.page_of(&at.repo, &place);
    let response = match registry.wire.download(&act, url).await {
        Err(ClientError::Refused { answer, .. }) if answer.status == 404 => return Ok(None),
        response => response?,
    };
    let content = registry.wire.body(&act, response, file.bytes_max, |_| ());
    content.await.map(Some)
}

/// Makes one commit, unless the branch has moved on.
pub(crate) async fn commit(
    registry: &Registry,
    commit: FilesCommit,
) -> Result<CommitId, ClientError> {
    registry.need_token(&Act::Commit(commit.repo.clone()))?;
    let added = commit.added.into_iter();
    let added = added.map(|(path, content)| CommitOperation::add_bytes(path, Bytes::from(content)));
    let removed = commit.removed.into_iter().map(CommitOperation::delete);
    texts::commit_operations(
        registry,
        &commit.repo,
        added.chain(removed).collect(),
        commit.message,
        commit.parent.as_ref(),
    )
    .await
}
