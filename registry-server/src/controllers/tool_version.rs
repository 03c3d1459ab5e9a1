//! The versions of tools: tags `v1.2.3` on commits with a manifest. They mean what they say and never change.
//!
//! Tags of other names, and all tags on commits without a manifest, are tags as on the Hub.

use http::StatusCode;
use serde_json::json;

use crate::database::commits::Commit;
use crate::database::objects::Blob;
use crate::database::repositories::Repository;
use crate::error::RegistryError;
use crate::history::{DEFAULT_BRANCH, ListedKind, find_entry, resolve_revision};
use crate::http::Refusal;
use crate::names::RefName;
use crate::registry::Registry;
use crate::tool::{KnownManifest, MANIFEST, ManifestFault, read_manifest, version_of_tag};

/// A manifest that is not valid, with the parser's position and hint.
pub(super) fn invalid_manifest(fault: &ManifestFault) -> Refusal {
    Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, fault.explain())
        .field("document", json!(MANIFEST))
        .field("line", json!(fault.line))
        .field("column", json!(fault.column))
        .field("nearest", json!(fault.nearest))
}

/// The manifest that a new tag makes a version of; `None` when the tag is an ordinary one.
pub(super) async fn check_new_tag(
    registry: &Registry,
    repository: &Repository,
    tag: &RefName,
    commit: &Commit,
) -> Result<Option<KnownManifest>, Refusal> {
    let Some(version) = version_of_tag(tag.as_str()) else {
        return Ok(None);
    };
    let refuse = |message: String| Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message);
    let Some(blob) = manifest_of(registry, repository, commit).await? else {
        if is_tool(registry, repository).await? {
            return Err(refuse(format!(
                "{tag} is a version of a tool, and commit {} has no {MANIFEST}; tag a commit that has one",
                commit.oid
            )));
        }
        return Ok(None);
    };
    let bytes_max = registry.limits().manifest_bytes_max;
    let manifest = read_manifest(registry.content(), &blob, bytes_max)
        .await?
        .map_err(|fault| invalid_manifest(&fault))?;
    if manifest.facts.version != version.to_string() {
        return Err(refuse(format!(
            "{tag} cannot name commit {}: its {MANIFEST} says version {}; commit the manifest with version = \"{version}\" first, \
             or create the tag v{}",
            commit.oid, manifest.facts.version, manifest.facts.version
        )));
    }
    Ok(Some(manifest))
}

/// Refuses to take away a version that people may have pinned.
pub(super) async fn check_tag_removal(
    registry: &Registry,
    repository: &Repository,
    tag: &RefName,
) -> Result<(), Refusal> {
    if version_of_tag(tag.as_str()).is_none() {
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
    match manifest_of(registry, repository, &commit).await? {
        None => Ok(()),
        Some(_) => Err(Refusal::forbidden(format!(
            "{tag} is a version of a tool, and versions never change: publish another version instead of deleting this one"
        ))),
    }
}

/// Refuses a branch that would answer for a version: a revision is looked for among branches first.
pub(super) async fn check_new_branch(
    registry: &Registry,
    repository: &Repository,
    branch: &RefName,
) -> Result<(), Refusal> {
    if version_of_tag(branch.as_str()).is_some() && is_tool(registry, repository).await? {
        return Err(Refusal::forbidden(format!(
            "{branch} is the name of a version, and versions of a tool never change: give the branch another name"
        )));
    }
    Ok(())
}

async fn is_tool(registry: &Registry, repository: &Repository) -> Result<bool, RegistryError> {
    let head = resolve_revision(registry.database(), &repository.id, DEFAULT_BRANCH).await?;
    match head {
        Some(head) => Ok(manifest_of(registry, repository, &head).await?.is_some()),
        None => Ok(false),
    }
}

async fn manifest_of(
    registry: &Registry,
    repository: &Repository,
    commit: &Commit,
) -> Result<Option<Blob>, RegistryError> {
    let found = find_entry(registry.database(), &repository.id, commit, MANIFEST).await?;
    Ok(found.and_then(|entry| match entry.kind {
        ListedKind::File(blob) => blob,
        ListedKind::Directory => None,
    }))
}
