//! Copies commits of the upstream, each file hashed, and holds versions against log and manifest.

use std::collections::{BTreeMap, BTreeSet};

use futures::{StreamExt as _, TryStreamExt as _};
use gix_hash::ObjectId;
use tool_hub_manifest::{Digest, Manifest, Version, package_file};

use super::upstream::{Upstream, UpstreamEntry};
use crate::content::{Batch, Sha256Digest, SpooledFile};
use crate::database::commits::Commit;
use crate::database::git_objects::{Blob, BlobForm};
use crate::database::published::Publication;
use crate::database::repositories::Repository;
use crate::error::{RegistryError, UpstreamError};
use crate::git::pointer_oid;
use crate::history::{ListedKind, Operation, WriteError, list_entries, store_copied_commit};
use crate::names::{RepositoryId, RepositoryPath};
use crate::registry::Registry;
use crate::tool::{COMPONENT, MANIFEST, ManifestError, StoredManifest, read_manifest};

/// Files of a commit that are fetched at the same time.
const FETCHES_IN_FLIGHT_MAX: usize = 4;

/// The reason why a version or a branch was not taken.
#[derive(Debug)]
pub(super) enum NotTaken {
    /// The upstream does not show it to everybody, or does not have it any more.
    Missing(String),
    /// The upstream sent something else than it lists, or than its log says, or an answer that
    /// cannot be used.
    Contradicts(String),
    /// The whole run cannot go on.
    Registry(RegistryError),
}

impl From<RegistryError> for NotTaken {
    /// An answer about one repository that cannot be used ends no run: otherwise a single
    /// repository that is too large would keep all others from every mirror. An upstream that does
    /// not answer ends the run, and the next one goes on.
    fn from(error: RegistryError) -> Self {
        match error {
            RegistryError::Upstream {
                source: UpstreamError::Answer(what),
                ..
            } => Self::Contradicts(format!("the upstream's answer cannot be used: {what}")),
            other => Self::Registry(other),
        }
    }
}

impl From<ManifestError> for NotTaken {
    fn from(error: ManifestError) -> Self {
        match error {
            ManifestError::Invalid(fault) => Self::Contradicts(fault.explain()),
            ManifestError::Registry(error) => Self::Registry(error),
        }
    }
}

impl From<WriteError> for NotTaken {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Registry(error) => Self::Registry(error),
            other => Self::Contradicts(format!("its files cannot stand in a tree: {other:?}")),
        }
    }
}

/// The commit and the digests of a version in the log.
#[derive(Debug, Clone)]
pub(super) struct LoggedContent {
    pub(super) commit: ObjectId,
    pub(super) manifest: Digest,
    pub(super) component: Option<Digest>,
}

/// The versions of a repository that are wanted, each with what the log says of it.
pub(super) type WantedVersions = BTreeMap<Version, Vec<LoggedContent>>;

/// The numbers of what was fetched.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Fetched {
    pub(super) files: u64,
    pub(super) bytes: u64,
}

/// A repository of the upstream and the one that it becomes here.
pub(super) struct Copying<'a> {
    pub(super) registry: &'a Registry,
    pub(super) upstream: &'a Upstream,
    pub(super) repo: &'a RepositoryId,
    pub(super) here: &'a Repository,
}

