//! Writes commits, also a repository's first: prepares trees, stores them and moves the reference.

use std::collections::BTreeMap;

use gix_hash::ObjectId;

use super::package_blobs::PackageBlobs;
use super::proposal::{Operation, Proposal, contents};
use super::revision::{DEFAULT_BRANCH, resolve_revision};
use super::workspace::{ChangeError, Snapshot, Workspace};
use crate::attestations::{self, ATTESTATIONS, ATTESTED, AttestationError};
use crate::clock;
use crate::database::accounts::Account;
use crate::database::commits::Commit;
use crate::database::git_objects::Blob;
use crate::database::keys::RepositoryKey;
use crate::database::listings::Listing;
use crate::database::references::Reference;
use crate::database::repositories::Repository;
use crate::database::write_authority::WriteAuthority;
use crate::database::{Database, WriteTransaction};
use crate::error::RegistryError;
use crate::git::{CommitDraft, decode_tree, encode_commit};
use crate::names::{Head, RefName, RepositoryPath};
use crate::quota::{self, QuotaError, QuotaExceeded};
use crate::registry::Registry;
use crate::search_listing::{self, Root};
use crate::tool::{ManifestError, ManifestFault, RELEASES};
use crate::yanks::{self, ReleasesChange, YankChange};

/// The attempts to put a commit that names no parent on top of a branch that moves. The second time
/// it is made while everybody else is kept out, so it is the last.
const ATTEMPTS_MAX: usize = 2;
/// The changes that are applied to a tree before the task yields to others.
const OPERATIONS_AT_ONCE: usize = 200;

/// The reason why a commit was not written.
#[derive(Debug)]
pub(crate) enum WriteError {
    /// The branch does not exist.
    NoSuchBranch,
    /// The branch has moved on from the parent the sender named.
    ParentMoved,
    /// A file to delete is not there.
    Missing {
        path: RepositoryPath,
    },
    /// A file and a directory want the same path.
    InTheWay {
        path: RepositoryPath,
    },
    /// The commit changes files in too many directories.
    TooManyDirectories,
    /// The commit yanks too many versions, or gives too many back.
    TooManyYanks {
        records_max: usize,
    },
    /// The owner may not keep so much.
    QuotaExceeded(QuotaExceeded),
    /// The default branch would carry a manifest that is not valid.
    InvalidManifest(ManifestFault),
    /// The default branch would carry attestations that do not count.
    WrongAttestation(String),
    /// The branch moved under every attempt.
    Busy,
    Registry(RegistryError),
}

impl From<RegistryError> for WriteError {
    fn from(error: RegistryError) -> Self {
        Self::Registry(error)
    }
}

impl From<QuotaError> for WriteError {
    fn from(error: QuotaError) -> Self {
        match error {
            QuotaError::Exceeded(exceeded) => Self::QuotaExceeded(exceeded),
            QuotaError::Registry(error) => Self::Registry(error),
        }
    }
}

impl From<ManifestError> for WriteError {
    fn from(error: ManifestError) -> Self {
        match error {
            ManifestError::Invalid(fault) => Self::InvalidManifest(fault),
            ManifestError::Registry(error) => Self::Registry(error),
        }
    }
}

impl From<AttestationError> for WriteError {
    fn from(error: AttestationError) -> Self {
        match error {
            AttestationError::Refused(reason) => Self::WrongAttestation(reason),
            AttestationError::Registry(error) => Self::Registry(error),
        }
    }
}

