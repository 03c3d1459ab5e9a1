//! The `Client`: a method for each operation on a registry; other files carry them out.
//! Operations are search, resolve, pull, push and others.

use hf_hub::repository::RepoTypeAny;
use tool_hub_manifest::{
    Pin, Releases, RepoId, Revision, ToolRef, Verified, Version, package_file,
};
use tool_hub_transparency::TilePath;
use url::Url;

use crate::config::ClientConfig;
use crate::dataset_log::{DatasetLog, LogReader};
use crate::date;
use crate::download;
use crate::error::ClientError;
use crate::identity::{self, Identity};
use crate::identity_token::IdentityToken;
use crate::limits::CARD_BYTES_MAX;
use crate::log::{self, LogState, VersionRecords};
use crate::progress::Progress;
use crate::pull;
use crate::push::rehearsal::{self, Rehearsal};
use crate::push::{self, Push, PushReport};
use crate::refs::{self, TaggedVersion};
use crate::registry::Registry;
use crate::releases::{self, ReleasesReport};
use crate::resolve::{self, RepoVersions};
use crate::resolved::Resolved;
use crate::search::{self, SearchResults};
use crate::signature_files::{self, SignatureFiles};
use crate::store::Store;
use crate::trusted_publishing::{
    self, NewPublisher, PublishToken, Publisher, Publishers, VersionSource,
};
use crate::version_choice::AllowedYanks;

/// Speaks to one registry as one user, or anonymously. Connections are kept and reused.
///
/// All methods are cancel safe: when their future is dropped, nothing half-done stays in the
/// store. A push that is dropped may have committed; pushing again finds out.
#[derive(Debug)]
pub struct Client {
    registry: Registry,
    /// The data set that is asked in place of the registry's own log.
    log: Option<LogReader>,
}

impl Client {
    /// Builds a client. No connection is made yet.
    ///
    /// # Errors
    /// [`ClientError::Endpoint`] when the endpoint is no plain http or https URL,
    /// [`ClientError::Setup`] when the proxy, the user agent or the TLS set-up is unusable.
    pub fn new(config: ClientConfig) -> Result<Self, ClientError> {
        // To the Hub a tool is a model.
        let registry = Registry::new(RepoTypeAny::Model, &config)?;
        Ok(Self {
            registry,
            log: None,
        })
    }

    /// The same, with a data set that is asked in place of the registry's own log.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new), for the registry that has the data set.
    pub fn with_log(mut self, log: &DatasetLog) -> Result<Self, ClientError> {
        self.log = Some(LogReader::new(log)?);
        Ok(self)
    }

    /// The URL of the registry that is meant, also where a mirror of it is asked.
    pub fn endpoint(&self) -> &Url {
        self.registry.endpoint()
    }

    /// Asks who the token belongs to.
    ///
    /// # Errors
    /// [`ClientError::TokenMissing`] without a token, [`ClientError::TokenRefused`] when the
    /// registry does not accept it, and as every question.
    pub async fn whoami(&self) -> Result<Identity, ClientError> {
        identity::whoami(&self.registry).await
    }

    /// Finds tools whose repo's name, manifest or card holds `query`; an empty query finds all. At
    /// most `limit` results, and never more than
    /// [`SEARCH_RESULTS_MAX`](crate::SEARCH_RESULTS_MAX), in the registry's order. Repos whose ids
    /// cannot be tool references are left out.
    ///
    /// A request brings up to 100 results, and one is under way at a time. Nothing is downloaded. A
    /// registry that does not know what a tool is refuses the first request and is asked once more,
    /// for what every registry can list.
    ///
    /// # Errors
    /// The errors of every request.
    pub async fn search(&self, query: &str, limit: usize) -> Result<SearchResults, ClientError> {
        search::search(&self.registry, query, limit).await
    }

    /// Finds the commit that `reference` means right now. Where the newest version is asked
    /// for and there is none, it is the head of the default branch.
    ///
    /// # Errors
    /// [`ClientError::RepoNotFound`], [`ClientError::RepoMoved`] when the repo has another name
    /// today, [`ClientError::VersionNotFound`] with the versions there are,
    /// [`ClientError::RevisionNotFound`], [`ClientError::VersionYanked`] when every version that is
    /// meant is yanked, [`ClientError::ReleasesUnreadable`], and as every question.
    pub async fn resolve(&self, reference: &ToolRef) -> Result<Resolved, ClientError> {
        let versions = self.versions_of(&reference.repo).await?;
        let allowed = AllowedYanks::None;
        self.resolve_among(&versions, &reference.revision, &allowed, &[])
            .await
    }

