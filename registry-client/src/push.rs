//! Pushes a verified tool as one commit and one tag, unless the version is there already.

pub(crate) mod rehearsal;
mod upload;

use std::collections::HashMap;

use bytes::Bytes;
use hf_hub::repository::{CommitInfo, CommitOperation};
use semver::Version;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tool_hub_manifest::{CommitId, Digest, RepoId, Verified, package_file};
use url::Url;

use crate::error::{Act, ClientError};
use crate::files::{self, ListedFile};
use crate::limits::{
    ATTESTATIONS_BYTES_MAX, CARD_BYTES_MAX, COMPONENT_BYTES_MAX, MANIFEST_BYTES_MAX,
    SBOM_BYTES_MAX, SIGNATURE_BYTES_MAX, SIGNER_BYTES_MAX,
};
use crate::progress::{Progress, Silent};
use crate::refs::{self, DEFAULT_BRANCH, TaggedVersion, tag_of};
use crate::registry::Registry;
use crate::resolved::Resolved;
use crate::signature_files::SignatureFiles;
use crate::visibility::Visibility;
use crate::{download, refusal, repo};

use upload::{Component, InterpreterBytes, Watcher, forward};

/// The files of a package that its manifest does not pin.
const SIDE_FILES: [&str; 5] = [
    package_file::CARD,
    package_file::SIGNATURE,
    package_file::SIGNER,
    package_file::ROTATION,
    package_file::ATTESTATIONS,
];

/// The parameters of a push.
#[derive(Debug)]
pub struct Push<'a> {
    /// The repo; it is created when it is not there.
    pub repo: RepoId,
    /// The tool. Its manifest names the version.
    pub package: &'a Verified,
    /// The card, `README.md`, at most [`CARD_BYTES_MAX`] bytes.
    pub card: &'a [u8],
    /// The signature over all of it and the attestations, where there are any. Their card is not
    /// looked at.
    pub signature: Option<&'a SignatureFiles>,
    /// The visibility of a new repo.
    pub visibility: Visibility,
    /// The first line of the commit.
    pub message: String,
}

/// The results of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PushReport {
    /// The repo.
    pub repo: RepoId,
    /// The commit that holds the version.
    pub commit: CommitId,
    /// The page on which people find it.
    pub url: Url,
    /// The version.
    pub version: Version,
    /// True if the repo was made for it.
    pub repo_created: bool,
    /// True if the commit removed the signature of an earlier version, and this one has none.
    pub signature_lost: bool,
    /// True if another key signed the version before, and no key says that it is replaced.
    pub signer_changed: bool,
    /// True if it removed the attestations of an earlier version, and this one has none.
    pub attestations_lost: bool,
    /// The extent of the work.
    pub outcome: PushOutcome,
    /// The files of a version that was pushed before which are not those of this package, or which
    /// only one of the two has. They are not published.
    pub differing: Vec<&'static str>,
}

/// The extent of a push's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PushOutcome {
    /// The files were committed and the commit was tagged.
    Committed,
    /// The head of the repo held these very files, from a push that could not tag them; only
    /// the tag was made.
    TagAdded,
    /// This version was pushed before with the same manifest and component. Nothing changed,
    /// whatever [`PushReport::differing`] names.
    AlreadyPushed,
}