impl Copying<'_> {
    /// The commit with all its files, copied unless it is here. Files that another commit of the
    /// repository has are not fetched.
    pub(super) async fn commit(
        &self,
        oid: ObjectId,
        fetched: &mut Fetched,
    ) -> Result<Commit, NotTaken> {
        let database = self.registry.database();
        if let Some(known) = database.commit(&self.here.id, &oid).await? {
            return Ok(known);
        }
        let gone = || NotTaken::Missing(format!("the upstream does not show the commit {oid}"));
        let files_max = self.registry.limits().commit_operations_max;
        let files = self.upstream.files(self.repo, &oid, files_max).await?;
        let files = files.ok_or_else(gone)?;
        let copied = self
            .upstream
            .commit(self.repo, oid)
            .await?
            .ok_or_else(gone)?;
        let oids: Vec<ObjectId> = files.iter().map(|file| file.oid).collect();
        let mut blobs: BTreeMap<ObjectId, Blob> = BTreeMap::new();
        blobs.extend(database.blobs(&self.here.id, &oids).await?);
        self.fetch(&oid, &files, &mut blobs, fetched).await?;
        let mut operations = Vec::with_capacity(files.len());
        for file in files {
            let path = RepositoryPath::parse(&file.path).map_err(|fault| {
                NotTaken::Contradicts(format!("the path {:?} is not valid: {fault}", file.path))
            })?;
            let oid = file.oid;
            if let Some(blob) = blobs.get(&oid).copied() {
                operations.push(Operation::Put { path, oid, blob });
            }
        }
        let (registry, here) = (self.registry, self.here);
        Ok(store_copied_commit(registry, here, copied, &operations).await?)
    }

    /// Fetches the files whose content is not among `blobs`, and stores them.
    async fn fetch(
        &self,
        commit: &ObjectId,
        files: &[UpstreamEntry],
        blobs: &mut BTreeMap<ObjectId, Blob>,
        fetched: &mut Fetched,
    ) -> Result<(), NotTaken> {
        let mut seen = BTreeSet::new();
        let new = files
            .iter()
            .filter(|file| !blobs.contains_key(&file.oid) && seen.insert(file.oid));
        let new: Vec<&UpstreamEntry> = new.collect();
        let fetching = futures::stream::iter(new).map(|file| self.file(commit, file));
        let mut fetching = std::pin::pin!(fetching.buffer_unordered(FETCHES_IN_FLIGHT_MAX));
        let mut batch = Batch::new(self.registry.content());
        while let Some((oid, blob, spooled)) = fetching.try_next().await? {
            fetched.files += 1;
            fetched.bytes += blob.size_bytes;
            blobs.insert(oid, blob);
            batch.add(spooled).await?;
        }
        let in_flight_max = self.registry.limits().content_writes_in_flight_max;
        Ok(batch.keep(in_flight_max).await?)
    }

    /// Downloads a file, whose bytes have to be those that its commit names.
    async fn file(
        &self,
        commit: &ObjectId,
        file: &UpstreamEntry,
    ) -> Result<(ObjectId, Blob, SpooledFile), NotTaken> {
        let limits = self.registry.limits();
        let size = file.lfs.as_ref().map_or(file.size, |lfs| lfs.size);
        let path = &file.path;
        if size > limits.file_bytes_max {
            let most = limits.file_bytes_max;
            let what = format!("{path} has {size} bytes, and a file may have {most}");
            return Err(NotTaken::Contradicts(what));
        }
        let spool = self.registry.content().spool(limits.spool_memory_bytes_max);
        let (upstream, repo) = (self.upstream, self.repo);
        let spooled = upstream.file(repo, commit, path, size, spool).await?;
        let gone = || NotTaken::Missing(format!("the upstream does not show {path}"));
        let spooled = spooled.ok_or_else(gone)?;
        let (form, is_named) = match &file.lfs {
            None => (BlobForm::Plain, spooled.oid == file.oid),
            Some(lfs) => {
                let pointer = pointer_oid(&spooled.sha256, spooled.size_bytes)?;
                let is_named = spooled.sha256.to_string() == lfs.oid && pointer == file.oid;
                (BlobForm::Pointer, is_named)
            }
        };
        if !is_named {
            let what = format!("the bytes of {path} are not those that its commit names");
            return Err(NotTaken::Contradicts(what));
        }
        let blob = Blob {
            sha256: spooled.sha256,
            size_bytes: spooled.size_bytes,
            form,
        };
        Ok((file.oid, blob, spooled))
    }

    /// Holds the version in a commit against its manifest, and against the log where there is one.
    pub(super) async fn version(
        &self,
        commit: &Commit,
        version: &Version,
        logged: Option<&LoggedContent>,
    ) -> Result<(Publication, StoredManifest), NotTaken> {
        let files = self.package_files(commit).await?;
        let none = || NotTaken::Contradicts(format!("its commit has no {MANIFEST}"));
        let blob = files.get(MANIFEST).ok_or_else(none)?;
        let sha256 = |name: &str| files.get(name).map(|blob| blob.sha256);
        let component = sha256(COMPONENT);
        if let Some(logged) = logged {
            check(MANIFEST, Some(logged.manifest), Some(blob.sha256), "log")?;
            check(COMPONENT, logged.component, component, "log")?;
        }
        let bytes_max = self.registry.limits().manifest_bytes_max;
        let batch = Batch::new(self.registry.content());
        let stored = read_manifest(&batch, blob, bytes_max).await?;
        if stored.facts.version != version.to_string() {
            let found = &stored.facts.version;
            let what = format!("its {MANIFEST} says version {found}");
            return Err(NotTaken::Contradicts(what));
        }
        let bytes = batch.head(&blob.sha256, blob.size_bytes, bytes_max).await?;
        let manifest: Option<Manifest> = str::from_utf8(&bytes)
            .ok()
            .and_then(|text| text.parse().ok());
        let manifest = manifest.ok_or_else(none)?;
        let claims = [
            (COMPONENT, manifest.component.map(|it| it.sha256)),
            (
                package_file::INTERPRETER,
                manifest.interpreter.map(|it| it.sha256),
            ),
            (package_file::SBOM, manifest.sbom.map(|it| it.sha256)),
        ];
        for (name, claim) in claims.into_iter().filter(|(_, claim)| claim.is_some()) {
            check(name, claim, sha256(name), "manifest")?;
        }
        let publication = Publication {
            version: version.to_string(),
            commit: commit.oid,
            tree: commit.tree,
            manifest: blob.sha256,
            component,
        };
        Ok((publication, stored))
    }

    /// The files of a package that a commit has, by name.
    async fn package_files(&self, commit: &Commit) -> Result<BTreeMap<String, Blob>, NotTaken> {
        let names = [
            MANIFEST,
            COMPONENT,
            package_file::INTERPRETER,
            package_file::SBOM,
        ];
        let names = names.map(str::to_owned);
        let database = self.registry.database();
        let entries = list_entries(database, &self.here.id, commit, &names).await?;
        let files = entries.into_iter().filter_map(|entry| match entry.kind {
            ListedKind::File(blob) => Some((entry.path, blob?)),
            ListedKind::Directory => None,
        });
        Ok(files.collect())
    }
}

fn check(
    name: &str,
    claimed: Option<Digest>,
    found: Option<Sha256Digest>,
    by: &str,
) -> Result<(), NotTaken> {
    let claimed = claimed.map(|digest| digest.hex());
    let found = found.map(|digest| digest.to_string());
    if claimed == found {
        return Ok(());
    }
    let word = |digest: Option<String>| digest.unwrap_or_else(|| "none".to_owned());
    let (claimed, found) = (word(claimed), word(found));
    Err(NotTaken::Contradicts(format!(
        "its {name} hashes to {found}, and the {by} says {claimed}"
    )))
}
