//! Reads and writes small texts in data sets: repos of a registry that are no tools.
//! Prompt templates are kept in them.

use hf_hub::repository::RepoTypeAny;
use tool_hub_manifest::{CommitId, RepoId, Revision, ToolRef};
use url::Url;

use crate::config::ClientConfig;
use crate::error::{Act, ClientError};
use crate::files::{self, ListedFile};
use crate::json_files::{self, JsonFile, JsonFileLimits};
use crate::progress::Silent;
use crate::refs::{self, DEFAULT_BRANCH};
use crate::registry::Registry;
use crate::repo_files::{self, FilesCommit, WantedFile};
use crate::resolve;
use crate::resolved::Resolved;
use crate::visibility::Visibility;
use crate::{download, repo, texts};

/// The data sets of one registry.
#[derive(Debug)]
pub struct Datasets {
    registry: Registry,
}

/// Texts to push, and where.
#[derive(Debug)]
pub struct PushTexts<'a> {
    /// The repo; it is created when it is not there.
    pub repo: RepoId,
    /// The files' names and what they hold. Other files of the repo stay as they are.
    pub texts: &'a [(&'static str, String)],
    /// The visibility of a new repo.
    pub visibility: Visibility,
    /// The first line of the commit.
    pub message: String,
}

/// The results of a push of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PushTextsReport {
    /// The commit that holds them.
    pub commit: CommitId,
    /// The page on which people find them.
    pub url: Url,
    /// True if they were there already, so that nothing was committed.
    pub already_there: bool,
}

impl Datasets {
    /// Builds a client. No connection is made yet.
    ///
    /// # Errors
    /// The errors of [`Client::new`](crate::Client::new).
    pub fn new(config: ClientConfig) -> Result<Self, ClientError> {
        let registry = Registry::new(RepoTypeAny::Dataset, &config)?;
        Ok(Self { registry })
    }

    /// Finds the commit that `reference` means. A data set that is named without a revision is
    /// taken as its default branch has it, whatever versions it was tagged with.
    ///
    /// # Errors
    /// The errors of [`Client::resolve`](crate::Client::resolve).
    pub async fn resolve(&self, reference: &ToolRef) -> Result<Resolved, ClientError> {
        let revision = match &reference.revision {
            Revision::Newest => Revision::Branch(DEFAULT_BRANCH.to_owned()),
            other => other.clone(),
        };
        let repo = reference.repo.clone();
        resolve::resolve_plainly(&self.registry, &ToolRef { repo, revision }).await
    }

    /// Those of `names` that are there at a commit, each with its text.
    ///
    /// # Errors
    /// The errors of [`Client::texts`](crate::Client::texts).
    pub async fn texts(
        &self,
        at: &Resolved,
        names: &[&'static str],
        bytes_max: u64,
    ) -> Result<Vec<(&'static str, String)>, ClientError> {
        download::texts(&self.registry, at, names, bytes_max).await
    }

    /// The files at a commit whose names end in `.json`, in whatever directory.
    ///
    /// # Errors
    /// [`ClientError::TooLarge`] beyond `limits`, and as every question.
    pub async fn json_files(
        &self,
        at: &Resolved,
        limits: JsonFileLimits,
    ) -> Result<Vec<JsonFile>, ClientError> {
        json_files::read(&self.registry, at, limits).await
    }

    /// The contents of files at a commit, in their order, by whatever path; none where there is no
    /// such file.
    ///
    /// # Errors
    /// [`ClientError::TooLarge`] where one has more bytes than it may, and as every download.
    pub async fn files(
        &self,
        at: &Resolved,
        wanted: Vec<WantedFile>,
    ) -> Result<Vec<Option<Vec<u8>>>, ClientError> {
        repo_files::download(&self.registry, at, wanted).await
    }

    /// Creates a data set that everybody may read, unless it is there.
    ///
    /// # Errors
    /// [`ClientError::TokenMissing`], [`ClientError::RepoMoved`], and as every question.
    pub async fn ensure(&self, repo: &RepoId) -> Result<(), ClientError> {
        self.registry.need_token(&Act::Create(repo.clone()))?;
        repo::ensure(&self.registry, repo, Visibility::Public).await?;
        Ok(())
    }

    /// Makes one commit on the branch `main`, which has to be at its parent.
    ///
    /// # Errors
    /// [`ClientError::TokenMissing`], [`ClientError::Conflict`] when somebody else pushed
    /// meanwhile, and as every question.
    pub async fn commit(&self, commit: FilesCommit) -> Result<CommitId, ClientError> {
        repo_files::commit(&self.registry, commit).await
    }

    /// Pushes texts: creates the repo when it is not there, and makes one commit on the branch
    /// `main`, unless its head holds them already. The commit is made only while the branch is
    /// where this push found it.
    ///
    /// # Errors
    /// [`ClientError::TokenMissing`], [`ClientError::VisibilityDiffers`],
    /// [`ClientError::Conflict`] when somebody else pushed meanwhile, and as every question.
    pub async fn push(&self, push: &PushTexts<'_>) -> Result<PushTextsReport, ClientError> {
        self.registry.need_token(&Act::Commit(push.repo.clone()))?;
        repo::ensure(&self.registry, &push.repo, push.visibility).await?;
        let refs = refs::list(&self.registry, &push.repo).await?;
        let head = refs.head(&Act::ListVersions(push.repo.clone()))?;
        let pushed = |commit, already_there| PushTextsReport {
            commit,
            url: self.registry.wire.page_of(&push.repo, &[]),
            already_there,
        };
        if let Some(head) = &head
            && self.holds(push, head).await?
        {
            return Ok(pushed(head.clone(), true));
        }
        let commit = texts::commit(
            &self.registry,
            &push.repo,
            push.texts,
            push.message.clone(),
            head.as_ref(),
        );
        let commit = commit.await?;
        Ok(pushed(commit, false))
    }

    async fn holds(&self, push: &PushTexts<'_>, commit: &CommitId) -> Result<bool, ClientError> {
        let at = Resolved::new(&push.repo, commit.clone(), None);
        let names: Vec<&str> = push.texts.iter().map(|(name, _)| *name).collect();
        let listed = files::list(&self.registry, &at, &names).await?;
        for (name, text) in push.texts {
            let same = |file: &&_| is_like(file, name, text);
            let Some(file) = listed.iter().find(same) else {
                return Ok(false);
            };
            let content = download::file(&self.registry, &at, file, file.bytes, &Silent).await?;
            if content != text.as_bytes() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn is_like(file: &ListedFile, name: &str, text: &str) -> bool {
    file.name == name && file.bytes == text.len() as u64
}