    /// The branches, tags and releases of a tool's repo, to resolve several revisions among.
    ///
    /// # Errors
    /// [`ClientError::RepoNotFound`], [`ClientError::ReleasesUnreadable`], and as every question.
    pub async fn versions_of(&self, repo: &RepoId) -> Result<RepoVersions, ClientError> {
        RepoVersions::read(&self.registry, repo).await
    }

    /// Finds the commit that `revision` means among `versions`, with the yanked ones that are
    /// `allowed`, as if those of `except` were not there.
    ///
    /// # Errors
    /// [`ClientError::NoOtherVersion`] where all that are meant are among them, and the errors of
    /// [`resolve`](Self::resolve).
    pub async fn resolve_among(
        &self,
        versions: &RepoVersions,
        revision: &Revision,
        allowed: &AllowedYanks,
        except: &[Version],
    ) -> Result<Resolved, ClientError> {
        versions
            .resolve(&self.registry, revision, allowed, except)
            .await
    }

    /// Finds the commit that `reference` means in a repo that is no tool, such as a model's: it is
    /// not asked for a `releases.toml`.
    ///
    /// # Errors
    /// The errors of [`resolve`](Self::resolve), but for those that speak of yanked versions and
    /// of `releases.toml`.
    pub async fn resolve_plainly(&self, reference: &ToolRef) -> Result<Resolved, ClientError> {
        resolve::resolve_plainly(&self.registry, reference).await
    }

    /// The `releases.toml` of a tool: its yanked versions, and whether it is deprecated.
    ///
    /// # Errors
    /// [`ClientError::RepoNotFound`], [`ClientError::ReleasesUnreadable`], and as every question.
    pub async fn releases(&self, repo: &RepoId) -> Result<Releases, ClientError> {
        let refs = refs::list(&self.registry, repo).await?;
        releases::read(&self.registry, repo, &refs).await
    }

    /// The records of a version in the registry's log, and the proof for whoever has seen `older`
    /// records of it. None from a registry that keeps no log. Nothing of it is checked. Where a
    /// data set is the log, it is asked instead.
    ///
    /// # Errors
    /// [`ClientError::DatasetLog`], and the errors of every question.
    pub async fn log_records(
        &self,
        repo: &RepoId,
        version: &Version,
        older: u64,
    ) -> Result<Option<VersionRecords>, ClientError> {
        match &self.log {
            Some(log) => log.records(repo, version, older).await.map(Some),
            None => log::records(&self.registry, repo, version, older).await,
        }
    }

    /// A new state of the registry's log, for whoever has seen `older` records of it. None from a
    /// registry that keeps no log. Nothing of it is checked. Where a data set is the log, it is
    /// asked instead.
    ///
    /// # Errors
    /// [`ClientError::DatasetLog`], and the errors of every question.
    pub async fn log_state(&self, older: u64) -> Result<Option<LogState>, ClientError> {
        match &self.log {
            Some(log) => log.state().await.map(Some),
            None => log::state(&self.registry, older).await,
        }
    }

    /// A bundle of the records of the log, as it was in `state`. Nothing of it is checked.
    ///
    /// # Errors
    /// The errors of [`log_state`](Self::log_state).
    pub async fn log_bundle(
        &self,
        state: &LogState,
        path: TilePath,
    ) -> Result<Vec<u8>, ClientError> {
        match (&self.log, &state.place) {
            (Some(log), Some(at)) => log.bundle(at, path).await,
            _ => log::bundle(&self.registry, path).await,
        }
    }

    /// Changes the `releases.toml` of a tool by one commit with the first line
    /// `message` to the branch `main`.
    ///
    /// # Errors
    /// [`ClientError::TokenMissing`], [`ClientError::Conflict`] when somebody else committed
    /// meanwhile, and as [`releases`](Self::releases).
    pub async fn change_releases(
        &self,
        repo: &RepoId,
        message: String,
        change: impl FnOnce(&mut Releases),
    ) -> Result<ReleasesReport, ClientError> {
        releases::change(&self.registry, repo, message, change).await
    }