/// Makes one commit of manifest, component, card and signature, and tags it with the version.
pub(crate) async fn push(
    registry: &Registry,
    push: &Push<'_>,
    progress: &dyn Progress,
) -> Result<PushReport, ClientError> {
    let act = Act::Commit(push.repo.clone());
    registry.need_token(&act)?;
    push.check_sizes(&act)?;
    push.check_version()?;
    let version = push.package.manifest().version.clone();
    let ensured = repo::ensure(registry, &push.repo, push.visibility).await?;
    let refs = refs::list(registry, &push.repo).await?;
    let act = Act::ListVersions(push.repo.clone());
    let pushed = |commit, outcome| PushReport {
        repo: push.repo.clone(),
        commit,
        url: registry.wire.page_of(&push.repo, &[]),
        version: version.clone(),
        repo_created: ensured.created,
        signature_lost: false,
        signer_changed: false,
        attestations_lost: false,
        outcome,
        differing: Vec::new(),
    };
    let versions = refs.versions(&act)?;
    if let Some(existing) = versions.into_iter().find(|it| it.version == version) {
        let (commit, differing) = same_or_refused(registry, push, existing).await?;
        return Ok(PushReport {
            differing,
            ..pushed(commit, PushOutcome::AlreadyPushed)
        });
    }
    push.check_publishers_only(ensured.publishers_only)?;
    let head = refs.head(&act)?;
    let there = match &head {
        Some(head) => files::list(registry, &push.at(head), &package_file::ALL).await?,
        None => Vec::new(),
    };
    let stale = push.stale(&there);
    if let Some(head) = &head
        && stale.is_empty()
        && holds(registry, push, head, &there).await?
    {
        tag(registry, push, head).await?;
        return Ok(pushed(head.clone(), PushOutcome::TagAdded));
    }
    let signer_changed = match &head {
        Some(head) => is_signer_another(registry, push, head, &there).await?,
        None => false,
    };
    let commit = commit(registry, push, head.as_ref(), &stale, progress).await?;
    tag(registry, push, &commit).await?;
    Ok(PushReport {
        signer_changed,
        signature_lost: stale.contains(&package_file::SIGNATURE),
        attestations_lost: stale.contains(&package_file::ATTESTATIONS),
        ..pushed(commit, PushOutcome::Committed)
    })
}

/// A version that exists is fine when it is the same one: a push may be repeated. An equal
/// manifest names an equal component. No two signatures with a key on a NIST curve are equal, so
/// that there is one of the same key is enough. Returns the commit, and the files beside manifest
/// and component that differ.
async fn same_or_refused(
    registry: &Registry,
    push: &Push<'_>,
    existing: TaggedVersion,
) -> Result<(CommitId, Vec<&'static str>), ClientError> {
    let at = push.at(&existing.commit);
    let files = files::list(registry, &at, &package_file::ALL).await?;
    let is_there = async |name: &str, ours: &[u8], bytes_max| match listed(&files, name, ours) {
        Some(file) => {
            let theirs = download::file(registry, &at, file, bytes_max, &Silent).await?;
            Ok::<_, ClientError>(theirs == ours)
        }
        None => Ok(false),
    };
    let manifest = push.package.manifest_bytes();
    if !is_there(package_file::MANIFEST, manifest, MANIFEST_BYTES_MAX).await? {
        return Err(ClientError::VersionExists {
            repo: push.repo.clone(),
            version: existing.version,
            commit: existing.commit,
        });
    }
    let card = (package_file::CARD, push.card, CARD_BYTES_MAX);
    let ours: Vec<_> = push.signature_files().chain([card]).collect();
    let mut differing = Vec::new();
    for name in SIDE_FILES {
        let is_same = match ours.iter().find(|(ours, ..)| *ours == name) {
            Some((_, ours, bytes_max)) => is_there(name, ours, *bytes_max).await?,
            None => files.iter().all(|it| it.name != name),
        };
        if !is_same {
            differing.push(name);
        }
    }
    let signature = push.signature;
    let is_signed = files.iter().any(|it| it.name == package_file::SIGNATURE);
    let is_by_other = signature.is_some_and(|it| it.signer.is_some())
        && differing.contains(&package_file::SIGNER);
    if signature.is_some_and(|it| it.bundle.is_some()) && (!is_signed || is_by_other) {
        return Err(ClientError::VersionNotSigned {
            repo: push.repo.clone(),
            version: existing.version,
        });
    }
    if signature.is_some_and(|it| it.attestations.is_some())
        && differing.contains(&package_file::ATTESTATIONS)
    {
        return Err(ClientError::VersionNotAttested {
            repo: push.repo.clone(),
            version: existing.version,
        });
    }
    Ok((existing.commit, differing))
}