/// Puts a commit on a branch or a pull request, if its author still may when all of it is there.
/// When this returns it, metadata and content are durable.
pub(crate) async fn write_commit(
    registry: &Registry,
    repository: &Repository,
    head: &Head,
    author: &Account,
    authority: &WriteAuthority,
    proposal: &mut Proposal,
) -> Result<Commit, WriteError> {
    let database = registry.database();
    let reference = head.reference();
    let mut turn: Option<(WriteTransaction, Repository)> = None;
    for _ in 0..ATTEMPTS_MAX {
        let Some(base) = head_commit(database, repository, &reference).await? else {
            return Err(WriteError::NoSuchBranch);
        };
        if let Some(parent) = &proposal.parent
            && !names_commit(database, repository, parent, &base).await?
        {
            return Err(WriteError::ParentMoved);
        }
        let prepared = prepare(database, repository, &base, author, proposal).await?;
        let listing = if head.is_branch(DEFAULT_BRANCH) {
            read_listing(registry, repository, &prepared.snapshot, proposal).await?
        } else {
            None
        };
        let yanks = if head.is_branch(DEFAULT_BRANCH) {
            read_yanks(registry, repository, &base, &prepared.snapshot, proposal).await?
        } else {
            Vec::new()
        };
        if head.is_branch(DEFAULT_BRANCH) {
            check_attestations(registry, repository, &prepared.snapshot, proposal).await?;
        }
        proposal.keep(registry, repository).await?;
        // The repository may have other readers, or another name, than when the request began.
        let (mut writing, current) = match turn.take() {
            Some(turn) => turn,
            None => database.write_as(authority, &repository.id).await?,
        };
        let commit = &prepared.commit;
        if !writing
            .advance_reference(&repository.id, &reference, &base.oid, &commit.oid)
            .await?
        {
            // Somebody was faster. Building anew with the repository locked ends the race, however
            // many are in it.
            turn = Some((writing, current));
            continue;
        }
        store(registry, &mut writing, &current, &prepared, proposal).await?;
        if let Some(listing) = &listing {
            writing.set_listing(&repository.id, listing).await?;
        }
        writing
            .touch_repository(&repository.id, commit.written_ms)
            .await?;
        // Which versions are published is read only here, where nobody publishes another one.
        let yanks = yanks::of_published(database, &repository.id, yanks).await?;
        let records_max = registry.limits().commit_yank_records_max;
        if !writing
            .append_yanks_to_log(&current, &yanks, records_max, clock::now_ms())
            .await?
        {
            return Err(WriteError::TooManyYanks { records_max });
        }
        writing.commit().await?;
        return Ok(prepared.commit);
    }
    Err(WriteError::Busy)
}

/// Prepares the first commit of a repository, or of a branch without history.
pub(crate) async fn prepare_first(
    database: &Database,
    repository: &Repository,
    author: &Account,
    proposal: &Proposal,
) -> Result<PreparedCommit, WriteError> {
    let snapshot = build(database, &repository.id, None, &proposal.operations).await?;
    let (commit, data) = draft(author, None, &snapshot, proposal)?;
    Ok(PreparedCommit {
        commit,
        data,
        snapshot,
    })
}

/// Writes a first commit inside of the transaction that creates the repository or the branch.
///
/// False when a reference of this name exists.
pub(crate) async fn initial_commit(
    registry: &Registry,
    writing: &mut WriteTransaction,
    repository: &Repository,
    branch: &RefName,
    prepared: &PreparedCommit,
    operations: &[Operation],
) -> Result<bool, RegistryError> {
    let commit = &prepared.commit;
    let reference = Reference {
        name: branch.branch(),
        commit: commit.oid,
    };
    if !writing
        .insert_reference(&repository.id, &reference, None, commit.written_ms)
        .await?
    {
        return Ok(false);
    }
    insert(registry, writing, repository, prepared, operations).await?;
    Ok(true)
}

async fn read_listing(
    registry: &Registry,
    repository: &Repository,
    snapshot: &Snapshot,
    proposal: &Proposal,
) -> Result<Option<Listing>, ManifestError> {
    // A root that nothing touched was not made anew, and then no file in it changed either.
    let root = match snapshot.trees.get(&snapshot.root) {
        Some(bytes) => decode_tree(bytes)?,
        None => return Ok(None),
    };
    search_listing::read_listing(registry, repository, &snapshot.touched, &root, proposal).await
}