    /// The versions of a tool, newest first.
    ///
    /// # Errors
    /// [`ClientError::RepoNotFound`], and as every question.
    pub async fn versions(&self, repo: &RepoId) -> Result<Vec<TaggedVersion>, ClientError> {
        refs::versions(&self.registry, repo).await
    }

    /// The day on which a commit was made, as `2026-01-31`; none where the registry does not tell.
    ///
    /// # Errors
    /// The errors of every request.
    pub async fn day_of(&self, commit: &Resolved) -> Result<Option<String>, ClientError> {
        date::day_of(&self.registry, commit).await
    }

    /// Downloads the tool at a commit, verifies it against its own manifest and keeps it in
    /// `store`. Pulled bytes are inert: pulling is also how a tool is looked at before
    /// anybody approves it. A component that the store has is not downloaded again; of such a
    /// file `progress` hears nothing.
    ///
    /// Only the manifest and the component are kept, as only they are approved and run; the
    /// card is text about them ([`Client::card`]).
    ///
    /// # Errors
    /// [`ClientError::FileMissing`] when the commit is not a tool, [`ClientError::TooLarge`],
    /// [`ClientError::SizeMismatch`], [`ClientError::NotVerified`],
    /// [`ClientError::VersionMismatch`], [`ClientError::Stalled`],
    /// [`ClientError::Store`], and as every question. Nothing is kept then.
    pub async fn pull(
        &self,
        at: &Resolved,
        store: &Store,
        progress: &dyn Progress,
    ) -> Result<Verified, ClientError> {
        pull::pull(&self.registry, at, None, store, progress).await
    }

    /// Does the same as [`Client::pull`], but accepts nothing but the bytes that were pinned for
    /// this commit. What the store has is taken without asking the registry at all.
    ///
    /// # Errors
    /// [`ClientError::PinMismatch`] when the registry has other bytes for the commit, and as
    /// [`Client::pull`].
    pub async fn pull_pinned(
        &self,
        at: &Resolved,
        pin: &Pin,
        store: &Store,
        progress: &dyn Progress,
    ) -> Result<Verified, ClientError> {
        pull::pull(&self.registry, at, Some(pin), store, progress).await
    }

    /// The signature of the tool at a commit, with the files that it covers and
    /// [`pull`](Self::pull) leaves out; `None` if it is not signed. Nothing of it is verified.
    ///
    /// # Errors
    /// [`ClientError::TooLarge`] above [`SIGNATURE_BYTES_MAX`](crate::SIGNATURE_BYTES_MAX),
    /// [`SIGNER_BYTES_MAX`](crate::SIGNER_BYTES_MAX) or [`CARD_BYTES_MAX`], and as every download.
    pub async fn signature(&self, at: &Resolved) -> Result<Option<SignatureFiles>, ClientError> {
        signature_files::download(&self.registry, at).await
    }

    /// The tool's card (`README.md`) at a commit, as text for people: nothing vouches for it,
    /// and it must be escaped before it is shown. Bytes that are not UTF-8 are replaced.
    ///
    /// # Errors
    /// [`ClientError::TooLarge`] above [`CARD_BYTES_MAX`], and as every download.
    pub async fn card(&self, at: &Resolved) -> Result<Option<String>, ClientError> {
        let names = [package_file::CARD];
        let mut texts = self.texts(at, &names, CARD_BYTES_MAX).await?;
        Ok(texts.pop().map(|(_, text)| text))
    }