/// True if a commit holds exactly what would be pushed.
async fn holds(
    registry: &Registry,
    push: &Push<'_>,
    commit: &CommitId,
    files: &[ListedFile],
) -> Result<bool, ClientError> {
    let at = push.at(commit);
    let mut found = Vec::new();
    for (name, content, bytes_max) in push.files() {
        match listed(files, name, content) {
            Some(file) => found.push((file, content, bytes_max)),
            None => return Ok(false),
        }
    }
    for (file, content, bytes_max) in found {
        let actual = match file.digest {
            Some(digest) => digest,
            None => Digest::of(&download::file(registry, &at, file, bytes_max, &Silent).await?),
        };
        if actual != Digest::of(content) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// True if the package at `commit` is signed with another key than what is pushed. Certificates are
/// not compared: their names are not read here.
async fn is_signer_another(
    registry: &Registry,
    push: &Push<'_>,
    commit: &CommitId,
    there: &[ListedFile],
) -> Result<bool, ClientError> {
    let find = |name| there.iter().find(|file| file.name == name);
    let ours = push.signature.filter(|it| it.bundle.is_some());
    let Some(ours) = ours.filter(|_| find(package_file::SIGNATURE).is_some()) else {
        return Ok(false);
    };
    match (find(package_file::SIGNER), &ours.signer) {
        _ if ours.rotation.is_some() => Ok(false),
        (Some(before), Some(pem)) => {
            let at = push.at(commit);
            let before = download::file(registry, &at, before, SIGNER_BYTES_MAX, &Silent);
            Ok(before.await? != *pem)
        }
        (before, pem) => Ok(before.is_some() || pem.is_some()),
    }
}

async fn commit(
    registry: &Registry,
    push: &Push<'_>,
    head: Option<&CommitId>,
    stale: &[&'static str],
    progress: &dyn Progress,
) -> Result<CommitId, ClientError> {
    let act = Act::Commit(push.repo.clone());
    let repo = registry
        .hub
        .client()
        .model(push.repo.owner(), push.repo.name());
    let (watcher, mut events) = mpsc::unbounded_channel();
    let commit = repo
        .create_commit()
        .operations(push.operations(stale))
        .commit_message(push.message.clone())
        .revision(DEFAULT_BRANCH)
        .maybe_parent_commit(head.map(CommitId::as_str))
        .progress(Watcher(watcher))
        .send();
    for (name, content, _) in push.files() {
        progress.started(name, content.len() as u64);
    }
    let mut advanced = HashMap::new();
    let watched = async {
        tokio::pin!(commit);
        loop {
            tokio::select! {
                done = &mut commit => break done,
                Some(event) = events.recv() => forward(event, &mut advanced, progress),
            }
        }
    };
    let limit = registry.wire.timeouts().transfer;
    let answered: CommitInfo = timeout(limit, watched)
        .await
        .map_err(|_| registry.wire.timed_out(&act, limit))?
        .map_err(|error| match registry.hub.failed(&act, error) {
            ClientError::Conflict { repo, answer, .. } => ClientError::Conflict {
                repo,
                head: head.cloned(),
                answer,
            },
            error => error,
        })?;
    for (name, _, _) in push.files() {
        progress.finished(name);
    }
    refusal::commit(&act, answered.commit_oid.as_deref().unwrap_or_default())
}

async fn tag(registry: &Registry, push: &Push<'_>, commit: &CommitId) -> Result<(), ClientError> {
    let tag = tag_of(&push.package.manifest().version);
    let act = Act::Tag(push.repo.clone(), tag.clone());
    let limit = registry.wire.timeouts().answer;
    let repo = registry
        .hub
        .client()
        .model(push.repo.owner(), push.repo.name());
    let create = repo.create_tag().tag(&tag).revision(commit.as_str()).send();
    let tagged = match timeout(limit, create).await {
        Ok(tagged) => tagged.map_err(|error| registry.hub.failed(&act, error)),
        Err(_) => Err(registry.wire.timed_out(&act, limit)),
    };
    tagged.map_err(|source| ClientError::TagFailed {
        repo: push.repo.clone(),
        commit: commit.clone(),
        tag,
        source: Box::new(source),
    })
}

impl<'a> Push<'a> {
    /// Name, content and largest size of each file.
    fn files(&self) -> Vec<(&'static str, &'a [u8], u64)> {
        let package = self.package;
        let mut files = vec![
            (
                package_file::MANIFEST,
                package.manifest_bytes(),
                MANIFEST_BYTES_MAX,
            ),
            (
                package_file::COMPONENT,
                package.component(),
                COMPONENT_BYTES_MAX,
            ),
            (package_file::CARD, self.card, CARD_BYTES_MAX),
        ];
        if let Some(interpreter) = package.interpreter() {
            let (name, bytes) = (package_file::INTERPRETER, interpreter.component());
            files.push((name, bytes, COMPONENT_BYTES_MAX));
        }
        files.extend(self.sbom());
        files.extend(self.signature_files());
        files
    }

    fn check_sizes(&self, act: &Act) -> Result<(), ClientError> {
        for (_, content, bytes_max) in self.files() {
            if content.len() as u64 > bytes_max {
                return Err(ClientError::TooLarge {
                    act: act.clone(),
                    bytes_max,
                });
            }
        }
        Ok(())
    }

    /// Refuses a version with build metadata, which nobody would take.
    fn check_version(&self) -> Result<(), ClientError> {
        let version = &self.package.manifest().version;
        if version.build.is_empty() {
            return Ok(());
        }
        Err(ClientError::BuildMetadata {
            repo: self.repo.clone(),
            version: version.clone(),
        })
    }

    /// Refuses a repo that takes no versions by this token, before anything is committed to it.
    fn check_publishers_only(&self, publishers_only: bool) -> Result<(), ClientError> {
        match publishers_only {
            true => Err(ClientError::PublishersOnly {
                repo: self.repo.clone(),
            }),
            false => Ok(()),
        }
    }

    fn operations(&self, stale: &[&'static str]) -> Vec<CommitOperation> {
        let component = Bytes::from_owner(Component(self.package.clone()));
        let mut operations = vec![
            CommitOperation::add_bytes(
                package_file::MANIFEST,
                Bytes::copy_from_slice(self.package.manifest_bytes()),
            ),
            CommitOperation::add_bytes(package_file::COMPONENT, component),
            CommitOperation::add_bytes(package_file::CARD, Bytes::copy_from_slice(self.card)),
        ];
        if let Some(interpreter) = self.package.interpreter() {
            let bytes = Bytes::from_owner(InterpreterBytes(interpreter.clone()));
            operations.push(CommitOperation::add_bytes(package_file::INTERPRETER, bytes));
        }
        let small = self.sbom().into_iter().chain(self.signature_files());
        operations.extend(small.map(|(name, content, _)| {
            CommitOperation::add_bytes(name, Bytes::copy_from_slice(content))
        }));
        let stale = stale.iter().copied().map(CommitOperation::delete);
        operations.extend(stale);
        operations
    }

    /// Name, content and largest size of the bill of materials, where there is one.
    fn sbom(&self) -> Option<(&'static str, &'a [u8], u64)> {
        let sbom = self.package.sbom()?;
        Some((package_file::SBOM, sbom, SBOM_BYTES_MAX))
    }

    /// Name, content and largest size of each file of the signature and of the attestations.
    fn signature_files(&self) -> impl Iterator<Item = (&'static str, &'a [u8], u64)> {
        let files = self.signature.into_iter().flat_map(|files| {
            let (bundle, attestations) = (&files.bundle, &files.attestations);
            [
                (package_file::SIGNATURE, bundle, SIGNATURE_BYTES_MAX),
                (package_file::SIGNER, &files.signer, SIGNER_BYTES_MAX),
                (package_file::ROTATION, &files.rotation, SIGNATURE_BYTES_MAX),
                (
                    package_file::ATTESTATIONS,
                    attestations,
                    ATTESTATIONS_BYTES_MAX,
                ),
            ]
        });
        files.filter_map(|(name, content, bytes_max)| Some((name, content.as_deref()?, bytes_max)))
    }

    /// The files of an earlier version that this version has not, and that would pass for a wrong
    /// signature, or for a file that the signature leaves out.
    fn stale(&self, there: &[ListedFile]) -> Vec<&'static str> {
        let ours = self.files();
        let may_be_missing = [
            package_file::SBOM,
            package_file::SIGNATURE,
            package_file::SIGNER,
            package_file::ROTATION,
            package_file::ATTESTATIONS,
        ]
        .into_iter();
        let is_stale = |name: &&str| {
            there.iter().any(|file| file.name == *name)
                && !ours.iter().any(|(ours, ..)| ours == name)
        };
        may_be_missing.filter(is_stale).collect()
    }

    fn at(&self, commit: &CommitId) -> Resolved {
        Resolved::new(&self.repo, commit.clone(), None)
    }
}

fn listed<'a>(files: &'a [ListedFile], name: &str, content: &[u8]) -> Option<&'a ListedFile> {
    files
        .iter()
        .find(|file| file.name == name && file.bytes == content.len() as u64)
}
