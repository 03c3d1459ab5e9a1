//! The versions of tools: tags `v1.2.3` or `1.2.3` on commits with a manifest. They mean what they
//! say and never change: what was published is remembered beyond its repository, and no branch may
//! have such a name, whatever the repository holds.
//!
//! Tags of other names, and all tags of repositories that never had a manifest, are tags as on the
//! Hub.

use http::StatusCode;
use serde_json::json;

use crate::clock;
use crate::database::Database;
use crate::database::commits::Commit;
use crate::database::objects::Blob;
use crate::database::published::{Earlier, Publication};
use crate::database::repositories::Repository;
use crate::error::RegistryError;
use crate::history::{DEFAULT_BRANCH, ListedKind, find_entry, resolve_revision};
use crate::http::Refusal;
use crate::names::RefName;
use crate::registry::Registry;
use crate::tool::{
    COMPONENT, KnownManifest, MANIFEST, ManifestError, ManifestFault, read_manifest,
    version_in_name,
};

/// A version that a new tag publishes.
pub(super) struct NewVersion {
    pub(super) manifest: KnownManifest,
    pub(super) publication: Publication,
}

impl From<ManifestError> for Refusal {
    fn from(error: ManifestError) -> Self {
        match error {
            ManifestError::Invalid(fault) => invalid_manifest(&fault),
            ManifestError::Registry(error) => error.into(),
        }
    }
}

/// A manifest that is not valid, with the parser's position and hint.
pub(super) fn invalid_manifest(fault: &ManifestFault) -> Refusal {
    Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, fault.explain())
        .field("document", json!(MANIFEST))
        .field("line", json!(fault.line))
        .field("column", json!(fault.column))
        .field("nearest", json!(fault.nearest))
}

/// The version that a new tag publishes; `None` when the tag is an ordinary one. What the tag's own
/// commit holds decides, not what the default branch holds at the moment.
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
    let Some(blob) = file_of(registry, repository, commit, MANIFEST).await? else {
        if has_versions(registry, repository).await? {
            return Err(refuse(format!(
                "{tag} is a version of a tool, and commit {} has no {MANIFEST}; tag a commit that has one",
                commit.oid
            )));
        }
        return Ok(None);
    };
    let bytes_max = registry.limits().manifest_bytes_max;
    let manifest = read_manifest(&registry.content().batch(), &blob, bytes_max).await?;
    if manifest.facts.version != version.to_string() {
        return Err(refuse(format!(
            "{tag} cannot name commit {}: its {MANIFEST} says version {}; commit the manifest with version = \"{version}\" first, \
             or create the tag v{}",
            commit.oid, manifest.facts.version, manifest.facts.version
        )));
    }
    let component = file_of(registry, repository, commit, COMPONENT).await?;
    let publication = Publication {
        version: version.to_string(),
        commit: commit.oid.clone(),
        tree: commit.tree.clone(),
        manifest: manifest.sha256,
        component: component.map(|blob| blob.sha256),
    };
    Ok(Some(NewVersion {
        manifest,
        publication,
    }))
}

/// A version that was published with other bytes, perhaps by a repository that is gone.
pub(super) fn published_before(id: &str, earlier: &Earlier) -> Refusal {
    let Earlier {
        version,
        commit,
        published_ms,
    } = earlier;
    let day = clock::from_ms(*published_ms).date();
    // Not 409: clients that take an existing tag for a success would take this for one.
    Refusal::forbidden(format!(
        "version {version} of {id} was published on {day} from commit {commit} with other files, and versions never change, \
         not even when their repository is deleted: publish another version"
    ))
}

/// Refuses to take away a version that people may have pinned.
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

/// Refuses a branch that reads as a version. What a branch names changes, and whoever asks for
/// `v1.2.3` expects what does not.
pub(super) fn check_new_branch(branch: &RefName) -> Result<(), Refusal> {
    if version_in_name(branch.as_str()).is_some() {
        return Err(Refusal::forbidden(format!(
            "{branch} is the name of a version, and versions never change: such names are for tags; give the branch another name"
        )));
    }
    Ok(())
}

/// Refuses a tag that reads as a version, or as the default branch, where a branch has its name.
/// Clients that ask for `v1.2.3` by its short name would get the one or the other. Other names may
/// be both, as on the Hub.
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
            "{branch} exists, and one name may not be both: delete the branch, or give the tag another name"
        ))),
    }
}

/// Whether versions in this repository are those of a tool: its default branch holds one, or a
/// version was published under its id.
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
