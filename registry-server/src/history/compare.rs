//! Finds the files that differ between two commits.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gix_hash::ObjectId;

use super::listing::decode;
use crate::database::Database;
use crate::database::commits::Commit;
use crate::database::git_objects::Blob;
use crate::database::keys::RepositoryKey;
use crate::error::RegistryError;
use crate::git::TreeEntry;

/// A file that two commits do not have alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) path: String,
    pub(crate) old: Option<Version>,
    pub(crate) new: Option<Version>,
}

/// One of the two sides of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) oid: ObjectId,
    pub(crate) blob: Blob,
}

/// The ids of a file or directory on the old and on the new side, where it may be missing.
type Sides = [Option<ObjectId>; 2];

/// The files in which `new` differs from `old`, by path; without an old commit all files of the new
/// one. A renamed file is one that is gone and one that is new.
///
/// Directories that are alike are not read, so this takes as long as the difference is large.
pub(crate) async fn compare(
    database: &Database,
    repository: &RepositoryKey,
    old: Option<&Commit>,
    new: &Commit,
) -> Result<Vec<Difference>, RegistryError> {
    let roots = [old.map(|commit| commit.tree), Some(new.tree)];
    let mut files = BTreeMap::new();
    let mut level = vec![(String::new(), roots)];
    // One query to the database for each level of the trees, not for each directory.
    while !level.is_empty() {
        let oids: Vec<ObjectId> = level
            .iter()
            .flat_map(|(_, sides)| sides)
            .flatten()
            .copied()
            .collect();
        let trees = database.trees(repository, &oids).await?;
        let mut below = Vec::new();
        for (path, sides) in level {
            compare_directory(&trees, &path, sides, &mut files, &mut below)?;
        }
        level = below;
    }
    with_blobs(database, repository, files).await
}

fn compare_directory(
    trees: &HashMap<ObjectId, Vec<u8>>,
    path: &str,
    sides: Sides,
    files: &mut BTreeMap<String, Sides>,
    below: &mut Vec<(String, Sides)>,
) -> Result<(), RegistryError> {
    let read = |side: Option<ObjectId>| match side {
        Some(oid) => decode(trees, oid),
        None => Ok(BTreeMap::new()),
    };
    let (old, new) = (read(sides[0])?, read(sides[1])?);
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for name in names {
        let entries = [old.get(name), new.get(name)];
        if entries[0] == entries[1] {
            continue;
        }
        let path = match path {
            "" => name.clone(),
            parent => format!("{parent}/{name}"),
        };
        let file = entries.map(|entry| match entry {
            Some(TreeEntry::File(oid)) => Some(*oid),
            _ => None,
        });
        let directory = entries.map(|entry| match entry {
            Some(TreeEntry::Directory(oid)) => Some(*oid),
            _ => None,
        });
        // A file may stand where a directory was.
        if directory != [None; 2] {
            below.push((path.clone(), directory));
        }
        if file != [None; 2] {
            files.insert(path, file);
        }
    }
    Ok(())
}

async fn with_blobs(
    database: &Database,
    repository: &RepositoryKey,
    files: BTreeMap<String, Sides>,
) -> Result<Vec<Difference>, RegistryError> {
    let oids: Vec<ObjectId> = files.values().flatten().flatten().copied().collect();
    let blobs = database.blobs(repository, &oids).await?;
    let version = |side: Option<ObjectId>| {
        side.map(|oid| {
            let blob = blobs.get(&oid).copied();
            blob.map(|blob| Version { oid, blob })
                .ok_or_else(|| RegistryError::Damaged(format!("blob {oid} is missing")))
        })
        .transpose()
    };
    files
        .into_iter()
        .map(|(path, [old, new])| {
            Ok(Difference {
                path,
                old: version(old)?,
                new: version(new)?,
            })
        })
        .collect()
}