/// The yanks that a commit on `base` adds, changes and takes back, also of versions that are not
/// published.
async fn read_yanks(
    registry: &Registry,
    repository: &Repository,
    base: &Commit,
    snapshot: &Snapshot,
    proposal: &Proposal,
) -> Result<Vec<YankChange>, ManifestError> {
    let now = match snapshot.trees.get(&snapshot.root) {
        Some(bytes) if snapshot.touched.contains(RELEASES) => decode_tree(bytes)?,
        _ => return Ok(Vec::new()),
    };
    let trees = registry.database();
    let trees = trees.trees(&repository.id, &[base.tree]).await?;
    let before = match trees.get(&base.tree) {
        Some(bytes) => decode_tree(bytes)?,
        None => Root::new(),
    };
    let change = ReleasesChange {
        registry,
        repository,
        before: &before,
        now: &now,
        proposal,
    };
    change.changes().await
}

/// Refuses attestations that a commit brings, and that are wrong or about other files than it has.
async fn check_attestations(
    registry: &Registry,
    repository: &Repository,
    snapshot: &Snapshot,
    proposal: &Proposal,
) -> Result<(), AttestationError> {
    let root = match snapshot.trees.get(&snapshot.root) {
        Some(bytes) if snapshot.touched.contains(ATTESTATIONS) => decode_tree(bytes)?,
        _ => return Ok(()),
    };
    let (operations, mut blobs) = (&proposal.operations, PackageBlobs::new());
    for name in ATTESTED {
        let blob = search_listing::find_file(registry, repository, &root, operations, name);
        blobs.extend(blob.await?.map(|blob| (name, blob)));
    }
    attestations::check(registry, repository, &blobs, &proposal.files).await?;
    Ok(())
}

/// A commit that fits its base and waits to be stored.
pub(crate) struct PreparedCommit {
    pub(super) commit: Commit,
    pub(super) data: Vec<u8>,
    pub(super) snapshot: Snapshot,
}

pub(super) async fn prepare(
    database: &Database,
    repository: &Repository,
    base: &Commit,
    author: &Account,
    proposal: &Proposal,
) -> Result<PreparedCommit, WriteError> {
    let snapshot = build(
        database,
        &repository.id,
        Some(base.tree),
        &proposal.operations,
    )
    .await?;
    let (commit, data) = draft(author, Some(base), &snapshot, proposal)?;
    Ok(PreparedCommit {
        commit,
        data,
        snapshot,
    })
}

/// Stores a commit in the transaction, unless its owner would keep too much.
pub(super) async fn store(
    registry: &Registry,
    writing: &mut WriteTransaction,
    repository: &Repository,
    prepared: &PreparedCommit,
    proposal: &Proposal,
) -> Result<(), WriteError> {
    let operations = &proposal.operations;
    let added = insert(registry, writing, repository, prepared, operations).await?;
    if added == NewContent::Nothing {
        return Ok(());
    }
    let arrived = contents(operations);
    Ok(quota::check(registry, writing, &repository.owner, &arrived).await?)
}

/// The commit a full reference name points at.
pub(super) async fn head_commit(
    database: &Database,
    repository: &Repository,
    reference: &str,
) -> Result<Option<Commit>, RegistryError> {
    let Some(reference) = database
        .reference_of(&repository.id, [reference; 3])
        .await?
    else {
        return Ok(None);
    };
    let commit = database.commit(&repository.id, &reference.commit).await?;
    if commit.is_none() {
        database.ensure_repository(&repository.id).await?;
        let damage = format!("commit {} is missing", reference.commit);
        return Err(RegistryError::Damaged(damage));
    }
    Ok(commit)
}

