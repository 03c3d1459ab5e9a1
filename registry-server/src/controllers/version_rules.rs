//! Checks new and deleted tags and new branches, so that a tool's published versions never change.
//!
//! A version is a tag `v1.2.3` or `1.2.3` on a commit with a manifest. It is remembered even after
//! its repository is deleted, and no branch may have such a name, in any repository.
//!
//! Tags with other names, and all tags in repositories that never had a manifest, behave as on the
//! Hub.

use http::StatusCode;
use tool_hub_manifest::{ClaimedSigner, Releases};

use crate::access::Caller;
use crate::attestations::{self, Attestation};
use crate::clock;
use crate::content::Batch;
use crate::database::commits::Commit;
use crate::database::git_objects::Blob;
use crate::database::log::LogSubject;
use crate::database::published::{EarlierPublication, Publication};
use crate::database::publishers::VersionSource;
use crate::database::repositories::Repository;
use crate::database::{Database, WriteTransaction};
use crate::error::RegistryError;
use crate::history::{DEFAULT_BRANCH, ListedKind, find_entry, package_blobs, resolve_revision};
use crate::http::Refusal;
use crate::names::RefName;
use crate::package_signer;
use crate::registry::Registry;
use crate::tool::{
    COMPONENT, MANIFEST, ManifestError, RELEASES, StoredManifest, read_manifest, read_releases,
    version_in_name,
};

/// A version that is published by a new tag.
pub(super) struct NewVersion {
    pub(super) manifest: StoredManifest,
    pub(super) publication: Publication,
    /// The signer, as the commit says it; none of a version that is not signed.
    pub(super) signer: Option<ClaimedSigner>,
}

/// The version that a new tag publishes; `None` for an ordinary tag. The content of the tagged
/// commit decides, not that of the default branch.
pub(super) async fn check_new_tag(
    registry: &Registry,
    repository: &Repository,
    tag: &RefName,
    commit: &Commit,
) -> Result<Option<NewVersion>, Refusal> {
    let Some(version) = version_in_name(tag.as_str()) else {
        return Ok(None);
    };
    let refuse = |message: String| Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message);
    let blobs = package_blobs(registry.database(), repository, commit).await?;
    let Some(blob) = blobs.get(MANIFEST) else {
        if has_versions(registry, repository).await? {
            return Err(refuse(format!(
                "{tag} is a version of a tool, and commit {} has no {MANIFEST}; tag a commit that has one",
                commit.oid
            )));
        }
        return Ok(None);
    };
    if !version.build.is_empty() {
        return Err(refuse(format!(
            "{tag} has build metadata, by which versions are not told apart: publish a version without `+`"
        )));
    }
    let bytes_max = registry.limits().manifest_bytes_max;
    let manifest = read_manifest(&Batch::new(registry.content()), blob, bytes_max).await?;
    if manifest.facts.version != version.to_string() {
        return Err(refuse(format!(
            "{tag} cannot name commit {}: its {MANIFEST} says version {}; commit the manifest with version = \"{version}\" first, \
             or create the tag v{}",
            commit.oid, manifest.facts.version, manifest.facts.version
        )));
    }
    // The files may have changed since they were attested to.
    let files = Batch::new(registry.content());
    attestations::check(registry, repository, &blobs, &files).await?;
    let signer = package_signer::read(registry, &blobs).await?;
    let publication = Publication {
        version: version.to_string(),
        commit: commit.oid,
        tree: commit.tree,
        manifest: manifest.sha256,
        component: blobs.get(COMPONENT).map(|blob| blob.sha256),
    };
    Ok(Some(NewVersion {
        manifest,
        publication,
        signer,
    }))
}

/// The attestations of a commit, once they are checked.
pub(super) async fn attestations(
    registry: &Registry,
    repository: &Repository,
    commit: &Commit,
) -> Result<Vec<Attestation>, Refusal> {
    let blobs = package_blobs(registry.database(), repository, commit).await?;
    let files = Batch::new(registry.content());
    Ok(attestations::check(registry, repository, &blobs, &files).await?)
}

/// Refuses a version that an ordinary token publishes where only trusted publishers may, and a tag
/// of a trusted publisher that is no version. For use while nobody else writes to the repository.
pub(super) async fn check_publisher(
    database: &Database,
    repository: &Repository,
    caller: &Caller,
    version: Option<&NewVersion>,
) -> Result<(), Refusal> {
    match (caller.publishes_to(), version) {
        (Some(_), Some(_)) | (None, None) => Ok(()),
        (Some(_), None) => Err(Refusal::forbidden(
            "a trusted publisher publishes versions of a tool, and makes no other tags",
        )),
        (None, Some(_)) => match database.version_source(&repository.id).await? {
            VersionSource::AnyWriter => Ok(()),
            VersionSource::Publishers => Err(Refusal::forbidden(format!(
                "versions of {} come from its trusted publishers alone: publish in the workflow of one, \
                 or have its owner change that with `tool registry publisher only {} --off`",
                repository.full_name(),
                repository.full_name()
            ))),
        },
    }
}

/// Refuses to give away the name of a repository whose versions come from trusted publishers alone:
/// another one under that name would take them from every writer. For use while nobody else writes
/// to the repository.
pub(super) async fn check_name_is_free(
    database: &Database,
    repository: &Repository,
) -> Result<(), Refusal> {
    match database.version_source(&repository.id).await? {
        VersionSource::AnyWriter => Ok(()),
        VersionSource::Publishers => Err(Refusal::forbidden(format!(
            "versions of {0} come from its trusted publishers alone, so it is neither moved nor deleted: \
             turn that off first with `tool registry publisher only {0} --off`",
            repository.full_name(),
        ))),
    }
}

