//! Reads releases, the commits with a valid manifest: its facts, and the component's hash and size.

use std::collections::HashMap;

use gix_hash::ObjectId;

use crate::content::{Batch, Sha256Digest};
use crate::database::commits::Commit;
use crate::database::git_objects::Blob;
use crate::database::repositories::Repository;
use crate::error::RegistryError;
use crate::git::{TreeEntry, decode_tree};
use crate::registry::Registry;
use crate::tool::{COMPONENT, MANIFEST, ManifestError, StoredManifest, read_manifest};

/// A commit with a valid manifest.
#[derive(Debug, Clone)]
pub(crate) struct Release {
    pub(crate) commit: Commit,
    pub(crate) manifest: StoredManifest,
    pub(crate) manifest_size_bytes: u64,
    pub(crate) component: Option<Blob>,
}

/// The blob ids of a commit's manifest and component.
struct ReleaseFiles {
    commit: Commit,
    manifest: ObjectId,
    component: Option<ObjectId>,
}

/// The tools that these commits carry, by commit id; a commit without a valid manifest is left out.
///
/// It takes a handful of queries to the database, however many commits there are.
pub(crate) async fn find_releases(
    registry: &Registry,
    repository: &Repository,
    commits: &[ObjectId],
) -> Result<HashMap<ObjectId, Release>, RegistryError> {
    let database = registry.database();
    let files = find_files(registry, repository, commits).await?;
    let oids: Vec<ObjectId> = files
        .iter()
        .flat_map(|files| [Some(files.manifest), files.component])
        .flatten()
        .collect();
    let blobs = database.blobs(&repository.id, &oids).await?;
    let digests: Vec<Sha256Digest> = files
        .iter()
        .filter_map(|files| blobs.get(&files.manifest))
        .map(|blob| blob.sha256)
        .collect();
    let known = database.manifests(&repository.id, &digests).await?;
    let mut known: HashMap<Sha256Digest, StoredManifest> = known
        .into_iter()
        .map(|manifest| (manifest.sha256, manifest))
        .collect();
    let mut releases = HashMap::with_capacity(files.len());
    for files in files {
        let Some(blob) = blobs.get(&files.manifest) else {
            continue;
        };
        if !known.contains_key(&blob.sha256)
            && let Some(manifest) = read_unknown(registry, blob).await?
        {
            known.insert(blob.sha256, manifest);
        }
        let Some(manifest) = known.get(&blob.sha256) else {
            continue;
        };
        let release = Release {
            manifest: manifest.clone(),
            manifest_size_bytes: blob.size_bytes,
            component: files.component.and_then(|oid| blobs.get(&oid)).copied(),
            commit: files.commit,
        };
        releases.insert(release.commit.oid, release);
    }
    Ok(releases)
}

/// Manifests that were committed before the registry knew of tools are read where they lie.
async fn read_unknown(
    registry: &Registry,
    blob: &Blob,
) -> Result<Option<StoredManifest>, RegistryError> {
    let bytes_max = registry.limits().manifest_bytes_max;
    match read_manifest(&Batch::new(registry.content()), blob, bytes_max).await {
        Ok(manifest) => Ok(Some(manifest)),
        Err(ManifestError::Invalid(_)) => Ok(None),
        Err(ManifestError::Registry(error)) => Err(error),
    }
}

async fn find_files(
    registry: &Registry,
    repository: &Repository,
    commits: &[ObjectId],
) -> Result<Vec<ReleaseFiles>, RegistryError> {
    let database = registry.database();
    let commits = database.commits(&repository.id, commits).await?;
    let roots: Vec<ObjectId> = commits.iter().map(|commit| commit.tree).collect();
    let trees = database.trees(&repository.id, &roots).await?;
    let mut found = Vec::with_capacity(commits.len());
    for (commit, root) in commits.into_iter().zip(roots) {
        let bytes = trees
            .get(&root)
            .ok_or_else(|| RegistryError::Damaged(format!("tree {root} is missing")))?;
        let entries = decode_tree(bytes)?;
        let file = |name: &str| match entries.get(name) {
            Some(TreeEntry::File(oid)) => Some(*oid),
            _ => None,
        };
        if let Some(manifest) = file(MANIFEST) {
            found.push(ReleaseFiles {
                commit,
                manifest,
                component: file(COMPONENT),
            });
        }
    }
    Ok(found)
}
