//! Reading the tree of a commit.

use std::collections::{BTreeMap, HashMap};

use gix_hash::ObjectId;

use crate::database::Database;
use crate::database::commits::Commit;
use crate::database::objects::{Blob, object_id};
use crate::error::RegistryError;
use crate::git::{TreeEntry, decode_tree};

/// A file or directory of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedEntry {
    pub(crate) path: String,
    pub(crate) oid: ObjectId,
    pub(crate) kind: ListedKind,
}

/// What an entry is; the content of a file is known only where it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListedKind {
    Directory,
    File(Option<Blob>),
}

/// The entry at `path`, with its content when it is a file.
pub(crate) async fn find_entry(
    database: &Database,
    repository: &str,
    commit: &Commit,
    path: &str,
) -> Result<Option<ListedEntry>, RegistryError> {
    let mut directory = object_id(&commit.tree)?;
    let mut components = path.split('/').peekable();
    while let Some(component) = components.next() {
        let entries = directory_entries(database, repository, directory).await?;
        match (entries.get(component), components.peek()) {
            (Some(TreeEntry::Directory(oid)), Some(_)) => directory = *oid,
            (Some(TreeEntry::Directory(oid)), None) => {
                return Ok(Some(ListedEntry {
                    path: path.to_owned(),
                    oid: *oid,
                    kind: ListedKind::Directory,
                }));
            }
            (Some(TreeEntry::File(oid)), None) => {
                let mut entries = [ListedEntry {
                    path: path.to_owned(),
                    oid: *oid,
                    kind: ListedKind::File(None),
                }];
                add_blobs(database, repository, &mut entries).await?;
                let [entry] = entries;
                return Ok(Some(entry));
            }
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// The entries at these paths; a path without one is left out.
pub(crate) async fn list_entries(
    database: &Database,
    repository: &str,
    commit: &Commit,
    paths: &[String],
) -> Result<Vec<ListedEntry>, RegistryError> {
    let root = object_id(&commit.tree)?;
    let mut directories: HashMap<String, Option<BTreeMap<String, TreeEntry>>> = HashMap::new();
    directories.insert(
        String::new(),
        Some(directory_entries(database, repository, root).await?),
    );
    let mut found = Vec::new();
    for path in paths {
        let path = path.trim_end_matches('/');
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        if !directories.contains_key(parent) {
            let entry = find_entry(database, repository, commit, parent).await?;
            let entries = match entry {
                Some(ListedEntry {
                    kind: ListedKind::Directory,
                    oid,
                    ..
                }) => Some(directory_entries(database, repository, oid).await?),
                _ => None,
            };
            directories.insert(parent.to_owned(), entries);
        }
        if let Some(Some(entries)) = directories.get(parent)
            && let Some(entry) = entries.get(name)
        {
            found.push(listed(path.to_owned(), entry));
        }
    }
    add_blobs(database, repository, &mut found).await?;
    Ok(found)
}

/// How deep and from where a listing goes on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListingRange<'a> {
    pub(crate) depth: Depth,
    /// Leave out everything up to this path.
    pub(crate) after: Option<&'a str>,
    pub(crate) limit: usize,
    pub(crate) blobs: Blobs,
}

/// Whether a listing looks up the content of files, which costs more than the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blobs {
    Wanted,
    LeftOut,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The directory's own entries.
    One,
    /// Everything below it, directories included.
    All,
}

/// A part of what is below a directory, ordered by path. `None` when there is no such directory; the empty path is the root.
pub(crate) async fn list_directory(
    database: &Database,
    repository: &str,
    commit: &Commit,
    path: &str,
    range: ListingRange<'_>,
) -> Result<Option<Vec<ListedEntry>>, RegistryError> {
    let directory = if path.is_empty() {
        object_id(&commit.tree)?
    } else {
        match find_entry(database, repository, commit, path).await? {
            Some(ListedEntry {
                kind: ListedKind::Directory,
                oid,
                ..
            }) => oid,
            _ => return Ok(None),
        }
    };
    let mut entries = Vec::new();
    let mut level = vec![(path.to_owned(), directory)];
    // One question to the database for each level of the tree, not for each directory.
    while !level.is_empty() {
        let oids: Vec<ObjectId> = level.iter().map(|(_, oid)| *oid).collect();
        let trees = database.trees(repository, &oids).await?;
        let mut below = Vec::new();
        for (parent, oid) in level {
            for (name, entry) in decode(&trees, oid)? {
                let path = if parent.is_empty() {
                    name
                } else {
                    format!("{parent}/{name}")
                };
                if let (TreeEntry::Directory(oid), Depth::All) = (entry, range.depth) {
                    below.push((path.clone(), oid));
                }
                entries.push(listed(path, &entry));
            }
        }
        level = below;
    }
    entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    if let Some(after) = range.after {
        entries.drain(..entries.partition_point(|entry| entry.path.as_str() <= after));
    }
    entries.truncate(range.limit);
    if range.blobs == Blobs::Wanted {
        add_blobs(database, repository, &mut entries).await?;
    }
    Ok(Some(entries))
}

async fn directory_entries(
    database: &Database,
    repository: &str,
    oid: ObjectId,
) -> Result<BTreeMap<String, TreeEntry>, RegistryError> {
    decode(&database.trees(repository, &[oid]).await?, oid)
}

pub(super) fn decode(
    trees: &HashMap<ObjectId, Vec<u8>>,
    oid: ObjectId,
) -> Result<BTreeMap<String, TreeEntry>, RegistryError> {
    match trees.get(&oid) {
        Some(bytes) => decode_tree(bytes),
        None => Err(RegistryError::Damaged(format!("tree {oid} is missing"))),
    }
}

fn listed(path: String, entry: &TreeEntry) -> ListedEntry {
    match entry {
        TreeEntry::Directory(oid) => ListedEntry {
            path,
            oid: *oid,
            kind: ListedKind::Directory,
        },
        TreeEntry::File(oid) => ListedEntry {
            path,
            oid: *oid,
            kind: ListedKind::File(None),
        },
    }
}

async fn add_blobs(
    database: &Database,
    repository: &str,
    entries: &mut [ListedEntry],
) -> Result<(), RegistryError> {
    let oids: Vec<ObjectId> = entries
        .iter()
        .filter(|entry| entry.kind != ListedKind::Directory)
        .map(|entry| entry.oid)
        .collect();
    let blobs = database.blobs(repository, &oids).await?;
    for entry in entries {
        if let ListedKind::File(content) = &mut entry.kind {
            let blob = blobs
                .get(&entry.oid)
                .ok_or_else(|| RegistryError::Damaged(format!("blob {} is missing", entry.oid)))?;
            *content = Some(*blob);
        }
    }
    Ok(())
}