async fn names_commit(
    database: &Database,
    repository: &Repository,
    parent: &str,
    head: &Commit,
) -> Result<bool, RegistryError> {
    if ObjectId::from_hex(parent.as_bytes()).is_ok_and(|oid| oid == head.oid) {
        return Ok(true);
    }
    Ok(resolve_revision(database, &repository.id, parent)
        .await?
        .is_some_and(|commit| commit.oid == head.oid))
}

pub(super) async fn build(
    database: &Database,
    repository: &RepositoryKey,
    tree: Option<ObjectId>,
    operations: &[Operation],
) -> Result<Snapshot, WriteError> {
    let mut workspace = Workspace::new(tree);
    for (at, operation) in operations.iter().enumerate() {
        if at % OPERATIONS_AT_ONCE == OPERATIONS_AT_ONCE - 1 {
            tokio::task::yield_now().await;
        }
        let (path, changed) = match operation {
            Operation::Put { path, oid, .. } => {
                (path, workspace.put(database, repository, path, *oid).await)
            }
            Operation::Remove { path } => {
                (path, workspace.remove(database, repository, path).await)
            }
        };
        let path = path.clone();
        changed.map_err(|error| match error {
            ChangeError::Missing => WriteError::Missing { path },
            ChangeError::InTheWay => WriteError::InTheWay { path },
            ChangeError::TooManyDirectories => WriteError::TooManyDirectories,
            ChangeError::Registry(error) => WriteError::Registry(error),
        })?;
    }
    // Hashing many trees takes a while, which must not block other requests.
    let finishing = tokio::task::spawn_blocking(move || workspace.finish()).await;
    let snapshot =
        finishing.map_err(|_| RegistryError::Damaged("making the trees panicked".to_owned()))??;
    Ok(snapshot)
}

fn draft(
    author: &Account,
    parent: Option<&Commit>,
    snapshot: &Snapshot,
    proposal: &Proposal,
) -> Result<(Commit, Vec<u8>), RegistryError> {
    let seconds = clock::now_ms() / 1_000;
    let email = author.commit_email();
    let draft = CommitDraft {
        tree: snapshot.root,
        parent: parent.map(|parent| parent.oid),
        author: &author.name,
        email: &email,
        seconds,
        title: &proposal.title,
        message: &proposal.message,
    };
    let (oid, data) = encode_commit(&draft)?;
    let commit = Commit {
        oid,
        tree: snapshot.root,
        parent: parent.map(|parent| parent.oid),
        generation: parent.map_or(1, |parent| parent.generation + 1),
        title: proposal.title.clone(),
        message: proposal.message.clone(),
        author: author.name.clone(),
        written_ms: seconds * 1_000,
    };
    Ok((commit, data))
}

/// The content that a commit brought and the repository did not have. A commit that only deletes is
/// taken even from an owner who keeps too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NewContent {
    Nothing,
    Content,
}

pub(super) async fn insert(
    registry: &Registry,
    writing: &mut WriteTransaction,
    repository: &Repository,
    prepared: &PreparedCommit,
    operations: &[Operation],
) -> Result<NewContent, RegistryError> {
    let PreparedCommit {
        commit,
        data,
        snapshot,
    } = prepared;
    let mut blobs: BTreeMap<ObjectId, Blob> = BTreeMap::new();
    for operation in operations {
        if let Operation::Put { oid, blob, .. } = operation {
            blobs.insert(*oid, *blob);
        }
    }
    let digests = contents(operations);
    let claimed = writing.claim_contents(registry.content(), digests).await?;
    let new = writing
        .insert_blobs(&repository.id, &blobs, &claimed)
        .await?;
    writing
        .insert_trees(&repository.id, &snapshot.trees)
        .await?;
    writing.insert_commit(&repository.id, commit, data).await?;
    writing
        .insert_changes(
            &repository.id,
            commit,
            snapshot.touched.iter().map(String::as_str),
        )
        .await?;
    Ok(match new {
        0 => NewContent::Nothing,
        _ => NewContent::Content,
    })
}