/// The refusal of an id that goes on leading to a repository which was moved.
pub(super) fn kept_for_moved(id: &str) -> Refusal {
    Refusal::new(
        StatusCode::CONFLICT,
        format!(
            "{id} is the former name of a repository that was moved, and goes on leading to it, \
             because versions were published under it: choose another name"
        ),
    )
}

/// Appends to the log what it lacks of the yank of a version, as its repository says it in
/// `releases`. Refuses one that is malicious by the log, and not by the repository: whoever deletes
/// a repository and publishes its files again takes no such yank back.
pub(super) async fn settle_yank(
    writing: &mut WriteTransaction,
    subject: LogSubject<'_>,
    releases: &Releases,
) -> Result<(), Refusal> {
    let LogSubject {
        full_name, version, ..
    } = subject;
    let yank = version.parse().ok();
    let yank = yank.and_then(|version| releases.yanked.get(&version));
    let severity = yank.map(|yank| yank.severity);
    match writing
        .settle_yank(subject, severity, clock::now_ms())
        .await?
    {
        true => Ok(()),
        false => Err(Refusal::forbidden(format!(
            "version {version} of {full_name} was yanked as malicious, and {RELEASES} of this repository does not say so: \
             publish another version, or yank it there first"
        ))),
    }
}

/// The yanks and the deprecation that a repository says at the head of its default branch. An older
/// file that cannot be read says nothing. For use while nobody else writes to the repository.
pub(super) async fn releases_at_head(
    registry: &Registry,
    repository: &Repository,
) -> Result<Releases, RegistryError> {
    let head = resolve_revision(registry.database(), &repository.id, DEFAULT_BRANCH).await?;
    let blob = match head {
        Some(head) => file_of(registry, repository, &head, RELEASES).await?,
        None => None,
    };
    let Some(blob) = blob else {
        return Ok(Releases::default());
    };
    let files = Batch::new(registry.content());
    match read_releases(&files, &blob, registry.limits().manifest_bytes_max).await {
        Ok(releases) => Ok(releases),
        Err(ManifestError::Invalid(_)) => Ok(Releases::default()),
        Err(ManifestError::Registry(error)) => Err(error),
    }
}

/// The refusal if the version was published with other bytes, possibly by a repository that is
/// deleted.
pub(super) fn published_before(id: &str, earlier: &EarlierPublication) -> Refusal {
    let EarlierPublication {
        version,
        commit,
        published_ms,
    } = earlier;
    let day = clock::from_ms(*published_ms).date();
    // Not 409: clients that take an existing tag for a success would accept this, too.
    Refusal::forbidden(format!(
        "version {version} of {id} was published on {day} from commit {commit} with other files, and versions never change, \
         not even when their repository is deleted: publish another version"
    ))
}

/// Refuses to take away a version that people may have pinned. For use while nobody else writes to
/// the repository.
pub(super) async fn check_tag_removal(
    registry: &Registry,
    repository: &Repository,
    tag: &RefName,
) -> Result<(), Refusal> {
    if version_in_name(tag.as_str()).is_none() {
        return Ok(());
    }
    let name = tag.tag();
    let database = registry.database();
    let Some(reference) = database.reference_of(&repository.id, [&name; 3]).await? else {
        return Ok(());
    };
    let commit = database.commit(&repository.id, &reference.commit).await?;
    let Some(commit) = commit else {
        return Ok(());
    };
    match file_of(registry, repository, &commit, MANIFEST).await? {
        None => Ok(()),
        Some(_) => Err(Refusal::forbidden(format!(
            "{tag} is a version of a tool, and versions never change: publish another version instead of deleting this one"
        ))),
    }
}

/// Refuses a branch whose name is a version: branches move, but clients that ask for `v1.2.3`
/// expect content that does not change.
pub(super) fn check_new_branch(branch: &RefName) -> Result<(), Refusal> {
    if version_in_name(branch.as_str()).is_some() {
        return Err(Refusal::forbidden(format!(
            "a branch cannot be named {branch}, because that is a version, and versions never change: choose another name, or create a tag"
        )));
    }
    Ok(())
}

/// Refuses a tag with the name of an existing branch, if the name is a version or that of the
/// default branch: a client that asks for it by the short name could get either. Other names may be
/// both, as on the Hub.
pub(super) async fn check_names_no_branch(
    database: &Database,
    repository: &Repository,
    tag: &RefName,
) -> Result<(), Refusal> {
    if version_in_name(tag.as_str()).is_none() && tag.as_str() != DEFAULT_BRANCH {
        return Ok(());
    }
    let branch = tag.branch();
    let found = database.reference_of(&repository.id, [&branch; 3]).await?;
    match found {
        None => Ok(()),
        Some(_) => Err(Refusal::forbidden(format!(
            "a branch named {tag} exists, and this tag cannot share its name: delete the branch, or choose another name for the tag"
        ))),
    }
}

/// True if version tags in this repository publish versions of a tool: its default branch has a
/// manifest, or a version was published under its id.
async fn has_versions(registry: &Registry, repository: &Repository) -> Result<bool, RegistryError> {
    let database = registry.database();
    if database.has_published(&repository.id).await? {
        return Ok(true);
    }
    match resolve_revision(database, &repository.id, DEFAULT_BRANCH).await? {
        Some(head) => Ok(file_of(registry, repository, &head, MANIFEST)
            .await?
            .is_some()),
        None => Ok(false),
    }
}

async fn file_of(
    registry: &Registry,
    repository: &Repository,
    commit: &Commit,
    name: &str,
) -> Result<Option<Blob>, RegistryError> {
    let found = find_entry(registry.database(), &repository.id, commit, name).await?;
    Ok(found.and_then(|entry| match entry.kind {
        ListedKind::File(blob) => blob,
        ListedKind::Directory => None,
    }))
}