    /// Those of `names` that are there at a commit, each with its text: what a model's repository
    /// says of its chat template, say. Nothing vouches for them. Bytes that are not UTF-8 are
    /// replaced.
    ///
    /// # Errors
    /// [`ClientError::TooLarge`] where one has more than `bytes_max`, and as every download.
    pub async fn texts(
        &self,
        at: &Resolved,
        names: &[&'static str],
        bytes_max: u64,
    ) -> Result<Vec<(&'static str, String)>, ClientError> {
        download::texts(&self.registry, at, names, bytes_max).await
    }

    /// Pushes a tool: creates the repo when it is not there, makes one commit of manifest,
    /// component, card and signature on the branch `main`, and tags it `v<version>`. The signature
    /// of an earlier version is removed. Other files of the repo stay as they are.
    ///
    /// The commit is a compare-and-swap: it is made only while the branch is where this push
    /// found it. Uploads go through `hf-hub`, by Xet where the registry asks for it; that
    /// part follows `hf-xet`'s own settings.
    ///
    /// # Errors
    /// [`ClientError::TokenMissing`], [`ClientError::VersionExists`] when the version was
    /// pushed with other content, [`ClientError::VisibilityDiffers`],
    /// [`ClientError::Conflict`] when somebody else pushed meanwhile,
    /// [`ClientError::TagFailed`] when the commit was made and its tag was not (push again),
    /// [`ClientError::TooLarge`], and as every question.
    pub async fn push(
        &self,
        push: &Push<'_>,
        progress: &dyn Progress,
    ) -> Result<PushReport, ClientError> {
        push::push(&self.registry, push, progress).await
    }

    /// Asks the registry what [`push`](Self::push) would find, and changes nothing. It takes no
    /// token where the repo is public, and does not tell whether the token may write.
    ///
    /// # Errors
    /// [`ClientError::VersionExists`] when the version was pushed with other content,
    /// [`ClientError::VisibilityDiffers`], [`ClientError::TooLarge`], and as every question.
    pub async fn rehearse(&self, push: &Push<'_>) -> Result<Rehearsal, ClientError> {
        rehearsal::rehearse(&self.registry, push).await
    }

    /// The trusted publishers of a repo.
    ///
    /// # Errors
    /// [`ClientError::TokenMissing`], [`ClientError::Forbidden`] for whoever may not manage the
    /// repo, and as every question.
    pub async fn publishers(&self, repo: &RepoId) -> Result<Publishers, ClientError> {
        trusted_publishing::publishers(&self.registry, repo).await
    }

    /// Lets a workflow of a build service publish to a repo.
    ///
    /// # Errors
    /// [`ClientError::Refused`] where the registry does not trust the issuer, or has the publisher
    /// already, and as [`publishers`](Self::publishers).
    pub async fn add_publisher(
        &self,
        repo: &RepoId,
        publisher: &NewPublisher,
    ) -> Result<Publisher, ClientError> {
        trusted_publishing::add(&self.registry, repo, publisher).await
    }

    /// Removes the publisher with this id, and ends its tokens.
    ///
    /// # Errors
    /// The errors of [`publishers`](Self::publishers).
    pub async fn remove_publisher(&self, repo: &RepoId, id: &str) -> Result<(), ClientError> {
        trusted_publishing::remove(&self.registry, repo, id).await
    }

    /// Decides who may publish versions of a repo.
    ///
    /// # Errors
    /// [`ClientError::Refused`] where there is no publisher, and as
    /// [`publishers`](Self::publishers).
    pub async fn take_versions_from(
        &self,
        repo: &RepoId,
        source: VersionSource,
    ) -> Result<(), ClientError> {
        trusted_publishing::take_versions_from(&self.registry, repo, source).await
    }

    /// Asks GitHub for the identity token of this job, for an audience. `url` and
    /// `bearer` are what the job finds in its environment.
    ///
    /// # Errors
    /// [`ClientError::Unreachable`], [`ClientError::Refused`] and [`ClientError::Nonsense`].
    pub async fn github_identity(
        &self,
        url: &Url,
        bearer: &IdentityToken,
        audience: &str,
    ) -> Result<IdentityToken, ClientError> {
        trusted_publishing::github_identity(&self.registry, url, bearer, audience).await
    }

    /// Exchanges the identity token of a job for a token that publishes to one repo.
    ///
    /// # Errors
    /// [`ClientError::Forbidden`] where the registry refuses it, with the reason, and as every
    /// question.
    pub async fn exchange_identity(
        &self,
        repo: &RepoId,
        token: &IdentityToken,
    ) -> Result<PublishToken, ClientError> {
        trusted_publishing::exchange(&self.registry, repo, token).await
    }

    /// Ends the client's own token, which was made by an exchange.
    ///
    /// # Errors
    /// [`ClientError::Forbidden`] for any other token, and as every question.
    pub async fn end_publish_token(&self) -> Result<(), ClientError> {
        trusted_publishing::end(&self.registry).await
    }
}
